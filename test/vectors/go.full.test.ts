// The vectors in Go, with its standard library alone. Compiling takes some seconds.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const hasGo = await run('go', ['version']).then(
  () => true,
  () => false,
)

it.runIf(hasGo)('behavior: Go agrees with every vector', async () => {
  const files = ['format-vectors', 'signing-vectors', 'published-responses'].map(name =>
    pathOf(`../../fixtures/${name}.json`),
  )
  const { stdout } = await run('go', ['run', pathOf('check.go'), ...files])
  expect(stdout).toMatch(/^\d+ vectors, all as expected\n$/)
})
