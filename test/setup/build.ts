// Before any test: the program is compiled if its sources are newer, the way `npm run mock` does it.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Why the program could not be compiled; empty when it was. Only tests that run it need to care. */
    buildProblem: string
  }
}

const SCRIPT = fileURLToPath(new URL('../../scripts/mock.mjs', import.meta.url))

export function setup(project: TestProject): void {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, '--version'], { encoding: 'utf8', timeout: 60_000 })
  project.provide('buildProblem', status === 0 ? '' : stderr || 'the program does not start')
}
