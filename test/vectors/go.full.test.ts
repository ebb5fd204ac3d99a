// The vectors in Go, with its standard library alone. Compiling takes some seconds.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { missingProgram, needs } from '../support/needs.js'

const run = promisify(execFile)

it('behavior: Go agrees with every vector', needs(missingProgram('go')), async () => {
  const { stdout } = await run('go', ['run', fileURLToPath(new URL('../../fixtures/check.go', import.meta.url))])
  expect(stdout).toMatch(/^\d+ vectors, all as expected\n$/)
})
