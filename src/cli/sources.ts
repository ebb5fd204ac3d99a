// Merges settings from the config file, the environment and the flags. Later sources win, also over settings they conflict with.
import { dirname, resolve } from 'node:path'
import { countOf, NOT_SHOWN, nearest, type Parts, PriceFeedMockError, type Problem } from '../errors.js'
import type { Feed } from '../market/feeds.js'
import { parseFeeds } from '../market/feeds-file.js'
import { parseOrThrow, read } from '../settings/schema.js'
import { COMMAND_OPTIONS, type CommandConfig, optionsSchema, recordSchema, toSigners } from './command-options.js'
import { isInline, readJsonFile, readText } from './files.js'
import {
  type ChosenScenario,
  chooseScenario,
  listScenarioFiles,
  readScenarioFiles,
  requireScenarioFiles,
} from './input-files.js'
import {
  type CliOption,
  type Config,
  configSchema,
  ENVIRONMENT_PREFIX,
  environmentName,
  longName,
  OPTIONS,
  takesValue,
} from './options.js'
import type { RecordOptions } from './record.js'
import { createErrors } from './run-context.js'

interface SourcedSetting {
  readonly option: CliOption
  /** Its name in that source: `--port`, `PRICE_FEED_MOCK_PORT`, `port of mine.json`. */
  readonly name: string
  readonly value: unknown
}

interface Sources {
  readonly options: readonly CliOption[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Values of the flags, by long name. */
  readonly flags: Readonly<Record<string, unknown>>
  /** The command line that prints help, for errors. */
  readonly help: string
}

/** A validated configuration and the content of its files. */
export interface Resolved {
  readonly config: Config & CommandConfig
  readonly feeds?: readonly Feed[] | undefined
  /** The token that was made for `--admin-token auto`. */
  readonly madeToken?: string | undefined
  /** The contents of the certificate's file and of its key's. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** The user's own scenarios, and the scenario to start with. */
  readonly chosen: ChosenScenario
}

/**
 * The error of a command line.
 * @param help the command line that prints help
 */
export function usageError(help: string, shortMessage: string, parts: Parts = {}): PriceFeedMockError {
  return new PriceFeedMockError('OPTIONS_INVALID', shortMessage, { ...parts, docs: help })
}

/** Converts the text of a flag or variable to its value. Invalid text is kept, for the schema to reject. */
export function convert(option: CliOption, text: string): unknown {
  if (!takesValue(option))
    return /^(1|true|yes|on)$/i.test(text) ? true : /^(0|false|no|off)$/i.test(text) ? false : text
  if (option.kind === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  return option.kind === undefined ? text : text.split(',')
}

/**
 * Merges all sources into a configuration.
 * @throws PriceFeedMockError OPTIONS_INVALID, CONFIG_INVALID, FEEDS_INVALID or FILE_UNREADABLE with every problem, or an
 * AggregateError of several
 */
export function resolveSources({ options, environment, flags, help }: Sources): Resolved {
  const errors = createErrors()
  const { attempt } = errors
  const refuse = (messages: readonly string[], parts: Parts = {}): void =>
    errors.add(...messages.map(message => usageError(help, message, parts)))
  const base = readSource(
    options.filter(({ isDefaultSet }) => isDefaultSet),
    option => fromText(option, option.default),
    flagOf,
  )
  const variables = readVariables(options, environment)
  const fromFlags = readFlags(options, flags)
  const fromRun = merge(variables, fromFlags)
  const configPath = find(fromRun, 'config')
  const file = configPath && attempt(() => readConfigFile(String(configPath.value), configPath.name))
  const fromFile = readSource(
    options,
    ({ setting }) => file && valueAt(file, setting),
    // A config in place of a file may hold secrets.
    ({ setting }) =>
      `${setting} of ${configPath && isInline(String(configPath.value)) ? configPath.name : configPath?.value}`,
  )
  errors.add(...conflictsOf(fromFile).map(message => new PriceFeedMockError('CONFIG_INVALID', message)))
  refuse(conflictsOf(fromRun))
  attempt(() => assertValid(fromRun, help))

  const all = merge(base, fromFile, variables, fromFlags)
  refuse(equalPorts(options, all), { fix: 'choose another with --history-port; --history-port 0 picks a free one' })
  refuse(missingPartners(options, all))
  refuse(rivalsOfStore([...fromFile, ...variables, ...fromFlags]))
  refuse(ownTokens(all), { fix: 'set one token for all servers on the store' })
  const config: Record<string, unknown> = structuredClone(file ?? {})
  for (const option of options)
    if (option.setting !== 'config') assign(config, option.setting.split('.'), find(all, option.setting)?.value)
  const feeds = find(all, 'feeds')
  const parsedFeeds = feeds && attempt(() => parseFeeds(...readFeedsFile(feeds.value, feeds.name)))

  const [cert, key] = ['tlsCert', 'tlsKey'].map(setting => {
    const pem = find(all, setting)
    // Only its base64 counts: comments beside it may be in any encoding.
    return pem && attempt(() => readText(String(pem.value), pem.name, false))
  })

  const chosen = attempt(() => readScenarios(all, errors.add))
  errors.throwAll()
  const tls = cert === undefined || key === undefined ? undefined : { cert, key }
  return { config: config as Resolved['config'], feeds: parsedFeeds, tls, chosen: chosen! }
}

/**
 * The options of a recording, which have their own variables and no config file.
 * @throws PriceFeedMockError OPTIONS_INVALID with every problem
 */
export function resolveRecord({ options, environment, flags, help }: Sources): RecordOptions {
  const given = merge(
    readSource(options, option => fromText(option, option.default), flagOf),
    readVariables(options, environment),
    readFlags(options, flags),
  )
  const { value, problems } = read(
    recordSchema,
    Object.fromEntries(given.map(({ option, value }) => [option.setting, value])),
  )
  // A key, and an address that may hold one, are not shown. A flag is the remedy for each problem.
  if (value === undefined)
    throw optionsInvalid(
      problems.map(problem =>
        /^(apiKey|baseUrl)$/.test(problem.at) && problem.got !== undefined ? { ...problem, got: NOT_SHOWN } : problem,
      ),
      options.map(option => ({ option, name: flagOf(option), value: undefined })),
      help,
    )
  const { baseUrl, apiKey, feeds, every, out, signers } = value
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey,
    feeds: [...new Set(feeds)],
    everyMs: every * 1000,
    out,
    signers: toSigners(signers),
  }
}

/** A warning for each variable with our prefix that no option has. */
export function describeUnknownVariables(environment: Sources['environment']): string[] {
  // Some options have a variable of another prefix, or none.
  const withoutPrefix = (names: readonly string[]): string[] =>
    names.filter(name => name.startsWith(ENVIRONMENT_PREFIX)).map(name => name.slice(ENVIRONMENT_PREFIX.length))
  const names = withoutPrefix([...OPTIONS, ...Object.values(COMMAND_OPTIONS).flat()].map(environmentName))
  return withoutPrefix(Object.keys(environment))
    .filter(name => environment[ENVIRONMENT_PREFIX + name] !== '' && !names.includes(name))
    .sort()
    .map(name => {
      const closest = nearest(name, names)
      const hint = closest === undefined ? '' : ` (closest: ${ENVIRONMENT_PREFIX}${closest})`
      return `price-feed-mock: ignored the unknown variable ${ENVIRONMENT_PREFIX}${name}${hint}.`
    })
}

const find = (settings: readonly SourcedSetting[], setting: string): SourcedSetting | undefined =>
  settings.find(({ option }) => option.setting === setting)

const flagOf = (option: CliOption): string => `--${longName(option)}`

function readSource(
  options: readonly CliOption[],
  lookUp: (option: CliOption) => unknown,
  nameOf: (option: CliOption) => string,
): SourcedSetting[] {
  return options
    .map(option => ({ option, name: nameOf(option), value: lookUp(option) }))
    .filter(({ value }) => value !== undefined)
}

/** The value of a text. An empty text counts as unset, since shells and CI files unset variables that way. */
const fromText = (option: CliOption, text: string | undefined): unknown => (text ? convert(option, text) : undefined)

const readVariables = (options: readonly CliOption[], environment: Sources['environment']): SourcedSetting[] =>
  readSource(options, option => fromText(option, environment[environmentName(option)]), environmentName)

const readFlags = (options: readonly CliOption[], flags: Sources['flags']): SourcedSetting[] =>
  readSource(options, option => flags[longName(option)], flagOf)

/** The value of a setting: `clock.at`. */
export const valueAt = (config: object, setting: string): unknown =>
  setting.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], config)

