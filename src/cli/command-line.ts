// Reads the command line: the command, its operands and its options, or every mistake at once; and the help.
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { nearest, type PriceFeedMockError } from '../errors.js'
import { VERSION } from '../version.js'
import { COMMANDS, type CommandName, type CommandRow } from './commands.js'
import { type CliOption, environmentName, longName, OPTIONS, takesValue } from './options.js'
import type { RecordOptions } from './record.js'
import { createErrors } from './run-context.js'
import { convert, type Resolved, resolveRecord, resolveSources, usageError, valueAt } from './sources.js'

/** A run of a command with its configuration. */
export interface ResolvedInvocation extends Resolved {
  readonly kind: Exclude<CommandName, 'record'>
  readonly operands: readonly string[]
  /** Lines about the options that are no errors. */
  readonly warnings: readonly string[]
}

/** The task of one run. */
export type Invocation =
  | ResolvedInvocation
  | { readonly kind: 'record'; readonly options: RecordOptions }
  /** Help or the version has been printed; nothing is left to do. */
  | { readonly kind: 'exit' }

/** Flags of other programs, or of other commands here: the options that do the same, by their long names. */
const HINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '--json': {
    ready: '--ready json for the line on stdout',
    log: '--log json for the request log',
    format: '--format json',
  },
  '-v': { version: '--version', log: '--log pretty for the request log' },
  '--verbose': { log: '--log pretty' },
  '--quiet': { log: '--log off' },
  '-q': { log: '--log off' },
  '--silent': { log: '--log off' },
  '--feeds': { 'feeds-file': '--feeds-file for a file of your own feeds; --feeds are ids, where a command takes them' },
}

const OWN_SERVER = 'it reads the prices of its own server.'
/** Options that a command lacks for a reason. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  'relay --store': `relay has no option --store: ${OWN_SERVER}`,
  'hunt --scenario': 'hunt has no option --scenario: it makes scenarios of its own. exec --scenario runs one.',
  'exec --watch': 'exec has no option --watch: it reads scenario files once, before it runs its command.',
}

/**
 * Reads the command line.
 * @param environment can set every option; flags win over it
 * @param print writes help and the version
 * @default process.stdout
 * @throws PriceFeedMockError OPTIONS_INVALID, CONFIG_INVALID, FEEDS_INVALID or FILE_UNREADABLE with every problem, or an
 * AggregateError of several
 */
export function readCommandLine(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (text: string) => void = text => void process.stdout.write(text),
): Invocation {
  // Options before the name of a command belong to it as well.
  const before = readWords(args, 'serve')
  const name = before.next?.name ?? 'serve'
  const [word = 'serve', topic = 'serve'] = before.operands
  const after = before.next ? readWords(before.next.args, name) : { ...noWords(), operands: before.operands.slice(1) }
  const isHelp = word === 'help'
  const wanted = isHelp ? topic : word
  const unknown = before.next || isCommand(wanted) || wanted === 'help' ? undefined : unknownCommand(wanted)
  const missing = [...before.missing, ...after.missing]
  const mistakes = [...before.mistakes, ...after.mistakes]

  const asked = before.asked ?? after.asked ?? (isHelp && mistakes.length === 0 ? 'help' : undefined)
  if (asked === 'version' || (asked === 'help' && missing.length === 0)) {
    if (asked === 'help' && unknown !== undefined) throw unknown
    const about = isHelp ? topic : before.asked === undefined ? name : 'serve'
    const columns = process.stdout.isTTY ? process.stdout.columns : undefined
    print(asked === 'version' ? `${VERSION}\n` : toHelp(isCommand(about) ? about : 'serve', columns))
    return { kind: 'exit' }
  }

  const row: CommandRow = COMMANDS[name]
  const { operands } = after
  const errors = createErrors()
  errors.add(...missing, ...mistakes, ...(unknown ? [unknown] : isHelp ? [] : operandErrors(name, operands)))
  const flags = { ...after.flags }
  for (const option of OPTIONS) {
    const long = longName(option)
    if (before.flags[long] === undefined) continue
    // Another command may have an option of this name, but with another value.
    if (row.options.some(({ flag }) => flag === option.flag)) flags[long] = joined(before.flags[long], flags[long])
    else errors.add(unknownOption(`--${long}`, name))
  }
  const sources = { options: row.options, environment, flags, help: helpOf(name) }
  const invocation = errors.attempt((): Invocation => {
    if (name === 'record') return { kind: name, options: resolveRecord(sources) }
    const resolved = resolveSources(sources)
    errors.add(...requirementErrors(name, resolved, environment))
    return { kind: name, operands, warnings: warningsAbout(row.options, flags), ...resolved }
  })
  errors.throwAll()
  return invocation!
}

