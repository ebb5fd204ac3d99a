// The table of commands: their descriptions, operands and options.
import { COMMAND_OPTIONS } from './command-options.js'
import { type CliOption, longName, OPTIONS } from './options.js'

/** One command of the program. */
export interface CommandRow {
  readonly description: string
  /** The words that it takes besides options. Without them it takes only options. */
  readonly operand?: {
    /** In brackets if it can be left out, with dots if it can be repeated: `[name]`, `<file...>`. */
    readonly term: string
    readonly description: string
    /** The end of the error for too many of them: `takes one file`. */
    readonly limit?: string
  }
  readonly options: readonly CliOption[]
  /** The settings without which it does nothing. */
  readonly required?: readonly string[]
  /** The error without an operand or a required setting, and a command line that has them. */
  readonly missing?: readonly [message: string, example: string]
}

/** Other defaults of options beside a command: a free port and no log, so that the output belongs to the command. */
const EXEC_DEFAULTS: Readonly<Record<string, string>> = { port: '0', log: 'off' }

const beside = (options: readonly CliOption[]): CliOption[] =>
  options.map(option => {
    const value = EXEC_DEFAULTS[longName(option)]
    return value === undefined ? option : { ...option, default: value, isDefaultSet: true }
  })

const { exec, hunt, keys, verify, tape, relay, record, compare, list } = COMMAND_OPTIONS
/** The settings that determine the ids of feeds by their numbers. */
const FEED_SETTINGS = /^(seed|feeds|syntheticFeeds)$/
/** The settings that determine the prices of a tape. */
const TAPE_SETTINGS =
  /^(config|seed|clock\.at|feeds|syntheticFeeds|series|as|seriesAt|scenario|scenarios|signer|signerKeyUnsafe)$/
const STORE_SETTINGS = /^(store|sessionIdle|lazySessions)$/
/** The settings without a use for a server that lives for one run of a hunt. */
const LASTING_SETTINGS = /^(scenario|watch|snapshot|state|stateEvery|publicUrl|drain|log|ready)$/

/** The words that are a command with its arguments, options of their own included. */
const COMMAND = { term: '<command...>', description: 'the command and its arguments' }

const pick = (settings: RegExp): CliOption[] => OPTIONS.filter(({ setting }) => settings.test(setting))
const listOf = (content: string, noun: string, settings?: RegExp): CommandRow => ({
  description: `list all ${content}`,
  operand: { term: '[name]', description: `one of the ${noun}, in detail`, limit: 'takes only one name' },
  options: settings === undefined ? list : [...list, ...pick(settings)],
})

/** Every command by its name, in the order of --help. `serve` is the default. */
export const COMMANDS = {
  serve: { description: 'start the server; the default', options: OPTIONS },
  exec: {
    description:
      'run a command with a server beside it: its addresses are in the environment, and the exit code is that of the command',
    operand: COMMAND,
    options: [...beside(OPTIONS.filter(({ setting }) => setting !== 'ready' && setting !== 'watch')), ...exec],
    missing: ['a command', 'exec -- npm test'],
  },
  hunt: {
    description:
      'run a command again and again with faults, and report those that make it fail; exits with 1 if it finds some, with 2 if the command fails without faults, and with 3 if two runs without faults differ',
    operand: COMMAND,
    options: [
      ...hunt,
      ...beside(OPTIONS.filter(({ setting }) => !STORE_SETTINGS.test(setting) && !LASTING_SETTINGS.test(setting))),
    ],
    missing: ['a command', 'hunt -- npm test'],
  },
  keys: {
    description: 'print the public key and address of the signer, ready to paste into a consumer',
    options: [...keys, ...pick(/^(config|signer|signerKeyUnsafe|apiKeys)$/)],
  },
  verify: {
    description: 'check every price of a reply, and print a verdict on each; exits with 1 if one is bad',
    operand: {
      term: '<file>',
      description: 'JSON file of a batch, history, evm or latest reply, or - for standard input',
      limit: 'takes one file',
    },
    options: [...verify, ...pick(/^(config|signer|signerKeyUnsafe)$/), ...pick(FEED_SETTINGS)],
    missing: ['a file, or - for standard input', 'verify reply.json'],
  },
  tape: {
    description: 'write signed prices as JSON, a tick for each feed and second, for tests without HTTP',
    options: [...tape, ...pick(TAPE_SETTINGS)],
    required: ['tape.feeds'],
    missing: ['feeds', 'tape --feeds BTCUSD,ETHUSD --out tape.json'],
  },
  relay: {
    description: 'start the server, and push its prices to a contract as time passes',
    // It reads the session of its own server.
    options: [...relay, ...OPTIONS.filter(({ setting }) => !STORE_SETTINGS.test(setting))],
    required: ['relay.contract', 'relay.feeds'],
    missing: ['a contract and feeds', 'relay --contract 0x… --feeds BTCUSD,ETHUSD --sync-clock'],
  },
  check: {
    description: 'validate scenario files or folders of them, and report all problems; exits with 2 if there are any',
    operand: { term: '<file...>', description: 'JSON files or folders' },
    options: pick(FEED_SETTINGS),
    missing: ['a file', 'check scenarios/mine.json'],
  },
  feeds: listOf('feeds with their class, exponent, step, heartbeat and lag', 'feeds', FEED_SETTINGS),
  faults: listOf('faults, each with its effect and the bug it catches', 'faults'),
  scenarios: listOf(
    'scenarios, each with its effect and the bug it catches',
    'scenarios',
    /^(seed|feeds|syntheticFeeds|scenarios)$/,
  ),
  record: {
    description:
      'poll a service for prices and write them to a file that --series reads; ends on SIGINT, SIGTERM and SIGHUP',
    options: record,
  },
  compare: {
    description:
      'ask a service, and say where the mock differs and which option matches; exits with 1 for differences, and with 2 if it cannot ask',
    options: [...compare, ...pick(/^(config|signer|feeds)$/)],
    required: ['compare.baseUrl'],
    missing: ['the address of a service', 'compare --base-url https://api.example --out config.json'],
  },
} as const satisfies Readonly<Record<string, CommandRow>>

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS
