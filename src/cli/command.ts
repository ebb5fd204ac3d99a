// From arguments and environment to what is to be done. Commander parses and prints help; the table of options says what.
import { Command, CommanderError, Option } from 'commander'
import { nearest, PriceFeedMockError } from '../errors.js'
import { VERSION } from '../version.js'
import type { KeyFormat } from './keys.js'
import { attributeName, type CliOption, environmentName, FORMAT, OPTIONS } from './options.js'
import { CONVERT, type Resolved, resolveSources } from './sources.js'

/** What a run of the program is asked to do. */
export type Invocation =
  | ({ readonly kind: 'serve' } & Resolved)
  | ({ readonly kind: 'exec'; readonly command: readonly string[] } & Resolved)
  | ({ readonly kind: 'keys'; readonly format: KeyFormat } & Resolved)
  | ({ readonly kind: 'check'; readonly paths: readonly string[] } & Resolved)
  | ({ readonly kind: 'scenarios' } & Resolved)
  /** Nothing more: help or the version has been printed. */
  | { readonly kind: 'exit' }

const INTRODUCTION =
  'A simulator of a signed price feed service: five endpoints, deterministic prices, real signatures by worthless keys.'
const EXAMPLES = `
Examples:
  price-feed-mock
  price-feed-mock --seed 42 --at 2025-07-24T10:48:25Z --frozen
  price-feed-mock --scenario stale-btc
  price-feed-mock exec --seed 42 -- npm test
  price-feed-mock check scenarios/mine.json
  price-feed-mock keys --format solidity

Exit codes: 0 fine, 1 failed, 2 wrong usage; exec passes the code of its command through.`

/** What holds without any source, where it is not what help says of `serve`. */
const INITIAL: Readonly<Record<'serve' | 'exec' | 'keys' | 'check' | 'scenarios', Readonly<Record<string, string>>>> = {
  serve: {},
  check: {},
  scenarios: {},
  // A free port and no log, unless they are asked for: the output is the command's.
  exec: { port: '0', log: 'off' },
  keys: { format: 'env' },
}
const isOfKeys = ({ setting }: CliOption): boolean =>
  setting === undefined || /^(signer|signerKeyUnsafe|apiKeys)$/.test(setting)

/** The options of each command, with its own defaults. */
const OPTIONS_OF: Readonly<Record<keyof typeof INITIAL, readonly CliOption[]>> = {
  serve: OPTIONS,
  exec: OPTIONS.filter(({ setting }) => setting !== 'ready').map(option => {
    const initial = INITIAL.exec[attributeName(option)]
    return initial === undefined ? option : { ...option, initial }
  }),
  keys: [FORMAT, ...OPTIONS.filter(isOfKeys)],
  check: OPTIONS.filter(({ setting }) => setting === 'feeds'),
  scenarios: OPTIONS.filter(({ setting }) => setting === 'feeds' || setting === 'scenarios'),
}

/**
 * Reads the command line.
 * @param environment may set every option by its name there; flags win
 * @param print writes help and the version
 * @default process.stdout
 * @throws PriceFeedMockError OPTIONS_INVALID, CONFIG_INVALID, FEEDS_INVALID or FILE_UNREADABLE with every problem, or an
 * AggregateError of several
 */
