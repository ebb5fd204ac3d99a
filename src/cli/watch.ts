// `--watch`: reloads scenario files when they change. A changed scenario is applied again to the sessions that run it, and an
// invalid file leaves the last valid version in place.
import { type FSWatcher, realpathSync, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { isPriceFeedMockError, tryTo } from '../errors.js'
import type { Mock } from '../mock.js'
import type { Scenario } from '../scenario/scenario.js'
import { changed, type Step } from '../service/changes.js'
import { kindAt, parseStrictJson, readText } from './files.js'
import { findDuplicateNames, listScenarioFiles, toScenarioName } from './input-files.js'

/** The files and the folder to watch. */
export interface WatchTargets {
  /** Files by the name of their scenario. The mock has loaded them already. */
  readonly files: Readonly<Record<string, string>>
  /** A folder in which files can be added and removed. */
  readonly folder?: string | undefined
}

interface WatchedFile {
  readonly path: string
  /** The last reported state: the text of the scenario, or the error message. Undefined for a new file. */
  lastReported?: string | undefined
  /** The content of its valid version, which needs no second look: a change of one of hundreds would hold up requests. */
  content?: string | undefined
  hasValidVersion: boolean
}

/**
 * Watches scenario files until the returned function is called.
 * @param report receives a message after each change
 */
export function watchScenarios(
  mock: Mock,
  { files, folder }: WatchTargets,
  report: (message: string) => void,
): () => void {
  const root = folder === undefined ? undefined : resolve(folder)
  /** By absolute path. */
  const watched = new Map<string, WatchedFile>()
  for (const [name, path] of Object.entries(files))
    if (isRereadable(path))
      watched.set(resolve(path), { path, lastReported: toText(mock.scenarios.get(name)), hasValidVersion: true })
  let hasFolder = true
  /** Adds the new files of the folder. Reports once when the folder disappears or is back. */
  const scanFolder = (folder: string): void => {
    const hadFolder = hasFolder
    try {
      for (const path of listScenarioFiles(folder, '--watch'))
        if (!watched.has(resolve(path)) && !isOverridden(path))
          watched.set(resolve(path), { path, hasValidVersion: false })
      hasFolder = true
      if (!hadFolder) report(`${folder} is back.`)
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      hasFolder = false
      const change = kindAt(folder) === undefined ? 'was removed' : 'can no longer be read'
      if (hadFolder) report(`${folder} ${change}: the last valid scenarios stay.`)
    }
  }
  /** Whether `--scenario` names a file elsewhere that has the same scenario name. */
  const isOverridden = (path: string): boolean => {
    const name = toScenarioName(path)
    // `toString` is in every object.
    return Object.hasOwn(files, name) && dirname(resolve(files[name]!)) !== root
  }
  /** An existing file keeps its scenario name. A renamed or removed file frees it. */
  const assertUniqueName = ({ path }: WatchedFile): void => {
    const others = [...watched.values()].filter(other => other.hasValidVersion && kindAt(other.path) !== undefined)
    const [error] = others.flatMap(other => findDuplicateNames([other.path, path]))
    if (error !== undefined) throw error
  }

  const reload = (file: WatchedFile): void => {
    const { path, lastReported, hasValidVersion } = file
    try {
      const content = readText(path, '--watch')
      if (content === file.content) return
      const data = parseStrictJson(content, path, '--watch')
      assertUniqueName(file)
      const scenario = mock.scenarios.set(toScenarioName(path), data, path)
      file.content = content
      if (lastReported === toText(scenario)) return
      Object.assign(file, { lastReported: toText(scenario), hasValidVersion: true })
      const change = lastReported === undefined ? 'is new' : hasValidVersion ? 'has changed' : 'is valid now'
      report(`${path} ${change}: ${applyAgain(mock, scenario)}`)
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      file.content = undefined
      const wasRemoved = kindAt(path) === undefined
      // A file that was never valid can disappear silently.
      if (wasRemoved && !hasValidVersion) watched.delete(resolve(path))
      else if (lastReported !== error.message) {
        const change = `${lastReported === undefined ? 'is new' : 'has changed'} and is not valid`
        const effect = hasValidVersion ? 'the last valid version stays' : 'it is not applied'
        report(`${path} ${wasRemoved ? 'was removed' : change}: ${effect}.\n${error.name}: ${error.message}`)
      }
      file.lastReported = error.message
    }
  }
  const reloadAll = (): void => {
    if (folder !== undefined) scanFolder(folder)
    for (const [path, file] of watched)
      if (isRereadable(file.path) && (hasFolder || dirname(path) !== root)) reload(file)
  }

  if (folder !== undefined) scanFolder(folder)
  const folders = new Set([...watched.keys()].flatMap(foldersOf).concat(root ?? []))
  if (folders.size === 0) report('--watch has no files to watch: add --scenario FILE or --scenarios FOLDER.')
  const unwatch = watchFolders([...folders], reloadAll, (path, reason) =>
    report(`${path} cannot be watched: ${reason}.`),
  )
  // For changes since the server read the files.
  reloadAll()
  return unwatch
}

/** The folders in which edits of a file show: its own, and that of the file to which it is a link. */
function foldersOf(path: string): string[] {
  const folder = dirname(path)
  const target = tryTo(() => dirname(realpathSync(path)))
  return target === undefined || target === tryTo(() => realpathSync(folder)) ? [folder] : [folder, target]
}

/** A pipe can be read only once: reading it again would block the server. */
const isRereadable = (path: string): boolean => kindAt(path) !== 'pipe'

/** The text by which two versions of a scenario are compared. */
const toText = ({ source }: Scenario): string => JSON.stringify(source)

/** A change by a file does not keep a session from being evicted, as one by the admin API does. */
const keepingName =
  (step: Step): Step =>
  (record, runtime) => {
    const { record: next } = step(record, runtime)
    return { record: { ...next, setup: { ...next.setup, isNamed: record.setup.isNamed } } }
  }

/** Applies a scenario again to the sessions in which it runs. Returns which ones, and a line for each that cannot have it. */
function applyAgain(mock: Mock, { name }: Scenario): string {
  const now = Date.now()
  const ids: string[] = []
  const problems: string[] = []
  for (const session of mock.sessions.list()) {
    const { definition, endedAt } = session.runtime.scenario
    if (definition.name !== name || endedAt !== undefined) continue
    try {
      session.run(keepingName(changed({ scenario: name }, now)))
      ids.push(session.id)
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      problems.push(`\n${session.id} keeps the version that it had. ${error.name}: ${error.message}`)
    }
  }
  const effect = ids.length > 0 ? `applied again to ${ids.join(', ')}` : 'no session runs it'
  return `${ids.length === 0 && problems.length > 0 ? 'applied to no session' : effect}.${problems.join('')}`
}

/** Editors write a file in several steps: events within this many milliseconds count as one change. */
const SETTLED_MS = 50

/**
 * Watches folders until the returned function is called.
 * @param folders absolute paths, also of folders that do not exist yet
 * @param onChange called after each change, and sometimes without one
 * @param reportUnwatchable receives a folder that cannot be watched, and the reason
 */
export function watchFolders(
  folders: readonly string[],
  onChange: () => void,
  reportUnwatchable: (folder: string, reason: string) => void,
): () => void {
  const watchers: FSWatcher[] = []
  const reported = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const close = (): void => {
    clearTimeout(timer)
    for (const watcher of watchers.splice(0)) watcher.close()
  }
  const onEvent = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      // Open all watchers again: a watcher stays with its original folder, which may have been replaced.
      open()
      onChange()
    }, SETTLED_MS)
  }
  /** Returns the error if the folder cannot be watched. */
  const listen = (folder: string, names?: readonly string[]): unknown => {
    try {
      const watcher = watch(folder, (_, name) => {
        if (names === undefined || name === null || names.includes(name)) onEvent()
      })
      // Some systems emit an error when a folder is removed.
      watchers.push(watcher.on('error', onEvent))
      return undefined
    } catch (error) {
      return error
    }
  }
  const open = (): void => {
    close()
    for (const folder of folders) {
      // Of the parent folder only the entries that lead to the folder matter. A parent that is not readable is skipped.
      const [parent, name] = findParent(folder)
      listen(parent, [basename(parent), name])
      const error = listen(folder)
      if (error === undefined || kindAt(folder) !== 'folder' || reported.has(folder)) continue
      reported.add(folder)
      reportUnwatchable(folder, (error as Error).message)
    }
  }
  open()
  return close
}

/** The nearest existing folder above a folder, and the name in it that leads there. */
function findParent(folder: string): [parent: string, name: string] {
  const parent = dirname(folder)
  return parent === dirname(parent) || kindAt(parent) === 'folder' ? [parent, basename(folder)] : findParent(parent)
}
