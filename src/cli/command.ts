// Parses the command line into an invocation. Commander parses and prints help; the options come from the table in options.ts.
import { Command, CommanderError, type Help, Option } from 'commander'
import { isPriceFeedMockError, nearest, PriceFeedMockError } from '../errors.js'
import { VERSION } from '../version.js'
import { type CommandName, DEFAULTS, OPTIONS_OF } from './commands.js'
import { LISTS, type ListKind } from './list.js'
import { attributeName, type CliOption, environmentName, HINTS, OPTIONS } from './options.js'
import type { RecordOptions } from './record.js'
import { toRecordOptions } from './record-options.js'
import type { RelaySettings } from './relay.js'
import { CONVERT, type Resolved, resolveSources } from './sources.js'

/** The task of one run. */
export type Invocation =
  | ({ readonly kind: 'serve' } & Resolved)
  | ({ readonly kind: 'exec'; readonly command: readonly string[] } & Resolved)
  | ({ readonly kind: 'keys' } & Resolved)
  | ({ readonly kind: 'verify'; readonly path: string } & Resolved)
  | ({ readonly kind: 'tape' } & Resolved)
  | ({ readonly kind: 'relay'; readonly relay: RelaySettings } & Resolved)
  | ({ readonly kind: 'check'; readonly paths: readonly string[] } & Resolved)
  | ({ readonly kind: 'list'; readonly list: ListKind; readonly name?: string | undefined } & Resolved)
  | { readonly kind: 'record'; readonly options: RecordOptions }
  /** Help or the version has been printed; nothing is left to do. */
  | { readonly kind: 'exit' }

const INTRODUCTION =
  'Simulates a signed price feed service: five endpoints, deterministic prices, and\nreal signatures by public test keys.'
const EXAMPLES = `
Examples:
  npx price-feed-mock
  npx price-feed-mock --seed 42 --at 2025-07-24T10:48:25Z --frozen
  npx price-feed-mock --scenario stale-btc
  npx price-feed-mock exec --seed 42 -- npm test
  npx price-feed-mock scenarios stale-btc
  npx price-feed-mock check scenarios/mine.json
  npx price-feed-mock keys --format solidity
  curl … | npx price-feed-mock verify - --max-age 60s
  npx price-feed-mock tape --feeds BTCUSD,ETHUSD --for 10m --layout evm --out tape.json
  npx price-feed-mock --series btc.csv --as BTCUSD
  npx price-feed-mock record --base-url https://api.example --api-key "$KEY" --feeds BTCUSD --out btc.csv
  npx price-feed-mock relay --contract 0x… --feeds BTCUSD,ETHUSD --sync-clock

Exit codes: 0 success, 1 failure, 2 invalid usage or scenario. exec returns the exit code of its command.`

const LIST_DESCRIPTIONS: Readonly<Record<ListKind, string>> = {
  feeds: 'list all feeds with their class, exponent, step, heartbeat and lag',
  faults: 'list all faults, each with its effect and the bug it catches',
  scenarios: 'list all scenarios, each with its effect and the bug it catches',
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
  print?: (text: string) => void,
): Invocation {
  const errors: PriceFeedMockError[] = []
  const collect = (error: unknown): void => {
    for (const one of error instanceof AggregateError ? error.errors : [error]) {
      if (!isPriceFeedMockError(one)) throw one
      if (!errors.some(({ message }) => message === one.message)) errors.push(one)
    }
  }
  let parsed = parse({ args, allowExcess: false }, environment, collect, print)
  // Commander stops at its first error. Without its cause it finds the next one, and must not print help any more.
  for (let tries = 0; parsed.retry !== undefined && tries <= args.length; tries++)
    parsed = parse(parsed.retry, environment, collect, () => {})
  if (errors.length > 1) throw new AggregateError(errors)
  if (errors.length === 1) throw errors[0]
  return parsed.invocation
}

/** Arguments for Commander. */
interface Attempt {
  readonly args: readonly string[]
  /** Whether commands without arguments ignore them. */
  readonly allowExcess: boolean
}

