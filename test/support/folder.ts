// An empty folder for tests, removed after them.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/**
 * Creates a folder.
 * @param onEnd `onTestFinished` in a test, and before each
 */
export function createFolder(onEnd: (remove: () => void) => void = afterAll): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'price-feed-mock-')))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
