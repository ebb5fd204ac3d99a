// The tests that the console offers to copy: one for each fault, run and type-checked in a project of their own.
import { expect, inject, it } from 'vitest'
import type { FaultEntry } from '../../console/src/faults/entry.js'
import { toSnippet } from '../../console/src/faults/snippets.js'
import { FAULTS } from '../../src/faults/index.js'
import { createConsumer } from './consumer.js'

const TARGET = { url: 'http://127.0.0.1:4700', session: 'default', apiKey: 'test-api-key', feed: 'BTCUSD' }

it('behavior: each passes, and its types check', async ({ signal }) => {
  expect(inject('buildProblem')).toBe('')
  const files = FAULTS.flatMap(({ name, example }) => {
    const feeds = name.startsWith('market/') ? { feeds: ['BTCUSD'] } : {}
    const entry: FaultEntry = {
      fault: name,
      ...feeds,
      ...(example === undefined ? {} : { options: { ...(example as object) } }),
    }
    const file = name.replace('/', '-')
    return [
      [`${file}.test.ts`, toSnippet('Vitest', [entry], TARGET)],
      [`${file}.spec.ts`, toSnippet('Playwright', [entry], TARGET)],
    ]
  })
  const { run } = createConsumer('console-snippets', {
    ...Object.fromEntries(files),
    'vitest.config.js': "export default { test: { include: ['*.test.ts'], isolate: false, testTimeout: 60000 } }",
    'tsconfig.json': JSON.stringify({
      compilerOptions: { target: 'es2023', module: 'nodenext', types: ['node'], strict: true, noEmit: true },
    }),
  })
  const { output } = await run('vitest/vitest.mjs', ['run'], { signal })
  expect(output).toMatch(new RegExp(`Tests {2}${FAULTS.length} passed`))
  expect(await run('typescript/bin/tsc', [], { signal })).toEqual({ status: 0, output: '' })
})
