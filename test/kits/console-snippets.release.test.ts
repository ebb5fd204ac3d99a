// The tests that the console offers to copy: one for each fault, run and type-checked in a project of their own.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, inject, it } from 'vitest'
import type { FaultEntry } from '../../console/src/faults/entry.js'
import { toSnippet } from '../../console/src/faults/snippets.js'
import { FAULTS } from '../../src/faults/index.js'
import { startServer } from '../../src/hosts/node/server.js'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { missingProgram, needs } from '../support/needs.js'
import { serveTicker } from '../support/ticker.js'
import { createConsumer } from './consumer.js'

const addresses = (url: string) => ({ url, baseUrl: url, historyUrl: url })
const TARGET = {
  ...addresses('http://127.0.0.1:4700'),
  needsToken: false,
  session: 'default',
  apiKey: 'test-api-key',
  feed: 'BTCUSD',
}

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

it('behavior: Playwright runs some of them with the ticker as the app', needs(NO_CHROMIUM), async ({ signal }) => {
  const ticker = await serveTicker('ticker-of-snippets')
  const entries: readonly FaultEntry[] = [
    { fault: 'market/stale', feeds: ['BTCUSD'], options: { age: '5m' } },
    { fault: 'reply/status', options: { status: 401 } },
    { fault: 'wire/reset' },
  ]
  const specs = entries.map(entry => [
    `${entry.fault.replace('/', '-')}.spec.ts`,
    toSnippet('Playwright', [entry], TARGET).replace('http://localhost:5173', ticker.url),
  ])
  const { run } = createConsumer('console-snippets-playwright', {
    ...Object.fromEntries(specs),
    'playwright.config.js': `export default { workers: 1, reporter: 'line', use: { launchOptions: ${JSON.stringify(CHROMIUM)} } }`,
  })
  const { status, output } = await run('@playwright/test/cli.js', ['test'], { signal })
  await ticker.close()
  expect(output).toContain(`${entries.length} passed`)
  expect(status).toBe(0)
})

it('behavior: a shell runs the commands of curl', needs(missingProgram('curl')), async ({ signal }) => {
  const server = await startServer({ port: 0 })
  const entry = { fault: 'reply/status', options: { status: 503 } }
  const commands = toSnippet('curl', [entry], { ...TARGET, ...addresses(server.url) })
  const { stdout } = await promisify(execFile)('sh', ['-c', commands], { signal })
  expect(stdout).toContain('HTTP/1.1 503')
  expect(stdout).toContain('x-price-feed-mock: ')
  await server.stop()
})
