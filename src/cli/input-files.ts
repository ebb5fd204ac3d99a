// A user's files of scenarios and of series. A run validates scenarios later, where the faults are known; `check` does it here. Series are
// read in parts, so that a long one takes little memory.
import { readdirSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { getOrCreate } from '../caches.js'
import { ENDPOINTS } from '../endpoints/index.js'
import { countOf, PriceFeedMockError, toPrintable, tryOrThrow } from '../errors.js'
import { canActOn } from '../faults/fault.js'
import { createMock, type MockOptions } from '../index.js'
import { type Feed, findFeed } from '../market/feeds.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import type { SeriesInput } from '../market/series.js'
import { BUILT_IN } from '../scenario/built-in.js'
import type { PlannedFault } from '../scenario/scenario.js'
import { isFreeName, scenarioUnknown } from '../scenario/scenarios.js'
import { chunksOf, fileError, isInline, kindAt, readJsonFile, tooLarge } from './files.js'
import { type Config, namedSeries } from './options.js'
import { RECORDING_HEADER } from './recording.js'
import { createErrors } from './run-context.js'

/** Scenarios by name, and their files. */
export type ScenarioFiles = ReturnType<typeof readScenarioFiles>

/** The scenarios of a run. */
export interface ChosenScenario extends ScenarioFiles {
  /** The name of the scenario to start with, or an inline scenario. */
  readonly scenario?: string | Record<string, unknown> | undefined
}

/**
 * The scenario files of a folder. Skips hidden files, such as the lock files of editors.
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function listScenarioFiles(folder: string, from: string): string[] {
  const entries = tryOrThrow(
    () => readdirSync(folder),
    cause => fileError(folder, from, cause, 'folder'),
  )
  return entries
    .filter(file => file.endsWith('.json') && file !== 'schema.json' && !file.startsWith('.'))
    .sort()
    .map(file => join(folder, file))
}

/**
 * The scenario files of a folder. Without one, scenarios in another folder or format would pass unnoticed.
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function requireScenarioFiles(folder: string, from: string): string[] {
  const files = listScenarioFiles(folder, from)
  const message = `The folder "${folder}" has no files *.json.`
  if (files.length === 0) throw new PriceFeedMockError('FILE_UNREADABLE', message, { from })
  return files
}

/**
 * Reads scenario files. The name of a scenario is that of its file.
 * @param onError receives an error for each unreadable file and each duplicate name
 */
export function readScenarioFiles(
  paths: readonly string[],
  from: string,
  onError: (error: PriceFeedMockError) => void,
) {
  const scenarios: Record<string, unknown> = {}
  const files: Record<string, string> = {}
  for (const error of findDuplicateNames(paths)) onError(error)
  for (const path of paths) {
    const name = toScenarioName(path)
    try {
      scenarios[name] = readJsonFile(path, from)
      files[name] = path
    } catch (error) {
      onError(error as PriceFeedMockError)
    }
  }
  // Both by the name of the scenario.
  return { scenarios, files }
}

/**
 * Resolves `--scenario`: inline JSON, a known name, or a file.
 * @param known the user's own scenarios
 * @throws PriceFeedMockError FILE_UNREADABLE or SCENARIO_UNKNOWN
 */
export function chooseScenario(given: string, from: string, known: ScenarioFiles): ChosenScenario {
  if (!isInline(given) && !isFile(given, known)) {
    const names = [...Object.keys(BUILT_IN), ...Object.keys(known.scenarios)]
    // Here, so that it is reported together with wrong options.
    if (names.includes(given)) return { ...known, scenario: given }
    const { code, shortMessage, problems } = scenarioUnknown(given, names)
    throw new PriceFeedMockError(code, shortMessage, { problems, from })
  }
  // A pipe is read once: the command that repeats the run has what was in it.
  const isWhole = isInline(given) || kindAt(given) === 'pipe'
  const read = readJsonFile(given, from)
  if (isWhole) return { ...known, scenario: read as Record<string, unknown> }
  const name = toScenarioName(given)
  return { scenario: name, scenarios: { ...known.scenarios, [name]: read }, files: { ...known.files, [name]: given } }
}

/** A known name wins over a file of that name. Text that looks like a path is a path, even if nothing is there. */
function isFile(given: string, { scenarios }: ScenarioFiles): boolean {
  if (Object.hasOwn(scenarios, given) || Object.hasOwn(BUILT_IN, given)) return false
  return /[/\\]|\.json$/.test(given) || kindAt(given) !== undefined
}

/** The name of a scenario, from its file name. Characters that are not allowed in a path or key become dashes. */
export function toScenarioName(path: string): string {
  const name = basename(path, '.json')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 51)
  return isFreeName(name) ? name : `file-${name}`.slice(0, 51)
}

