// The folder of this repository, and empty ones for tests, removed after them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

/** The folder of this repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Creates a folder.
 * @param onEnd `onTestFinished` in a test, and before each
 */
export function createFolder(onEnd: (remove: () => void) => void = afterAll): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-mock-')))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes files below a folder, by their paths there. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}
