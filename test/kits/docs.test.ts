// The code of docs/testing.md, as a project that holds nothing else: in process, on a shared server, and in a browser.
import { readFileSync } from 'node:fs'
import { expect, inject, it } from 'vitest'
import { CHROMIUM_FLAGS } from '../support/chromium-flags.js'
import { findChromium } from '../support/find-chromium.js'
import { serveTicker } from '../support/ticker.js'
import { createConsumer } from './consumer.js'

const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8')
/** The blocks of the page by the names in their first lines. */
const FILES = Object.fromEntries(
  [...page.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, file, code]) => [file!, code!]),
)

it('behavior: its tests pass in process and on a server, and their types check', async ({ signal }) => {
  expect(inject('buildProblem')).toBe('')
  expect(page.match(/```ts/g)).toHaveLength(Object.keys(FILES).length)
  const { run } = createConsumer('kits-docs', {
    ...FILES,
    'in-process.config.js': "export default { test: { include: ['*.test.ts'] } }",
    'tsconfig.json': JSON.stringify({
      compilerOptions: { target: 'es2023', module: 'nodenext', types: ['node'], strict: true, noEmit: true },
    }),
  })
  for (const config of ['in-process.config.js', 'vitest.config.ts']) {
    const args = ['run', '--config', config, '--testTimeout', '60000']
    const { status, output } = await run('vitest/vitest.mjs', args, { signal })
    expect(output).toMatch(/Tests {2}3 passed/)
    expect(status, output).toBe(0)
  }
  expect(await run('typescript/bin/tsc', [], { signal })).toEqual({ status: 0, output: '' })
})

it('behavior: the ticker is tested by it in a browser', async context => {
  const { executablePath, problem } = findChromium()
  if (problem !== undefined) return context.skip(problem)
  expect(inject('buildProblem')).toBe('')
  const ticker = await serveTicker('ticker-of-docs')
  context.onTestFinished(() => ticker.close())
  const { run } = createConsumer('kits-docs-browser', {
    ...FILES,
    'here.config.ts': `import config from './playwright.config.ts'
      const launchOptions = { executablePath: process.env.CHROMIUM, args: ${JSON.stringify(CHROMIUM_FLAGS)} }
      export default { ...config, timeout: 60_000, expect: { timeout: 20_000 }, use: { ...config.use, launchOptions } }`,
  })
  const { status, output } = await run('@playwright/test/cli.js', ['test', '--config', 'here.config.ts'], {
    signal: context.signal,
    environment: { CHROMIUM: executablePath, APP_URL: ticker.url },
  })
  expect(output).toContain('2 passed')
  expect(status, output).toBe(0)
})