/** The words of a command line, or those before or after the name of a command. */
interface Words {
  /** The values of options by their long names. */
  readonly flags: Record<string, unknown>
  readonly operands: string[]
  /** The text that is printed instead of a run. */
  asked?: 'help' | 'version'
  /** Options without their value. */
  readonly missing: PriceFeedMockError[]
  /** Unknown options, and values of options that take none. */
  readonly mistakes: PriceFeedMockError[]
  next?: { readonly name: CommandName; readonly args: readonly string[] }
}

const noWords = (): Words => ({ flags: {}, operands: [], missing: [], mistakes: [] })

/** Sorts words by the options of a command. Those of the program end at the name of another command. */
function readWords(args: readonly string[], name: CommandName): Words {
  const { options, operand }: CommandRow = COMMANDS[name]
  const byName = new Map(options.map(option => [longName(option), option]))
  const config: NonNullable<ParseArgsConfig['options']> = {
    help: { type: 'boolean', short: 'h' },
    ...(name === 'serve' ? { version: { type: 'boolean', short: 'V' } } : {}),
  }
  for (const [long, option] of byName)
    config[long] = {
      type: takesValue(option) ? 'string' : 'boolean',
      ...(option.short === undefined ? {} : { short: option.short }),
    }
  const isOption = (word: string): boolean =>
    word === '--' || (word.startsWith('--') && Object.hasOwn(config, word.slice(2).split('=', 1)[0]!))
  const words = noWords()
  /** Places of words that belong to an unknown option. */
  const skipped = new Set<number>()
  for (const token of parseArgs({ args: [...args], options: config, strict: false, tokens: true }).tokens) {
    const { kind, index } = token
    if (kind === 'option-terminator' || skipped.has(index)) continue
    if (kind === 'positional') {
      if (name === 'serve' && words.operands.length === 0 && isCommand(token.value) && token.value !== 'serve')
        return { ...words, next: { name: token.value, args: args.slice(index + 1) } }
      // The other words belong to the command that it runs.
      if (operand?.term === '<command...>') return { ...words, operands: args.slice(index) }
      words.operands.push(token.value)
    } else if (!Object.hasOwn(config, token.name)) {
      words.mistakes.push(unknownOption(args[index]!, name))
      skipped.add(index)
      if (isValueOf(args[index]!, args[index + 1], name)) skipped.add(index + 1)
    } else if (config[token.name]!.type === 'boolean') {
      if (token.value !== undefined) words.mistakes.push(usageErrorOf(name, `--${token.name} takes no value.`))
      else if (byName.has(token.name)) words.flags[token.name] = true
      else if (words.asked !== 'version') words.asked = token.name as 'help' | 'version'
    } else {
      const option = byName.get(token.name)!
      const { value, inlineValue } = token
      if (value === undefined) words.missing.push(valueMissing(option, name))
      else if (!inlineValue && isOption(value))
        return withRest(words, valueMissing(option, name, value), readWords(args.slice(index + 1), name))
      else words.flags[token.name] = joined(words.flags[token.name], toValue(option, value))
    }
  }
  return words
}

/** Words up to an option without its value, and the words that follow it. */
const withRest = (words: Words, missing: PriceFeedMockError, rest: Words): Words => ({
  ...rest,
  flags: { ...words.flags, ...rest.flags },
  operands: [...words.operands, ...rest.operands],
  missing: [missing, ...rest.missing],
  mistakes: [...words.mistakes, ...rest.mistakes],
})

/** The value of a flag, which may be one of several. */
const toValue = (option: CliOption, value: string): unknown =>
  option.kind === 'list' ? [value] : convert(option, value)

/** The value of a flag that may be there twice: the later one, or both where there can be several. */
const joined = (earlier: unknown, later: unknown): unknown =>
  Array.isArray(earlier) && Array.isArray(later) ? [...earlier, ...later] : (later ?? earlier)

/** Whether the word after an unknown option is probably its value. */
function isValueOf(flag: string, next: string | undefined, name: CommandName): boolean {
  const { options, operand }: CommandRow = COMMANDS[name]
  if (next === undefined || next.startsWith('-') || flag.includes('=')) return false
  if (isCommand(next) && next !== 'serve') return false
  const closest = nearest(
    flag,
    options.map(option => `--${longName(option)}`),
  )
  const known = options.find(option => `--${longName(option)}` === closest)
  return known === undefined ? operand === undefined : takesValue(known)
}

function operandErrors(name: CommandName, operands: readonly string[]): PriceFeedMockError[] {
  const { operand, missing }: CommandRow = COMMANDS[name]
  if (operand === undefined) return operands.length > 0 ? [usageErrorOf(name, `${name} takes only options.`)] : []
  if (operand.term.startsWith('<') && !operands[0]) return [somethingMissing(name, missing!)]
  const isExcess = operands.length > 1 && !operand.term.includes('...')
  return isExcess ? [usageErrorOf(name, `${name} ${operand.limit}.`)] : []
}

