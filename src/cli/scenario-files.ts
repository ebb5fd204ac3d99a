// A user's scenarios: one file, or a folder of them, as data by name. What is in them is judged where the faults are known.
import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { PriceFeedMockError } from '../errors.js'
import { BUILT_IN } from '../scenario/built-in.js'
import { SCENARIO_NAME } from '../scenario/scenarios.js'
import { fileError, isInline, readJsonFile } from './json-file.js'
import { kindAt } from './paths.js'

/** Scenarios by name, with the files that they came from. */
export interface ScenarioFiles {
  readonly scenarios: Readonly<Record<string, unknown>>
  /** By name. */
  readonly files: Readonly<Record<string, string>>
}

/** What `--scenario` asks for. */
export interface ChosenScenario extends ScenarioFiles {
  /** The name to apply, or the scenario that was given inline. */
  readonly scenario: string | Record<string, unknown>
}

/**
 * The files of scenarios in a folder. What begins with a dot is an editor's: a lock, a copy.
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function listScenarioFiles(folder: string, from: string): string[] {
  try {
    return readdirSync(folder)
      .filter(file => file.endsWith('.json') && file !== 'schema.json' && !file.startsWith('.'))
      .sort()
      .map(file => join(folder, file))
  } catch (error) {
    throw fileError(folder, from, error, 'folder')
  }
}

/**
 * Reads scenario files; the name of each is that of its file.
 * @param onError told of each that cannot be read, and of those that share a name, instead of an error
 */
export function readScenarioFiles(
  paths: readonly string[],
  from: string,
  onError: (error: PriceFeedMockError) => void,
): ScenarioFiles {
  const scenarios: Record<string, unknown> = {}
  const files: Record<string, string> = {}
  for (const error of findNamesakes(paths)) onError(error)
  for (const path of paths) {
    const name = toScenarioName(path)
    try {
      scenarios[name] = readJsonFile(path, from)
      files[name] = path
    } catch (error) {
      onError(error as PriceFeedMockError)
    }
  }
  return { scenarios, files }
}

/**
 * What `--scenario` asks for: JSON that stands there, a name that is known, or a file.
 * @param known scenarios of the user's own
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function chooseScenario(given: string, from: string, known: ScenarioFiles): ChosenScenario {
  if (isInline(given)) return { ...known, scenario: readJsonFile(given, from) as Record<string, unknown> }
  if (!isFile(given, known)) return { ...known, scenario: given }
  const name = toScenarioName(given)
  const scenarios = { ...known.scenarios, [name]: readJsonFile(given, from) }
  return { scenario: name, scenarios, files: { ...known.files, [name]: given } }
}

/** A name is no file, even where a file has that name; what looks like a path is one, even where there is none. */
function isFile(given: string, { scenarios }: ScenarioFiles): boolean {
  if (Object.hasOwn(scenarios, given) || Object.hasOwn(BUILT_IN, given)) return false
  return /[/\\]|\.json$/.test(given) || kindAt(given) !== undefined
}

/** The name of a scenario by that of its file: what no path or key could hold becomes a dash. */
export function toScenarioName(path: string): string {
  const name = basename(path, '.json')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 51)
  return SCENARIO_NAME.test(name) ? name : `file-${name}`.slice(0, 51)
}

/** An error for each name that files of one folder share: their scenarios would hide each other. */
export function findNamesakes(paths: readonly string[]): PriceFeedMockError[] {
  const byName = new Map<string, string[]>()
  for (const [whole, path] of new Map(paths.map(path => [resolve(path), path]))) {
    const place = join(dirname(whole), toScenarioName(path))
    byName.set(place, [...(byName.get(place) ?? []), path])
  }
  return [...byName.values()].filter(({ length }) => length > 1).map(shareName)
}

function shareName(paths: readonly string[]): PriceFeedMockError {
  return new PriceFeedMockError('SCENARIO_INVALID', `${paths.join(' and ')} have one scenario name.`, {
    details: [
      ['got', JSON.stringify(toScenarioName(paths[0]!))],
      ['want', 'a name for each: what is not a letter, a digit, . _ or - becomes a dash, and 51 characters count'],
      ['fix', 'rename one of them'],
      ['docs', 'docs/scenarios.md'],
    ],
  })
}
