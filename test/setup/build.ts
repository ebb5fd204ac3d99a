// Before any test: compiles the program if its sources are newer, as `npm run mock` does.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The compile error of the program; empty without one. Tests that run the program check it. */
    buildProblem: string
  }
}

const SCRIPT = fileURLToPath(new URL('../../scripts/mock.mjs', import.meta.url))

// Another run may be building: this waits for it.
export function setup(project: TestProject): void {
  project.provide('buildProblem', process.env.WITHOUT_BUILD ? 'WITHOUT_BUILD is set' : build())
}

function build(): string {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, '--version'], { encoding: 'utf8', timeout: 180_000 })
  return status === 0 ? '' : stderr || 'the program does not start'
}
