// Tells that something happened in folders, also in those that go, come back or are replaced. What it was, others look at.
import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { kindAt } from './paths.js'

/** Editors write a file in several steps: what follows within this many milliseconds is one change. */
const SETTLED_MS = 50

/**
 * Watches folders until the function that it returns is called.
 * @param folders absolute paths, of which some may not be there yet
 * @param onChange is called after each change, and at times when there was none
 * @param tell is handed a line for people when a folder cannot be watched
 */
export function watchFolders(
  folders: readonly string[],
  onChange: () => void,
  tell: (line: string) => void,
): () => void {
  const watchers: FSWatcher[] = []
  const refused = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const close = (): void => {
    clearTimeout(timer)
    for (const watcher of watchers.splice(0)) watcher.close()
  }
  const onEvent = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      // Anew each time: a watcher stays with the folder that it began with, which may have been replaced.
      open()
      onChange()
    }, SETTLED_MS)
  }
  /** Returns what is in the way of it. */
  const listen = (folder: string, names?: readonly string[]): unknown => {
    try {
      const watcher = watch(folder, (_, name) => {
        if (names === undefined || name === null || names.includes(name)) onEvent()
      })
      // Some systems tell it as an error that a folder goes.
      watchers.push(watcher.on('error', onEvent))
      return undefined
    } catch (error) {
      return error
    }
  }
  const open = (): void => {
    close()
    for (const folder of folders) {
      // Much may happen above: only what stands on the way to the folder counts. Who may not look there does without.
      const [above, name] = findAbove(folder)
      listen(above, [basename(above), name])
      const error = listen(folder)
      if (error === undefined || kindAt(folder) !== 'folder' || refused.has(folder)) continue
      refused.add(folder)
      tell(`${folder} cannot be watched: ${(error as Error).message}.`)
    }
  }
  open()
  return close
}

/** The nearest folder above one that is there, and the name in it that leads on. */
function findAbove(folder: string): [above: string, name: string] {
  const above = dirname(folder)
  return above === dirname(above) || kindAt(above) === 'folder' ? [above, basename(folder)] : findAbove(above)
}
