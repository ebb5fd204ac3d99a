// The text of --help, from the tables of commands and options.
import { COMMANDS, type CommandName, type CommandRow } from './commands.js'
import { type CliOption, environmentName } from './options.js'

const INTRODUCTION =
  'Simulates a signed price feed service: five endpoints, deterministic prices, and\nreal signatures by public test keys.'
const EXAMPLES = `Examples:
  npx price-feed-mock
  npx price-feed-mock --seed 42 --at 2025-07-24T10:48:25Z --frozen
  npx price-feed-mock --scenario stale-btc
  npx price-feed-mock exec --seed 42 -- npm test
  npx price-feed-mock exec --each-scenario -- npm test
  npx price-feed-mock hunt --budget 5m --save finds -- npm test
  npx price-feed-mock scenarios stale-btc
  npx price-feed-mock check scenarios/mine.json
  npx price-feed-mock keys --format solidity
  curl … | npx price-feed-mock verify - --max-age 60s
  npx price-feed-mock tape --feeds BTCUSD,ETHUSD --for 10m --layout evm --out tape.json
  npx price-feed-mock --series btc.csv --as BTCUSD
  npx price-feed-mock record --base-url https://api.example --api-key "$KEY" --feeds BTCUSD --out btc.csv
  npx price-feed-mock relay --contract 0x… --feeds BTCUSD,ETHUSD --sync-clock

Exit codes: 0 success, 1 failure, 2 invalid usage or scenario. exec returns the exit code of its command,
hunt 1 for finds, 2 if its command fails without faults, 3 if it then fails now and then.`

type Item = readonly [term: string, meaning: string]

const HELP: Item = ['-h, --help', 'print this help']
/** Narrower columns are not wrapped. */
const MIN_WIDTH = 40

/**
 * The help of a command, or that of the program for `serve`.
 * @param columns the width of the terminal
 */
export function toHelp(name: CommandName, columns = 80): string {
  const { description, operand, options }: CommandRow = COMMANDS[name]
  const isRoot = name === 'serve'
  const operands: Item[] = operand === undefined ? [] : [[operand.term.replace(/[^a-z]/g, ''), operand.description]]
  const groups = [...new Set(options.map(({ group }) => group))]
  const lists: [heading: string, items: readonly Item[]][] = [
    ['Arguments', operands],
    ...(isRoot ? [['Options', [['-V, --version', 'print the version'], HELP]] as [string, Item[]]] : []),
    ...groups.map((group): [string, Item[]] => [group, options.filter(row => row.group === group).map(toItem)]),
    ...(isRoot ? [] : [['Options', [HELP]] as [string, Item[]]]),
  ]
  const width = widthOf(lists.flatMap(([, items]) => items))
  return [
    `Usage: price-feed-mock ${isRoot ? '[command] [options]' : termOf(name)}`,
    (isRoot ? INTRODUCTION : description)
      .split('\n')
      .flatMap(line => wrap(line, columns))
      .join('\n'),
    ...(isRoot ? [toList('Commands', commandItems(), columns)] : []),
    ...lists.filter(([, items]) => items.length > 0).map(([heading, items]) => toList(heading, items, columns, width)),
    ...(isRoot ? [EXAMPLES] : []),
  ]
    .join('\n\n')
    .concat('\n')
}

const termOf = (name: CommandName): string => {
  const { operand }: CommandRow = COMMANDS[name]
  return [name, '[options]', ...(operand === undefined ? [] : [operand.term])].join(' ')
}

const commandItems = (): Item[] =>
  (Object.keys(COMMANDS) as CommandName[]).map(name => [termOf(name), COMMANDS[name].description])

function toItem(option: CliOption): Item {
  const { flag, short, description, default: value } = option
  const variable = environmentName(option)
  const details = [value === undefined ? '' : ` (default: ${value})`, variable === '' ? '' : ` (env: ${variable})`]
  return [short === undefined ? flag : `-${short}, ${flag}`, description + details.join('')]
}

const widthOf = (items: readonly Item[]): number => Math.max(...items.map(([term]) => term.length))

function toList(heading: string, items: readonly Item[], columns: number, width = widthOf(items)): string {
  const lines = items.flatMap(([term, meaning]) =>
    wrap(meaning, columns - width - 4).map((line, i) => `  ${(i === 0 ? term : '').padEnd(width)}  ${line}`),
  )
  return [`${heading}:`, ...lines].join('\n')
}

function wrap(text: string, width: number): string[] {
  if (width < MIN_WIDTH) return [text]
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`)
    else lines.push(word)
  }
  return lines
}