/** Parses the arguments once. `retry` are arguments without the cause of an error at which Commander stopped. */
function parse(
  attempt: Attempt,
  environment: NodeJS.ProcessEnv,
  collect: (error: unknown) => void,
  print: (text: string) => void = text => void process.stdout.write(text),
): { invocation: Invocation; retry?: Attempt | undefined } {
  let invocation: Invocation = { kind: 'exit' }
  let output = ''
  let retry: Attempt | undefined
  const onError: OnUsageError = (code, subject, command) => {
    retry = withoutCause(attempt, code, subject, command)
  }
  const root = new Command('price-feed-mock')
    .description(INTRODUCTION)
    .usage('[command] [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES)
    .configureHelp({ visibleCommands: () => [], commandDescription: withCommands })
    .enablePositionalOptions()
    .allowExcessArguments()
    .configureOutput({ outputError: () => {}, writeOut: text => void (output += text) })
  configure(root, 'serve', onError).action(() => {
    const [name = 'serve', ...rest] = root.args
    if (name === 'help') (root.commands.find(command => command.name() === rest[0]) ?? root).help()
    if (name !== 'serve') collect(unknownCommand(name, root))
    else if (rest.length > 0) collect(usageError(root, 'serve takes only options.'))
    invocation = { kind: 'serve', ...resolve(root, 'serve') }
  })

  const exec = root
    .command('exec')
    .description(
      'run a command with a server beside it: its addresses are in the environment, and the exit code is that of the command',
    )
    .argument('<command...>', 'the command and its arguments')
    .passThroughOptions()
  configure(exec, 'exec', onError).action((command: string[]) => {
    if (command[0] === '') collect(usageError(exec, NO_COMMAND))
    invocation = { kind: 'exec', command, ...resolve(exec, 'exec') }
  })

  const keys = root
    .command('keys')
    .description('print the public key and address of the signer, ready to paste into a consumer')
    .allowExcessArguments(attempt.allowExcess)
  configure(keys, 'keys', onError).action(() => {
    invocation = { kind: 'keys', ...resolve(keys, 'keys') }
  })

  const verify = root
    .command('verify')
    .description('check every price of a reply, and print a verdict on each; exits with 1 if one is bad')
    .argument('<file>', 'JSON file of a batch, history, evm or latest reply, or - for standard input')
    .allowExcessArguments(attempt.allowExcess)
  configure(verify, 'verify', onError).action((path: string) => {
    invocation = { kind: 'verify', path, ...resolve(verify, 'verify') }
  })

  const tape = root
    .command('tape')
    .description('write signed prices as JSON, a tick for each feed and second, for tests without HTTP')
    .allowExcessArguments(attempt.allowExcess)
  configure(tape, 'tape', onError).action(() => {
    const resolved = resolve(tape, 'tape')
    if (resolved.config.tape?.feeds === undefined) collect(usageError(tape, NO_FEEDS))
    invocation = { kind: 'tape', ...resolved }
  })

  const relay = root
    .command('relay')
    .description('start the server, and push its prices to a contract as time passes')
    .allowExcessArguments(attempt.allowExcess)
  configure(relay, 'relay', onError).action(() => {
    const resolved = resolve(relay, 'relay')
    const { rpc, contract, feeds, syncClock, leader = 'mock', keyUnsafe, allowChains } = resolved.config.relay ?? {}
    const rejectStore = (name: string): void => collect(usageError(relay, `relay cannot use ${name}: ${OWN_SERVER}`))
    if (environment.PRICE_FEED_MOCK_STORE) rejectStore('PRICE_FEED_MOCK_STORE')
    if (resolved.config.store !== undefined) rejectStore('"store" of its config file')
    if (rpc === undefined || contract === undefined || feeds === undefined) collect(usageError(relay, NO_CONTRACT))
    else {
      const common = { rpc, contract, feeds, leader: syncClock ? leader : undefined, key: keyUnsafe }
      invocation = {
        kind: 'relay',
        relay: { ...common, allowChains, isKeyShown: 'keyUnsafe' in relay.opts() },
        ...resolved,
      }
    }
  })

  const check = root
    .command('check')
    .description('validate scenario files or folders of them, and report all problems; exits with 2 if there are any')
    .argument('<file...>', 'JSON files or folders')
  configure(check, 'check', onError).action((paths: string[]) => {
    invocation = { kind: 'check', paths, ...resolve(check, 'check') }
  })

  for (const list of LISTS) {
    const command = root
      .command(list)
      .description(LIST_DESCRIPTIONS[list])
      .argument('[name]', `one of the ${list}, in detail`)
      .allowExcessArguments(attempt.allowExcess)
    configure(command, list, onError).action((name?: string) => {
      invocation = { kind: 'list', list, name, ...resolve(command, list) }
    })
  }

  const recording = root
    .command('record')
    .description('poll a service for prices and write them to a file that --series reads; ends on SIGINT and SIGTERM')
    .allowExcessArguments(attempt.allowExcess)
  configure(recording, 'record', onError).action(() => {
    const options = toRecordOptions(flagsOf(recording, 'record'), environment, helpOf(recording))
    invocation = { kind: 'record', options }
  })

  /** Merges the flags before the name of a command with those after it. The command must know all of them. */
  function flagsOf(command: Command, name: CommandName): Record<string, unknown> {
    const options = OPTIONS_OF[name]
    const before = root.opts<Record<string, unknown>>()
    for (const option of OPTIONS)
      if (before[attributeName(option)] !== undefined && !options.some(({ flag }) => flag === option.flag))
        collect(unknownOption(option.flag.split(' ', 1)[0]!, command))
    return { ...before, ...command.opts<Record<string, unknown>>() }
  }

  /** Merges all sources of a command. */
  function resolve(command: Command, name: CommandName): Resolved {
    const options = OPTIONS_OF[name]
    const flags = flagsOf(command, name)
    return resolveSources({ options, defaults: DEFAULTS[name], environment, flags, help: helpOf(command) })
  }

  try {
    root.parse(attempt.args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander prints the help of the root for a word that is no command.
      const [first = 'serve', second = 'serve'] = root.args
      const words = first === 'help' ? [first, second] : [first]
      const unknown = words.find(word => !word.startsWith('-') && !commandNames(root).includes(word))
      if (unknown === undefined) print(output)
      else collect(unknownCommand(unknown, root))
      return { invocation: { kind: 'exit' } }
    }
    collect(error)
  }
  return { invocation, retry }
}

/** The description of the program with all commands, which come before its many options. */
function withCommands(this: Help, command: Command): string {
  if (command.parent !== null) return command.description()
  const terms = [
    ['serve [options]', 'start the server; the default'] as const,
    ...command.commands.map(one => [this.subcommandTerm(one), this.subcommandDescription(one)] as const),
  ]
  const width = Math.max(...terms.map(([term]) => term.length))
  const lines = terms.map(([term, text]) => this.formatItem(term, width, text, this))
  return [command.description(), '', 'Commands:', ...lines].join('\n')
}

/** Arguments without the cause of an error of Commander, or undefined if it cannot be left out. */
function withoutCause(attempt: Attempt, code: string, subject: string, command: Command): Attempt | undefined {
  const { args } = attempt
  const without = (at: number, count: number): Attempt | undefined =>
    at < 0 ? undefined : { ...attempt, args: [...args.slice(0, at), ...args.slice(at + count)] }
  switch (code) {
    case 'commander.unknownOption': {
      const at = args.indexOf(subject)
      return without(at, isValueOf(subject, args[at + 1], command) ? 2 : 1)
    }
    case 'commander.optionMissingArgument':
      return without(args.lastIndexOf(flagOf(subject, args, command)), 1)
    case 'commander.missingArgument':
      return { ...attempt, args: [...args, 'any'] }
    case 'commander.excessArguments':
      return { ...attempt, allowExcess: true }
  }
  return undefined
}

/** The flag of an option as it was given, long or short: it has no value behind it. */
function flagOf(subject: string, args: readonly string[], { options }: Command): string {
  const long = subject.split(' ', 1)[0]!
  const short = options.find(option => option.long === long)?.short
  return short !== undefined && args.includes(short) ? short : long
}

/** Whether the argument after an unknown option is probably its value. */
function isValueOf(flag: string, next: string | undefined, command: Command): boolean {
  const root = command.parent ?? command
  const isWord = next !== undefined && !next.startsWith('-') && !root.commands.some(one => one.name() === next)
  if (!isWord || flag.includes('=')) return false
  const closest = nearest(
    flag,
    command.options.map(({ long }) => long!),
  )
  const known = command.options.find(({ long }) => long === closest)
  return known === undefined ? command.registeredArguments.length === 0 : known.required
}

/** Called for an error of Commander, with the word that it quotes. */
type OnUsageError = (code: string, subject: string, command: Command) => void

/** Adds its options to a command and replaces Commander's errors. */
function configure(command: Command, name: CommandName, onError: OnUsageError): Command {
  for (const option of OPTIONS_OF[name]) command.addOption(toCommanderOption(option))
  return command.exitOverride(error => {
    if (error.exitCode === 0) throw error
    const subject = /'(?:-\w, )?(.*)'/.exec(error.message)?.[1] ?? ''
    onError(error.code, subject, command)
    throw USAGE_ERRORS[error.code]?.(subject, command) ?? usageError(command, error.message)
  })
}

function toCommanderOption(option: CliOption): Option {
  const { flag, short, description, group, kind } = option
  const details = [
    ...(option.default === undefined ? [] : [`default: ${option.default}`]),
    ...(environmentName(option) === '' ? [] : [`env: ${environmentName(option)}`]),
  ]
  const flags = short === undefined ? flag : `-${short}, ${flag}`
  const result = new Option(flags, [description, ...details.map(detail => `(${detail})`)].join(' ')).helpGroup(
    `${group}:`,
  )
  if (kind === 'list') result.argParser((value, previous: string[] | undefined) => [...(previous ?? []), value])
  else if (kind === 'commas')
    result.argParser((value, previous: string[] | undefined) => [...(previous ?? []), ...value.split(',')])
  else if (kind !== 'flag') result.argParser(CONVERT[kind])
  return result
}

const NO_FILE = 'check needs a file, for example: npx price-feed-mock check scenarios/mine.json'
const NO_REPLY = 'verify needs a file, or - for standard input, for example: npx price-feed-mock verify reply.json'
const NO_FEEDS = 'tape needs feeds, for example: npx price-feed-mock tape --feeds BTCUSD,ETHUSD --out tape.json'
const NO_CONTRACT =
  'relay needs a contract and feeds, for example: npx price-feed-mock relay --contract 0x… --feeds BTCUSD,ETHUSD --sync-clock'
const NO_COMMAND = 'exec needs a command, for example: npx price-feed-mock exec -- npm test'

const MISSING: Readonly<Record<string, string>> = { check: NO_FILE, verify: NO_REPLY }

const OWN_SERVER = 'it reads the prices of its own server.'

/** Options that a command lacks for a reason. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  'relay --store': `relay has no option --store: ${OWN_SERVER}`,
  'exec --watch': 'exec has no option --watch: it reads scenario files once, before it runs its command.',
}

/** Replacements for Commander's errors by code, made from the word that the error quotes. */
const USAGE_ERRORS: Readonly<Record<string, (subject: string, command: Command) => PriceFeedMockError>> = {
  'commander.unknownOption': unknownOption,
  'commander.optionMissingArgument': (flag, command) => {
    const [, name, noun] = /^(\S+) <(\w+)>/.exec(flag)!
    return usageError(command, `${name} needs ${/^[aeiou]/.test(noun!) ? 'an' : 'a'} ${noun}.`)
  },
  'commander.missingArgument': (_, command) => usageError(command, MISSING[command.name()] ?? NO_COMMAND),
  'commander.excessArguments': (name, command) =>
    usageError(
      command,
      name === 'verify'
        ? 'verify takes one file.'
        : `${name} takes only ${LISTS.includes(name as ListKind) ? 'one name' : 'options'}.`,
    ),
}

function unknownOption(flag: string, command: Command): PriceFeedMockError {
  const name = flag.split('=', 1)[0]!
  const names = ['--help', ...command.options.map(({ long }) => long!)]
  if (names.includes(name) && name !== flag) return usageError(command, `${name} takes no value.`)
  const reason = UNAVAILABLE[`${command.name()} ${name}`]
  if (reason !== undefined) return usageError(command, reason)
  const owner = command.parent === null ? 'There is' : `${command.name()} has`
  const hints = Object.entries(HINTS[name] ?? {}).filter(([option]) => names.includes(`--${option}`))
  const want = hints.length > 0 ? hints.map(([, hint]) => hint).join(', or ') : toClosest(nearest(name, names))
  return usageError(command, `${owner} no option ${name}.`, want)
}

const commandNames = (root: Command): string[] => ['serve', ...root.commands.map(command => command.name()), 'help']

function unknownCommand(name: string, root: Command): PriceFeedMockError {
  return usageError(root, `There is no command ${name}.`, toClosest(nearest(name, commandNames(root))))
}

const toClosest = (name: string | undefined): string | undefined => name && `${name} (closest)`

function usageError(command: Command, shortMessage: string, want?: string): PriceFeedMockError {
  const details = want === undefined ? [] : ([['want', want]] as const)
  return new PriceFeedMockError('OPTIONS_INVALID', shortMessage, { details: [...details, ['docs', helpOf(command)]] })
}

function helpOf(command: Command): string {
  return `npx price-feed-mock${command.parent === null ? '' : ` ${command.name()}`} --help`
}