function requirementErrors(name: CommandName, { config }: Resolved, environment: NodeJS.ProcessEnv) {
  const { required = [], missing }: CommandRow = COMMANDS[name]
  const rejectStore = (from: string) => usageErrorOf('relay', `relay cannot use ${from}: ${OWN_SERVER}`)
  const rival = (['state', 'store', 'snapshot'] as const).find(setting => config[setting] !== undefined)
  return [
    ...(name === 'exec' && config.eachScenario && rival !== undefined
      ? [usageErrorOf(name, `--each-scenario cannot be combined with --${rival}: each run begins anew.`)]
      : []),
    ...(name === 'hunt' && (config.hunt?.parallel ?? 1) > 1 && (config.port || config.historyPort)
      ? [usageErrorOf(name, '--parallel needs free ports: leave out --port, and take --history-port 0.')]
      : []),
    ...(name === 'relay' && environment.PRICE_FEED_MOCK_STORE ? [rejectStore('PRICE_FEED_MOCK_STORE')] : []),
    ...(name === 'relay' && config.store !== undefined ? [rejectStore('"store" of its config file')] : []),
    ...(required.every(setting => valueAt(config, setting) !== undefined) ? [] : [somethingMissing(name, missing!)]),
  ]
}

const warningsAbout = (options: readonly CliOption[], flags: Readonly<Record<string, unknown>>): string[] =>
  options
    .filter(option => option.isSecret && flags[longName(option)] !== undefined)
    .map(
      option =>
        `the key on the command line is in the list of processes and in the history of the shell: set ${environmentName(option)} instead of --${longName(option)}.`,
    )

const somethingMissing = (name: CommandName, [what, example]: readonly [string, string]): PriceFeedMockError =>
  usageErrorOf(name, `${name} needs ${what}, for example: npx price-feed-mock ${example}`)

/** @param next the option that follows in place of the value */
function valueMissing({ flag }: CliOption, name: CommandName, next?: string): PriceFeedMockError {
  const [, long, noun] = /^(\S+) <(\w+)>/.exec(flag)!
  const want = next === undefined ? undefined : `${long}=${next}, if ${next} is its value`
  return usageErrorOf(name, `${long} needs ${/^[aeiou]/.test(noun!) ? 'an' : 'a'} ${noun}.`, want)
}

function unknownOption(word: string, name: CommandName): PriceFeedMockError {
  const [flag] = word.split('=', 1) as [string]
  const reason = UNAVAILABLE[`${name} ${flag}`]
  if (reason !== undefined) return usageErrorOf(name, reason)
  const { options }: CommandRow = COMMANDS[name]
  const names = ['--help', ...(name === 'serve' ? ['--version'] : []), ...options.map(one => `--${longName(one)}`)]
  const hints = Object.entries(HINTS[flag] ?? {}).filter(([option]) => names.includes(`--${option}`))
  const want = hints.length > 0 ? hints.map(([, hint]) => hint).join(', or ') : toClosest(nearest(flag, names))
  return usageErrorOf(name, `${name === 'serve' ? 'There is' : `${name} has`} no option ${flag}.`, want)
}

const isCommand = (word: string): word is CommandName => Object.hasOwn(COMMANDS, word)

const unknownCommand = (word: string): PriceFeedMockError =>
  usageErrorOf('serve', `There is no command ${word}.`, toClosest(nearest(word, [...Object.keys(COMMANDS), 'help'])))

const toClosest = (name: string | undefined): string | undefined => name && `${name} (closest)`

const usageErrorOf = (name: CommandName, shortMessage: string, want?: string): PriceFeedMockError =>
  usageError(helpOf(name), shortMessage, { want })

const helpOf = (name: CommandName): string => `npx price-feed-mock${name === 'serve' ? '' : ` ${name}`} --help`

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
type List = readonly [heading: string, items: readonly Item[]]

const HELP: Item = ['-h, --help', 'print this help']
/** Narrower columns are not wrapped. */
const MIN_WIDTH = 40

/**
 * The help of a command, or that of the program for `serve`.
 * @param columns the width of the terminal
 */
function toHelp(name: CommandName, columns = 80): string {
  const { description, operand, options }: CommandRow = COMMANDS[name]
  const isRoot = name === 'serve'
  const operands: Item[] = operand === undefined ? [] : [[operand.term.replace(/[^a-z]/g, ''), operand.description]]
  const groups = [...new Set(options.map(({ group }) => group))]
  const grouped = groups.map((group): List => [group, options.filter(row => row.group === group).map(toItem)])
  const general: List = ['Options', isRoot ? [['-V, --version', 'print the version'], HELP] : [HELP]]
  const lists: readonly List[] = [['Arguments', operands], ...(isRoot ? [general, ...grouped] : [...grouped, general])]
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
