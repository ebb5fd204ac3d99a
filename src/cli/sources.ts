// Where settings come from: a config file, the environment, flags. The later wins, and what cannot stand beside it gives way.
import {
  countOf,
  type Detail,
  type ErrorCode,
  isPriceFeedMockError,
  nearest,
  PriceFeedMockError,
  type Problem,
} from '../errors.js'
import { type FeedsFile, readFeeds } from '../market/feeds-file.js'
import { read } from '../settings/schema.js'
import { readConfigFile } from './config-file.js'
import { readJsonFile } from './json-file.js'
import {
  attributeName,
  type CliOption,
  type Config,
  ENVIRONMENT_PREFIX,
  environmentName,
  FORMAT,
  longName,
  OPTIONS,
  optionsSchema,
} from './options.js'
import {
  type ChosenScenario,
  chooseScenario,
  listScenarioFiles,
  readScenarioFiles,
  type ScenarioFiles,
} from './scenario-files.js'

/** A setting as one source gives it. */
interface Given {
  readonly option: CliOption
  /** What its user calls it: `--port`, `PRICE_FEED_MOCK_PORT`, `port of mine.json`. */
  readonly name: string
  readonly value: unknown
}

/** What one run is given: values of flags by attribute, and the environment. */
export interface Sources {
  /** The options that it knows. */
  readonly options: readonly CliOption[]
  /** What holds for it without any source, by attribute. */
  readonly initial: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly flags: Readonly<Record<string, unknown>>
  /** The command that prints its help. */
  readonly help: string
}

/** A configuration, checked, and the files that it came from. */
export interface Resolved {
  readonly config: Config & { readonly format?: string | undefined }
  readonly feeds?: FeedsFile | undefined
  /** The user's own scenarios, and the one to begin with. */
  readonly chosen: ScenarioFiles & { readonly scenario?: ChosenScenario['scenario'] | undefined }
}

/** From the text of a flag or a variable to its value; what is not one is left for the schema to refuse. */
export const CONVERT: Readonly<Record<CliOption['kind'], (value: string) => unknown>> = {
  text: value => value,
  number: value => (/^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value),
  list: value => value.split(','),
  flag: value => (/^(1|true|yes|on)$/i.test(value) ? true : /^(0|false|no|off)$/i.test(value) ? false : value),
}

/**
 * Lays flags over the environment over the config file.
 * @throws PriceFeedMockError OPTIONS_INVALID, CONFIG_INVALID, FEEDS_INVALID or FILE_UNREADABLE with every problem, or an
 * AggregateError of several
 */
export function resolveSources({ options, initial, environment, flags, help }: Sources): Resolved {
  const errors: PriceFeedMockError[] = []
  const attempt = <T>(step: () => T): T | undefined => {
    try {
      return step()
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      errors.push(error)
      return undefined
    }
  }

  const base = readTexts(options, option => initial[attributeName(option)], attributeName)
  const variables = readTexts(options, option => environment[environmentName(option)], environmentName)
  const given = readFlags(options, flags)
  const told = lay(variables, given)
  const asked = told.find(({ option }) => option.setting === undefined)
  const file = asked && attempt(() => readConfigFile(String(asked.value), asked.name))
  const inFile = file ? readConfig(options, file, String(asked!.value)) : []
  errors.push(...conflictsOf(inFile, 'CONFIG_INVALID', []), ...conflictsOf(told, 'OPTIONS_INVALID', [['docs', help]]))
  attempt(() => assertValid(told, help))

  const all = lay(base, inFile, variables, given)
  attempt(() => assertTwoPorts(options, all, help))
  const config: Record<string, unknown> = structuredClone(file ?? {})
  for (const option of options)
    if (option.setting !== undefined) assign(config, option.setting.split('.'), find(all, option.setting)?.value)
  const feeds = find(all, 'feeds')
  const feedsFile = feeds && attempt(() => readFeedsFile(String(feeds.value), feeds.name))

  const chosen = attempt(() =>
    readScenarios(find(all, 'scenarios'), find(all, 'scenario'), error => errors.push(error)),
  )

  if (errors.length > 1) throw new AggregateError(errors)
  if (errors.length === 1) throw errors[0]
  return { config: config as Resolved['config'], feeds: feedsFile, chosen: chosen! }
}

/** A line for each variable that looks like one of ours and is none. */
export function describeUnknownVariables(environment: Sources['environment']): string[] {
  const names = [...OPTIONS, FORMAT].map(option => environmentName(option).slice(ENVIRONMENT_PREFIX.length))
  return Object.keys(environment)
    .filter(name => name.startsWith(ENVIRONMENT_PREFIX) && environment[name] !== '')
    .map(name => name.slice(ENVIRONMENT_PREFIX.length))
    .filter(name => !names.includes(name))
    .sort()
    .map(name => {
      const closest = nearest(name, names)
      const hint = closest === undefined ? '' : ` (closest: ${ENVIRONMENT_PREFIX}${closest})`
      return `price-feed-mock: there is no variable ${ENVIRONMENT_PREFIX}${name}${hint}; it is ignored.`
    })
}

