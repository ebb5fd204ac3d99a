// Follows scenario files: a change is applied anew to the sessions that run it, and a broken edit keeps the last good one.
import { dirname, resolve } from 'node:path'
import { isPriceFeedMockError } from '../errors.js'
import type { Mock } from '../mock.js'
import type { Scenario } from '../scenario/scenario.js'
import { readJsonFile } from './json-file.js'
import { kindAt } from './paths.js'
import { findNamesakes, listScenarioFiles, toScenarioName } from './scenario-files.js'
import { watchFolders } from './watch-folders.js'

/** What is followed. */
export interface Tracked {
  /** Files by the name of their scenario, which the mock knows already. */
  readonly files: Readonly<Record<string, string>>
  /** A folder in which files come and go. */
  readonly folder?: string | undefined
}

/** A file that is followed. */
interface Followed {
  readonly path: string
  /** What was last told of it: its scenario, or what is wrong; undefined for one that is new. */
  told?: string | undefined
  /** Whether a scenario of it was ever applied. */
  hasGoodOne: boolean
}

/**
 * Follows scenario files until the function that it returns is called.
 * @param tell is handed a line for people after each change
 */
export function watchScenarios(mock: Mock, { files, folder }: Tracked, tell: (line: string) => void): () => void {
  const root = folder === undefined ? undefined : resolve(folder)
  /** By absolute path. */
  const followed = new Map<string, Followed>()
  for (const [name, path] of Object.entries(files))
    if (isReadAgain(path))
      followed.set(resolve(path), { path, told: toText(mock.scenarios.get(name)), hasGoodOne: true })
  const folders = new Set([...followed.keys()].map(whole => dirname(whole)).concat(root ?? []))
  if (folders.size === 0) tell('--watch has nothing to follow: give --scenario FILE or --scenarios FOLDER.')

  let hasFolder = true
  /** Takes up the files that are new in the folder; tells it once when the folder goes or comes back. */
  const lookInto = (folder: string): void => {
    const had = hasFolder
    try {
      for (const path of listScenarioFiles(folder, '--watch'))
        if (!followed.has(resolve(path)) && !isHidden(path)) followed.set(resolve(path), { path, hasGoodOne: false })
      hasFolder = true
      if (!had) tell(`${folder} is there again.`)
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      hasFolder = false
      const became = kindAt(folder) === undefined ? 'has gone' : 'can no longer be read'
      if (had) tell(`${folder} ${became}: the last good scenarios stay.`)
    }
  }
  /** Whether a file of the folder gives way to one elsewhere that was named. */
  const isHidden = (path: string): boolean => {
    const named = files[toScenarioName(path)]
    return named !== undefined && dirname(resolve(named)) !== root
  }
  /** One that is there keeps its name; one that was renamed or removed gives it on. */
  const assertAlone = ({ path }: Followed): void => {
    const others = [...followed.values()].filter(other => other.hasGoodOne && kindAt(other.path) !== undefined)
    const [error] = others.flatMap(other => findNamesakes([other.path, path]))
    if (error !== undefined) throw error
  }

  const look = (file: Followed): void => {
    const { path, told, hasGoodOne } = file
    try {
      const data = readJsonFile(path, '--watch')
      assertAlone(file)
      const scenario = mock.scenarios.set(toScenarioName(path), data, path)
      if (told === toText(scenario)) return
      Object.assign(file, { told: toText(scenario), hasGoodOne: true })
      const became = told === undefined ? 'is new' : hasGoodOne ? 'has changed' : 'is valid now'
      tell(`${path} ${became}: ${applyAnew(mock, scenario)}.`)
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      const hasGone = kindAt(path) === undefined
      // What never did anything is not missed.
      if (hasGone && !hasGoodOne) followed.delete(resolve(path))
      else if (told !== error.message) {
        const became = hasGone ? 'has gone' : `${told === undefined ? 'is new' : 'has changed'} and is not valid`
        const rest = hasGoodOne ? 'the last good one stays' : 'it is not applied'
        tell(`${path} ${became}: ${rest}.\n${error.name}: ${error.message}`)
      }
      file.told = error.message
    }
  }
  const lookAtAll = (): void => {
    if (folder !== undefined) lookInto(folder)
    for (const [whole, file] of followed)
      if (isReadAgain(file.path) && (hasFolder || dirname(whole) !== root)) look(file)
  }

  const unwatch = watchFolders([...folders], lookAtAll, tell)
  // For what has changed since the server read it.
  lookAtAll()
  return unwatch
}

/** Pipes are read once: one that nobody writes to any more would stop the server. */
const isReadAgain = (path: string): boolean => kindAt(path) !== 'pipe'

/** By which two scenarios are the same. */
const toText = ({ source }: Scenario): string => JSON.stringify(source)

/** Applies a scenario to the sessions that run the one of its name; returns which those are. */
function applyAnew(mock: Mock, { name }: Scenario): string {
  const now = Date.now()
  const running = mock.sessions.list().filter(({ context }) => context.scenario.scenario.name === name)
  for (const session of running) session.change({ scenario: name }, now)
  return running.length > 0 ? `applied anew to ${running.map(({ id }) => id).join(', ')}` : 'no session runs it'
}
