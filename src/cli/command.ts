// From arguments and environment to a checked configuration. Commander parses; the options table says what.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { nearest, PriceFeedMockError, type Problem } from '../errors.js'
import { assertNoProblems, read } from '../settings/schema.js'
import { VERSION } from '../version.js'
import { KEY_FORMATS, type KeyFormat } from './keys.js'
import {
  attributeName,
  type CliOption,
  type Config,
  configSchema,
  environmentName,
  longName,
  OPTIONS,
} from './options.js'

/** What a run of the program is asked to do. */
export type Invocation =
  | { readonly kind: 'serve'; readonly config: Config }
  | { readonly kind: 'exec'; readonly config: Config; readonly command: readonly string[] }
  | { readonly kind: 'keys'; readonly config: Config; readonly format: KeyFormat }
  /** Nothing more: help, the version or a complaint has been printed. */
  | { readonly kind: 'exit'; readonly code: number }

const INTRODUCTION =
  'A simulator of a signed price feed service: five endpoints, deterministic prices, real signatures by worthless keys.'
const EXAMPLES = `
Examples:
  price-feed-mock
  price-feed-mock --seed 42 --at 2025-07-24T10:48:25Z --frozen
  price-feed-mock exec --seed 42 -- npm test
  price-feed-mock keys --format solidity

Exit codes: 0 fine, 1 failed, 2 wrong usage; exec passes the code of its command through.`

/**
 * Reads the command line.
 * @param environment may set every option by its name there; flags win
 * @throws PriceFeedMockError OPTIONS_INVALID, CONFIG_INVALID or FILE_UNREADABLE with every problem
 */
export function readCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): Invocation {
  let invocation: Invocation = { kind: 'exit', code: 0 }
  const root = new Command('price-feed-mock')
    .description(INTRODUCTION)
    .usage('[serve] [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES)
    .configureOutput({ outputError: complain })
    .exitOverride()
  root.allowExcessArguments()
  addOptions(root, OPTIONS, environment).action(() => {
    const [unknown] = root.args
    if (unknown !== undefined) root.error(`error: ${describeUnknown(unknown, root)}\n`)
    invocation = { kind: 'serve', config: readConfig(root) }
  })

  const exec = root
    .command('exec')
    .description(
      'start a server, run a command with its addresses in the environment, stop, pass the exit code through',
    )
    .argument('<command...>', 'the command, after --')
  // A free port and no log, unless they are asked for: the output is the command's.
  addOptions(exec, OPTIONS, environment).action((command: string[]) => {
    invocation = { kind: 'exec', command, config: { port: 0, log: 'off', ...readConfig(exec) } }
  })

  const keys = root
    .command('keys')
    .description('print what a consumer needs to know of the key that signs, ready to paste')
    .addOption(
      new Option('--format <form>', 'for a shell, a contract, a program or a script')
        .choices(KEY_FORMATS)
        .default('env'),
    )
  const signing = OPTIONS.filter(option => /^(signer|signerKeyUnsafe|apiKeys)$/.test(option.setting ?? ''))
  addOptions(keys, signing, environment).action((options: { format: KeyFormat }) => {
    invocation = { kind: 'keys', format: options.format, config: readConfig(keys) }
  })

  try {
    root.parse(args[0] === 'serve' ? args.slice(1) : [...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return { kind: 'exit', code: error.exitCode === 0 ? 0 : 2 }
    throw error
  }
  return invocation
}

function describeUnknown(name: string, root: Command): string {
  const near = nearest(name, ['serve', ...root.commands.map(command => command.name())])
  return `unknown command '${name}'${near === undefined ? '' : `\n(Did you mean ${near}?)`}`
}

/** Commander's one sentence, in our words. */
function complain(sentence: string, write: (text: string) => void): void {
  write(`${sentence.replace(/^error: /, 'price-feed-mock: ')}  try   price-feed-mock --help\n`)
}

function addOptions(command: Command, options: readonly CliOption[], environment: NodeJS.ProcessEnv): Command {
  for (const option of options) command.addOption(toCommanderOption(option, environment))
  return command
}

/** The configuration of a parsed command: its config file, and over it the environment and the flags. */
function readConfig(command: Command): Config {
  const values = command.opts<Record<string, unknown>>()
  const file = values.config === undefined ? {} : readConfigFile(String(values.config))
  const given = OPTIONS.filter(option => option.setting !== undefined && values[attributeName(option)] !== undefined)
  const nested: Record<string, unknown> = {}
  for (const option of given) assign(nested, option.setting!.split('.'), values[attributeName(option)])
  const problems = read(configSchema, nested).problems ?? []
  assertNoProblems(
    'OPTIONS_INVALID',
    'The command line',
    problems.map(problem => relabel(problem, given, command)),
    [['fix', 'price-feed-mock --help']],
  )
  return mergeConfig(file, nested as Config)
}

function toCommanderOption(option: CliOption, environment: NodeJS.ProcessEnv): Option {
  const { flag, description, initial, group, kind, conflicts = [] } = option
  const made = new Option(flag, initial === undefined ? description : `${description} (default: ${initial})`)
    .helpGroup(`${group}:`)
    .conflicts([...conflicts])
  const variable = environment[environmentName(option)]
  // An empty variable is how shells and CI files unset one; Commander takes a flag as set by any value.
  const isUnset = variable === '' || (kind === 'flag' && /^(0|false|no|off)$/i.test(variable ?? ''))
  if (isUnset) made.description += ` (env: ${environmentName(option)})`
  else made.env(environmentName(option))
  if (kind === 'number') made.argParser(toNumber)
  if (kind === 'list')
    made.argParser((value, previous: string[] | undefined) => [...(previous ?? []), ...value.split(',')])
  return made
}

/** A number where the text is one; what is not is left for the schema to refuse. */
function toNumber(value: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
}

function assign(target: Record<string, unknown>, [key, ...rest]: string[], value: unknown): void {
  if (rest.length === 0) target[key!] = value
  else assign((target[key!] ??= {}) as Record<string, unknown>, rest, value)
}

/** Names the flag or the variable that a problem came from, instead of a place in the settings. */
function relabel(problem: Problem, given: readonly CliOption[], command: Command): Problem {
  const option = given.find(({ setting }) => problem.at === setting || problem.at.startsWith(`${setting}[`))
  if (option === undefined) return problem
  const isVariable = command.getOptionValueSource(attributeName(option)) === 'env'
  return { ...problem, at: isVariable ? environmentName(option) : `--${longName(option)}` }
}

function readConfigFile(path: string): Config {
  const data = readJsonFile(path)
  assertNoProblems('CONFIG_INVALID', path, read(configSchema, data).problems ?? [])
  const config = data as Config
  return { ...config, ...(config.feeds === undefined ? {} : { feeds: resolve(dirname(path), config.feeds) }) }
}

/**
 * Reads a JSON file.
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function readJsonFile(path: string): unknown {
  let source: string
  try {
    source = readFileSync(path, 'utf8')
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const sentence = missing ? `There is no file ${path}.` : `${path} cannot be read: ${(cause as Error).message}.`
    throw new PriceFeedMockError('FILE_UNREADABLE', sentence, { cause, facts: [['at', resolve(path)]] })
  }
  try {
    return JSON.parse(source)
  } catch (cause) {
    throw new PriceFeedMockError('FILE_UNREADABLE', `${path} is not JSON: ${(cause as Error).message}.`, { cause })
  }
}

/** Flags over the file. The clock is the one setting with parts that flags reach. */
function mergeConfig(file: Config, flags: Config): Config {
  return { ...file, ...flags, clock: { ...file.clock, ...flags.clock } }
}