const find = (given: readonly Given[], setting: string): Given | undefined =>
  given.find(({ option }) => option.setting === setting)

/** Settings that are written as text. An empty variable is how shells and CI files unset one. */
function readTexts(
  options: readonly CliOption[],
  textOf: (option: CliOption) => string | undefined,
  nameOf: (option: CliOption) => string,
): Given[] {
  return options.flatMap(option => {
    const text = textOf(option)
    return text ? [{ option, name: nameOf(option), value: CONVERT[option.kind](text) }] : []
  })
}

function readFlags(options: readonly CliOption[], flags: Sources['flags']): Given[] {
  return options.flatMap(option => {
    const value = flags[attributeName(option)]
    return value === undefined ? [] : [{ option, name: `--${longName(option)}`, value }]
  })
}

/** The settings of a config file that options have as well. */
function readConfig(options: readonly CliOption[], file: Config, path: string): Given[] {
  return options.flatMap(option => {
    const keys = option.setting?.split('.') ?? []
    const value = keys.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], file)
    return keys.length === 0 || value === undefined ? [] : [{ option, name: `${option.setting} of ${path}`, value }]
  })
}

/** Checked here so that its problems are reported under the name of the file. */
function readFeedsFile(path: string, from: string): FeedsFile {
  const data = readJsonFile(path, from)
  readFeeds(data, path)
  return data as FeedsFile
}

/** Every file that cannot be read is told; what stands in them is judged with the faults and the feeds at hand. */
function readScenarios(
  folder: Given | undefined,
  scenario: Given | undefined,
  onError: (error: PriceFeedMockError) => void,
): Resolved['chosen'] {
  const paths = folder ? listScenarioFiles(String(folder.value), folder.name) : []
  const own = readScenarioFiles(paths, folder?.name ?? '', onError)
  if (scenario === undefined) return own
  if (typeof scenario.value === 'string') return chooseScenario(scenario.value, scenario.name, own)
  return { ...own, scenario: scenario.value as Record<string, unknown> }
}

/** Later over earlier: the same setting, and what it excludes. */
function lay(...layers: readonly (readonly Given[])[]): readonly Given[] {
  return layers.reduce((earlier, later) => [
    ...later,
    ...earlier.filter(old => !later.some(one => one.option === old.option || excludes(one, old))),
  ])
}

/** Whether two settings cannot be together; what is off is beside anything. */
function excludes(one: Given, other: Given): boolean {
  if (one.value === false || other.value === false) return false
  const isNamed = (a: Given, b: Given): boolean =>
    a.option.conflict !== undefined && a.option.conflict.setting === b.option.setting
  return isNamed(one, other) || isNamed(other, one)
}

/** An error for each pair that cannot be together and of which neither came later. */
function conflictsOf(given: readonly Given[], code: ErrorCode, details: readonly Detail[]): PriceFeedMockError[] {
  return given.flatMap(one => {
    const { conflict } = one.option
    const other = conflict && find(given, conflict.setting)
    if (!other || !excludes(one, other)) return []
    const shortMessage = `${one.name} and ${other.name} cannot be together: ${conflict.because}.`
    return [new PriceFeedMockError(code, shortMessage, { details })]
  })
}

function assertValid(given: readonly Given[], help: string): void {
  const nested: Record<string, unknown> = {}
  for (const { option, value } of given)
    if (option.setting !== undefined) assign(nested, option.setting.split('.'), value)
  const problems = (read(optionsSchema, nested).problems ?? []).map(problem => rename(problem, given))
  if (problems.length > 0)
    throw new PriceFeedMockError('OPTIONS_INVALID', `The options have ${countOf(problems.length, 'problem')}.`, {
      problems,
      details: [['docs', help]],
    })
}

/** Names the flag or the variable that a problem came from, instead of a place in the settings. */
function rename(problem: Problem, given: readonly Given[]): Problem {
  const from = given.find(({ option: { setting } }) => problem.at === setting || problem.at.startsWith(`${setting}[`))
  return from ? { ...problem, at: from.name, want: from.option.want ?? problem.want } : problem
}

function assertTwoPorts(options: readonly CliOption[], given: readonly Given[], help: string): void {
  const history = find(given, 'historyPort')
  const initial = Number(options.find(({ setting }) => setting === 'port')?.initial)
  const port = find(given, 'port')?.value ?? initial
  if (history && port !== 0 && history.value === port)
    throw new PriceFeedMockError('OPTIONS_INVALID', `Port ${port} cannot be both --port and --history-port.`, {
      details: [
        ['fix', 'choose another with --history-port; 0 takes a free one'],
        ['docs', help],
      ],
    })
}

function assign(target: Record<string, unknown>, [key, ...rest]: string[], value: unknown): void {
  if (rest.length === 0) target[key!] = value
  else assign((target[key!] ??= {}) as Record<string, unknown>, rest, value)
}