export function readCommandLine(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  print?: (text: string) => void,
): Invocation {
  let invocation: Invocation = { kind: 'exit' }
  const root = new Command('price-feed-mock')
    .description(INTRODUCTION)
    .usage('[serve] [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES)
    .enablePositionalOptions()
    .allowExcessArguments()
    .configureOutput({ outputError: () => {}, ...(print && { writeOut: print }) })
  prepare(root, 'serve').action(() => {
    const [name = 'serve', ...rest] = root.args
    if (name === 'help') (root.commands.find(command => command.name() === rest[0]) ?? root).help()
    if (name !== 'serve') throw unknownCommand(name, root)
    if (rest.length > 0) throw complaint(root, 'serve takes only options.')
    invocation = { kind: 'serve', ...resolve(root, 'serve') }
  })

  const exec = root
    .command('exec')
    .description(
      'start a server, run a command with its addresses in the environment, stop, pass the exit code through',
    )
    .argument('<command...>', 'the command; all that follows is its own')
    .passThroughOptions()
  prepare(exec, 'exec').action((command: string[]) => {
    if (command[0] === '') throw complaint(exec, NO_COMMAND)
    invocation = { kind: 'exec', command, ...resolve(exec, 'exec') }
  })

  const keys = root
    .command('keys')
    .description('print what a consumer needs to know of the key that signs, ready to paste')
    .allowExcessArguments(false)
  prepare(keys, 'keys').action(() => {
    const resolved = resolve(keys, 'keys')
    invocation = { kind: 'keys', format: resolved.config.format as KeyFormat, ...resolved }
  })

  const check = root
    .command('check')
    .description('check scenario files, or folders of them: every problem at once, exit code 2 if there are any')
    .argument('<file...>', 'JSON files or folders')
  prepare(check, 'check').action((paths: string[]) => {
    invocation = { kind: 'check', paths, ...resolve(check, 'check') }
  })

  const scenarios = root
    .command('scenarios')
    .description('list the scenarios there are, each with what happens and which mistake it brings to light')
    .allowExcessArguments(false)
  prepare(scenarios, 'scenarios').action(() => {
    invocation = { kind: 'scenarios', ...resolve(scenarios, 'scenarios') }
  })

  /** Flags may stand before the name of a command too, as long as it knows them. */
  function resolve(command: Command, name: keyof typeof INITIAL): Resolved {
    const options = OPTIONS_OF[name]
    const before = root.opts<Record<string, unknown>>()
    const foreign = OPTIONS.find(
      option => before[attributeName(option)] !== undefined && !options.some(({ flag }) => flag === option.flag),
    )
    if (foreign) throw unknownOption(foreign.flag.split(' ', 1)[0]!, command)
    const flags = { ...before, ...command.opts<Record<string, unknown>>() }
    return resolveSources({ options, initial: INITIAL[name], environment, flags, help: helpOf(command) })
  }

  try {
    root.parse(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return { kind: 'exit' }
    throw error
  }
  return invocation
}

/** Gives a command its options, and its mistakes our words. */
function prepare(command: Command, name: keyof typeof INITIAL): Command {
  for (const option of OPTIONS_OF[name]) command.addOption(toCommanderOption(option))
  return command.exitOverride(error => {
    if (error.exitCode === 0) throw error
    const [, subject = ''] = /'(.*)'/.exec(error.message) ?? []
    throw COMPLAINTS[error.code]?.(subject, command) ?? complaint(command, error.message)
  })
}

function toCommanderOption(option: CliOption): Option {
  const { flag, description, initial, group, kind } = option
  const details = [...(initial === undefined ? [] : [`default: ${initial}`]), `env: ${environmentName(option)}`]
  const made = new Option(flag, `${description} (${details.join(') (')})`).helpGroup(`${group}:`)
  if (kind === 'list') made.argParser((value, previous: string[] | undefined) => [...(previous ?? []), value])
  else if (kind !== 'flag') made.argParser(CONVERT[kind])
  return made
}

const NO_FILE = 'check needs a file: price-feed-mock check scenarios/mine.json'
const NO_COMMAND = 'exec needs a command: price-feed-mock exec -- npm test'

/** Commander's complaints by their code, with what each quotes. */
const COMPLAINTS: Readonly<Record<string, (subject: string, command: Command) => PriceFeedMockError>> = {
  'commander.unknownOption': unknownOption,
  'commander.optionMissingArgument': (flag, command) => {
    const [, name, noun] = /^(\S+) <(\w+)>/.exec(flag)!
    return complaint(command, `${name} needs ${/^[aeiou]/.test(noun!) ? 'an' : 'a'} ${noun}.`)
  },
  'commander.missingArgument': (_, command) => complaint(command, command.name() === 'check' ? NO_FILE : NO_COMMAND),
  'commander.excessArguments': (name, command) => complaint(command, `${name} takes only options.`),
}

function unknownOption(flag: string, command: Command): PriceFeedMockError {
  const name = flag.split('=', 1)[0]!
  const names = ['--help', ...command.options.map(({ long }) => long!)]
  if (names.includes(name) && name !== flag) return complaint(command, `${name} takes no value.`)
  const owner = command.parent === null ? 'There is' : `${command.name()} has`
  return complaint(command, `${owner} no option ${name}.`, nearest(name, names))
}

function unknownCommand(name: string, root: Command): PriceFeedMockError {
  const names = ['serve', ...root.commands.map(command => command.name()), 'help']
  return complaint(root, `There is no command ${name}.`, nearest(name, names))
}

function complaint(command: Command, shortMessage: string, closest?: string): PriceFeedMockError {
  const want = closest === undefined ? [] : ([['want', `${closest} (closest)`]] as const)
  return new PriceFeedMockError('OPTIONS_INVALID', shortMessage, { details: [...want, ['docs', helpOf(command)]] })
}

function helpOf(command: Command): string {
  return `price-feed-mock${command.parent === null ? '' : ` ${command.name()}`} --help`
}
