// From arguments and environment to a checked configuration. Commander parses; the options table says what.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { PriceFeedMockError, type Problem } from '../errors.js'
import { assertNoProblems, read } from '../settings/schema.js'
import { VERSION } from '../version.js'
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
export type Invocation = { kind: 'serve'; config: Config } | { kind: 'exit'; code: number }

const INTRODUCTION = `A simulator of a signed price feed service: five endpoints, deterministic prices, real signatures by worthless keys.`
const EXAMPLES = `
Examples:
  price-feed-mock
  price-feed-mock --seed 42 --at 2025-07-24T10:48:25Z --frozen
  price-feed-mock --port 0 --ready json --log off

Exit codes: 0 fine, 1 failed, 2 wrong usage.`

/**
 * Reads the command line.
 * @param environment may set every option by its name there; flags win
 * @throws PriceFeedMockError OPTIONS_INVALID, CONFIG_INVALID or FILE_UNREADABLE with every problem
 */
export function readCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): Invocation {
  const command = new Command('price-feed-mock')
    .description(INTRODUCTION)
    .usage('[serve] [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      outputError: (text, write) =>
        write(`${text.replace(/^error: /, 'price-feed-mock: ')}  try   price-feed-mock --help\n`),
    })
    .exitOverride()
  for (const option of OPTIONS) command.addOption(toCommanderOption(option, environment))

  try {
    command.parse(args[0] === 'serve' ? args.slice(1) : [...args], { from: 'user' })
  } catch (error) {
    // Commander has printed the help, the version or one sentence.
    if (error instanceof CommanderError) return { kind: 'exit', code: error.exitCode === 0 ? 0 : 2 }
    throw error
  }

  const values = command.opts<Record<string, unknown>>()
  const file = values.config === undefined ? {} : readConfigFile(String(values.config))
  const given = OPTIONS.filter(option => option.setting !== undefined && values[attributeName(option)] !== undefined)
  const nested: Record<string, unknown> = {}
  for (const option of given) assign(nested, option.setting!.split('.'), values[attributeName(option)])
  const flags = read(configSchema, nested)
  assertNoProblems(
    'OPTIONS_INVALID',
    'The command line',
    (flags.problems ?? []).map(problem => relabel(problem, given, command)),
    [['fix', 'price-feed-mock --help']],
  )
  return { kind: 'serve', config: mergeConfig(file, nested as Config) }
}

function toCommanderOption(option: CliOption, environment: NodeJS.ProcessEnv): Option {
  const { flag, description, initial, group, kind, conflicts = [] } = option
  const made = new Option(flag, initial === undefined ? description : `${description} (default: ${initial})`)
    .helpGroup(`${group}:`)
    .conflicts([...conflicts])
  const fromEnvironment = environment[environmentName(option)]
  // An empty variable is how shells and CI files unset one.
  if (fromEnvironment !== '') made.env(environmentName(option))
  else made.description += ` (env: ${environmentName(option)})`
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
  const secret = option.setting === 'signerKeyUnsafe'
  return {
    ...problem,
    at: isVariable ? environmentName(option) : `--${longName(option)}`,
    got: secret ? '(not shown)' : problem.got,
  }
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
