// Reports changes in folders, also in folders that are removed, created again or replaced. The caller finds out the change.
import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { kindAt } from './paths.js'

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