/** The content of a file of feeds, or that which a config file has in its place, and its name for errors. */
export function readFeedsFile(value: unknown, from: string): [data: unknown, name: string] {
  return typeof value === 'string' ? [readJsonFile(value, from), isInline(value) ? from : value] : [value, from]
}

/** Reads all scenario files and reports the unreadable ones. Validation happens later, where faults and feeds are known. */
function readScenarios(
  all: readonly SourcedSetting[],
  onError: (error: PriceFeedMockError) => void,
): Resolved['chosen'] {
  const [folder, scenario, each] = ['scenarios', 'scenario', 'eachScenario'].map(setting => find(all, setting))
  const list = each?.value === true ? requireScenarioFiles : listScenarioFiles
  const paths = folder ? list(String(folder.value), folder.name) : []
  const own = readScenarioFiles(paths, folder?.name ?? '', onError)
  if (scenario === undefined) return own
  if (typeof scenario.value === 'string') return chooseScenario(scenario.value, scenario.name, own)
  return { ...own, scenario: scenario.value as Record<string, unknown> }
}

/** Merges sources. A later setting replaces the same earlier one, those it conflicts with, and what is of no use without those. */
function merge(...sources: readonly (readonly SourcedSetting[])[]): readonly SourcedSetting[] {
  return sources.reduce((earlier, later) => {
    const isLost = (old: SourcedSetting) => later.some(one => one.option === old.option || areInConflict(one, old))
    // A feed belongs to its series; other settings need one that the later source may have as well.
    const isUseless = ({ option: { setting, needs } }: SourcedSetting) => {
      const isOfFeed = setting === 'as'
      const needed = isOfFeed ? 'series' : needs
      if (needed === undefined || (!isOfFeed && find(later, needed))) return false
      return earlier.some(old => old.option.setting === needed && isLost(old))
    }
    return [...later, ...earlier.filter(old => !isLost(old) && !isUseless(old))]
  })
}

/** Whether two settings conflict. A setting that is off conflicts with nothing. */
function areInConflict(one: SourcedSetting, other: SourcedSetting): boolean {
  if (one.value === false || other.value === false) return false
  const declares = (a: SourcedSetting, b: SourcedSetting): boolean =>
    a.option.conflict !== undefined && a.option.conflict.setting === b.option.setting
  return declares(one, other) || declares(other, one)
}

function conflictsOf(settings: readonly SourcedSetting[]): string[] {
  return settings.flatMap(one => {
    const { conflict } = one.option
    const other = conflict && find(settings, conflict.setting)
    if (!other || !areInConflict(one, other)) return []
    return [`${one.name} and ${other.name} cannot be combined: ${conflict.reason}.`]
  })
}

function missingPartners(options: readonly CliOption[], settings: readonly SourcedSetting[]): string[] {
  return settings.flatMap(({ option, name }) => {
    const partner = options.find(({ setting }) => setting === option.needs)
    if (partner === undefined || settings.some(one => one.option === partner)) return []
    return [`${name} needs ${flagOf(partner)} as well.`]
  })
}

const RIVALS: Readonly<Record<string, string>> = {
  watch: 'all servers on a store have the same scenarios',
  state: 'the store keeps all sessions',
  snapshot: 'the store keeps all sessions',
}

