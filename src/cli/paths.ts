// What stands at a path, for those who choose by it: it never throws, for whoever reads the path tells why it cannot be read.
import { lstatSync, type Stats, statSync } from 'node:fs'

/** What can stand at a path; a link only where it leads nowhere, a pipe for devices too. */
export type Kind = 'file' | 'folder' | 'link' | 'pipe'

/** What stands at a path, behind all links; undefined where there is nothing. */
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
