// Follows scenario files: a change is applied anew to the sessions that run it, and a broken edit keeps the last good one.
import { existsSync, type FSWatcher, watch } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isPriceFeedMockError } from '../errors.js'
import type { Mock } from '../mock.js'
import { readJsonFile } from './json-file.js'
import { listScenarioFiles, toScenarioName } from './scenario-files.js'

const became = (path: string): string => (existsSync(path) ? 'has changed and is not valid' : 'has gone')

/** What is followed. */
export interface Watched {
  /** Files by the name of their scenario. */
  readonly files: Readonly<Record<string, string>>
  /** A folder in which new ones may appear. */
  readonly folder?: string | undefined
}

/** Editors write a file in several steps: what follows within this many milliseconds is one change. */
const SETTLED_MS = 50

/**
 * Follows scenario files until the function that it returns is called.
 * @param tell is handed a line for people after each change
 */
export function watchScenarios(mock: Mock, { files, folder }: Watched, tell: (line: string) => void): () => void {
  const texts = new Map<string, string>()
  const read = (path: string): unknown => readJsonFile(path, '--watch')
  const remember = (path: string): void => {
    try {
      texts.set(resolve(path), JSON.stringify(read(path)))
    } catch {
      // It was told when the server started, or will be when it changes.
    }
  }
  const followed = (): string[] => [
    ...new Set([...Object.values(files), ...(folder === undefined ? [] : listScenarioFiles(folder, '--watch'))]),
  ]
  for (const path of followed()) remember(path)

  const look = (path: string): void => {
    const name = Object.keys(files).find(known => resolve(files[known]!) === resolve(path)) ?? toScenarioName(path)
    try {
      const data = read(path)
      const text = JSON.stringify(data)
      if (texts.get(resolve(path)) === text) return
      mock.scenarios.set(name, data, path)
      texts.set(resolve(path), text)
      const now = Date.now()
      const running = mock
        .sessions(now)
        .list()
        .filter(({ world }) => world.scenario.scenario.name === name)
      for (const session of running) session.change({ scenario: name }, now)
      const where = running.map(({ id }) => id).join(', ')
      tell(`${path} has changed: ${running.length > 0 ? `applied anew to ${where}` : 'no session runs it'}.`)
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      // A file is empty for a moment while it is written: only what stays is told.
      if (texts.get(resolve(path)) !== error.message)
        tell(`${path} ${became(path)}: the last good one stays.\n${error.name}: ${error.message}`)
      texts.set(resolve(path), error.message)
    }
  }

  let timer: NodeJS.Timeout | undefined
  const onChange = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      for (const path of followed()) look(path)
    }, SETTLED_MS)
  }
  // Folders, not files: editors put a new file in the place of the old one.
  const folders = new Set([
    ...Object.values(files).map(path => dirname(path)),
    ...(folder === undefined ? [] : [folder]),
  ])
  const watchers: FSWatcher[] = [...folders].map(path => watch(path, onChange))
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