/** A message for each setting that a store excludes, from whatever source: without its store, a server would answer from other sessions. */
function rivalsOfStore(settings: readonly SourcedSetting[]): string[] {
  const store = find(settings, 'store')
  if (store === undefined) return []
  return Object.entries(RIVALS).flatMap(([setting, reason]) => {
    const rival = settings.find(({ option, value }) => option.setting === setting && value !== false)
    return rival === undefined ? [] : [`${store.name} and ${rival.name} cannot be combined: ${reason}.`]
  })
}

/** A message for a store whose servers would each make a token: a balancer would send its holder to others, too. */
function ownTokens(settings: readonly SourcedSetting[]): string[] {
  const [store, token] = [find(settings, 'store'), find(settings, 'adminToken')]
  if (store === undefined || token?.value !== 'auto') return []
  return [`${store.name} and auto of ${token.name} cannot be combined: each server would have a token of its own.`]
}

function assertValid(settings: readonly SourcedSetting[], help: string): void {
  const nested: Record<string, unknown> = {}
  for (const { option, value } of settings)
    if (option.setting !== 'config') assign(nested, option.setting.split('.'), value)
  const { problems } = read(optionsSchema, nested)
  if (problems) throw optionsInvalid(problems, settings, help)
}

function optionsInvalid(problems: readonly Problem[], settings: readonly SourcedSetting[], help: string) {
  const named = problems.map(problem => nameSource(problem, settings))
  return usageError(help, `The options have ${countOf(problems.length, 'problem')}.`, { problems: named })
}

/** Replaces the path of a problem by the flag or variable that caused it. */
function nameSource(problem: Problem, settings: readonly SourcedSetting[]): Problem {
  const from = settings.find(
    ({ option: { setting } }) => problem.at === setting || problem.at.startsWith(`${setting}[`),
  )
  return from ? { ...problem, at: from.name, want: from.option.want ?? problem.want } : problem
}

function equalPorts(options: readonly CliOption[], settings: readonly SourcedSetting[]): string[] {
  const history = find(settings, 'historyPort')
  const defaultPort = Number(options.find(({ setting }) => setting === 'port')?.default)
  const port = find(settings, 'port')?.value ?? defaultPort
  return port !== 0 && history?.value === port ? [`Port ${port} cannot be both --port and --history-port.`] : []
}

function assign(target: Record<string, unknown>, [key, ...rest]: string[], value: unknown): void {
  if (rest.length === 0) target[key!] = value
  else assign((target[key!] ??= {}) as Record<string, unknown>, rest, value)
}

/**
 * Reads a config file, or inline JSON. Paths in a file are relative to its folder.
 * @param from the flag or variable that names the file, for errors
 * @throws PriceFeedMockError FILE_UNREADABLE or CONFIG_INVALID
 */
export function readConfigFile(path: string, from: string): Config {
  const data = readJsonFile(path, from)
  parseOrThrow(configSchema, data, 'CONFIG_INVALID', isInline(path) ? 'The configuration' : path)
  const config = data as Config
  const folder = isInline(path) ? '.' : dirname(path)
  const paths = Object.entries(config).filter(([key, value]) => isPath(key, value))
  const series = config.series?.map(one =>
    typeof one === 'string' ? resolve(folder, one) : { ...one, file: resolve(folder, one.file) },
  )
  return {
    ...config,
    ...Object.fromEntries(paths.map(([key, value]) => [key, resolve(folder, String(value))])),
    ...(series && { series }),
  }
}

/** Whether a setting is a path. A scenario is one only if it looks like it; otherwise it is a name. */
function isPath(key: string, value: unknown): boolean {
  if (typeof value !== 'string') return false
  if (key === 'scenario') return /[/\\]|\.json$/.test(value) && !isInline(value)
  return OPTIONS.some(({ setting, flag }) => setting === key && /<(file|folder)>$/.test(flag))
}