/** An error for each name that several files of a folder share, since one scenario would hide the other. */
export function findDuplicateNames(paths: readonly string[]): PriceFeedMockError[] {
  const byName = new Map<string, string[]>()
  for (const [absolute, path] of new Map(paths.map(path => [resolve(path), path])))
    getOrCreate(byName, join(dirname(absolute), toScenarioName(path)), () => []).push(path)
  return [...byName.values()].filter(({ length }) => length > 1).map(duplicateName)
}

function duplicateName(paths: readonly string[]): PriceFeedMockError {
  return new PriceFeedMockError('SCENARIO_INVALID', `${paths.join(' and ')} have the same scenario name.`, {
    got: JSON.stringify(toScenarioName(paths[0]!)),
    want: 'a different name for each; only letters, digits, . _ - and the first 51 characters count',
    fix: 'rename one of the files',
    docs: 'price-feed-mock/docs/scenarios.md',
  })
}

/**
 * Validates scenario files, and all files in folders, against the known faults and feeds.
 * @returns a line for each valid file, an error for each invalid one
 * @throws PriceFeedMockError FEEDS_INVALID
 */
export function checkScenarios(paths: readonly string[], feeds: MockOptions['feeds']) {
  const { scenarios } = createMock({ feeds })
  const lines: string[] = []
  const { list: errors, add, attempt } = createErrors()
  const check = (path: string): void => {
    const { faults, title } = scenarios.set(toScenarioName(path), readJsonFile(path, 'check'), path)
    lines.push(toPrintable(`${path}: valid. ${title}: ${countOf(faults.length, 'fault')}.`), ...faults.flatMap(toNote))
  }
  const files: string[] = []
  for (const path of paths)
    attempt(() => files.push(...(kindAt(path) === 'folder' ? requireScenarioFiles(path, 'check') : [path])))
  add(...findDuplicateNames(files))
  for (const file of files) attempt(() => check(file))
  return { lines, errors }
}

/** A note for a fault that acts on none of its endpoints. It is no error: a test may try each fault on each endpoint. */
function toNote({ fault, endpoints }: PlannedFault, i: number): string[] {
  if (endpoints === undefined || [...endpoints].some(one => canActOn(fault, one))) return []
  const others = ENDPOINTS.map(({ name }) => name).filter(name => canActOn(fault, name))
  return [
    `  note  faults[${i}] never acts: ${fault.name} is for ${others.join(', ')}, not for ${[...endpoints].join(', ')}`,
  ]
}

const MAX_SERIES_BYTES = 256_000_000
const LINE_FEED = 10

/**
 * The series of a configuration. Files are read when the mock reads the rows.
 * @throws PriceFeedMockError OPTIONS_INVALID for feeds that do not belong to the files
 */
export function toSeriesInputs(
  config: Pick<Config, 'series' | 'as' | 'seriesAt'>,
  feeds: readonly Feed[] = catalogueFeeds(),
): readonly SeriesInput[] {
  const { series = [], as = [], seriesAt } = config
  if (series.length === 0 && (as.length > 0 || seriesAt !== undefined))
    throw new PriceFeedMockError('OPTIONS_INVALID', `${as.length > 0 ? '--as' : '--series-at'} needs --series.`, {
      fix: 'name the file of the rows: --series btc.csv --as BTCUSD',
    })
  if (as.length > 0 && as.length !== series.length)
    throw new PriceFeedMockError('OPTIONS_INVALID', `There are ${series.length} × --series and ${as.length} × --as.`, {
      want: 'one --as for each --series, in the same order, empty for the default; or none',
    })
  return namedSeries(config).map(({ file, feed }): SeriesInput => {
    const stem = basename(file, extname(file))
    // Read again by each run of a hunt.
    const rows = { [Symbol.iterator]: () => partsOf(file) }
    return { as: feed ?? findFeed(feeds, stem)?.id, rows, name: file }
  })
}

function* partsOf(path: string): Generator<string> {
  const decoder = new TextDecoder()
  let size = 0
  let isRecording = false
  let last: number | undefined
  try {
    for (const chunk of chunksOf(path)) {
      isRecording ||= size === 0 && chunk.toString('latin1', 0, RECORDING_HEADER.length) === RECORDING_HEADER
      size += chunk.length
      last = chunk.at(-1)
      if (size > MAX_SERIES_BYTES) throw tooLarge(path, '--series', MAX_SERIES_BYTES)
      yield decoder.decode(chunk, { stream: true })
    }
  } catch (error) {
    throw fileError(path, '--series', error, 'file')
  }
  // `record` ends each row, so the last number may lack digits.
  if (isRecording && last !== LINE_FEED)
    throw new PriceFeedMockError('FILE_UNREADABLE', `${path} is a recording whose last row was cut off.`, {
      fix: `end the row with a new line if it is whole, or remove it, or continue: npx price-feed-mock record … --out ${path}`,
      at: resolve(path),
      from: '--series',
    })
  yield decoder.decode()
}
