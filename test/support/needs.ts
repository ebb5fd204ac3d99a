// Programs that tests need besides Node. Where one is missing, they are skipped, and the end of the run counts and names it.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestOptions } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** The missing thing for which a test is skipped, and how to get it. */
    missing?: string
  }
}

/** Debian's packages of programs that have another name. */
const PACKAGES: Readonly<Record<string, string>> = {
  WebKitWebDriver: 'webkit2gtk-driver',
  go: 'golang-go',
  mkfifo: 'coreutils',
  nginx: 'nginx-light',
  'xvfb-run': 'xvfb',
}

/** The paths of the programs of these names in PATH. */
export function findPrograms(names: readonly string[], path = process.env.PATH ?? ''): string[] {
  const folders = path.split(delimiter).filter(Boolean)
  return names.flatMap(name => folders.map(folder => join(folder, name))).filter(existsSync)
}

/** The reason to skip tests that need one of these programs; undefined if it is there. */
export function missingProgram(...names: readonly string[]): string | undefined {
  if (findPrograms(names).length > 0) return undefined
  return `No ${names.join(' or ')} found: run "apt-get install ${PACKAGES[names[0]!] ?? names[0]}".`
}

/** Options of a test or a block that is skipped for the first of these reasons that there is. */
export function needs(...missing: readonly (string | undefined)[]): TestOptions {
  const reason = missing.find(Boolean)
  return reason === undefined ? {} : { skip: true, meta: { missing: reason } }
}
