// Kind of file at a path. Never throws; the reader reports errors.
import { lstatSync, type Stats, statSync } from 'node:fs'

/** A kind of file. `link` is a broken link; `pipe` includes devices. */
export type Kind = 'file' | 'folder' | 'link' | 'pipe'

/** The kind of file at a path, after following links; undefined if nothing is there. */
export function kindAt(path: string): Kind | undefined {
  const stats = attempt(() => statSync(path)) ?? attempt(() => lstatSync(path))
  if (stats === undefined) return undefined
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'pipe'
}

function attempt(look: () => Stats): Stats | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
