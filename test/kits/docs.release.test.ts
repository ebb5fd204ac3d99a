// The code of docs/testing.md as a project of its own: in process, on a shared server, and the ticker in a browser.
import { fileURLToPath } from 'node:url'
import { expect, inject, it } from 'vitest'
import { readExamples } from '../package/examples.js'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { needs } from '../support/needs.js'
import { serveTicker } from '../support/ticker.js'
import { createConsumer } from './consumer.js'
import { FILES } from './docs-page.js'

it('behavior: its tests pass in process and on a server, and its types check', async ({ signal }) => {
  expect(inject('buildProblem')).toBe('')
  // Blocks without a file name stand alone: test/package runs each of them.
  const parts = readExamples(fileURLToPath(new URL('../..', import.meta.url))).filter(
    ({ title, runner }) => title.startsWith('testing.md') && runner === 'project',
  )
  expect(parts.map(({ code }) => code.split('\n', 1)[0])).toEqual(Object.keys(FILES).map(file => `// ${file}`))
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
    expect(output).toMatch(/Tests {2}4 passed/)
    expect(status, output).toBe(0)
  }
  expect(await run('typescript/bin/tsc', [], { signal })).toEqual({ status: 0, output: '' })
})

it('behavior: its tests of the ticker pass in a browser', needs(NO_CHROMIUM), async context => {
  expect(inject('buildProblem')).toBe('')
  const ticker = await serveTicker('ticker-of-docs')
  context.onTestFinished(() => ticker.close())
  const { run } = createConsumer('kits-docs-browser', {
    ...FILES,
    'here.config.ts': `import config from './playwright.config.ts'
      const launchOptions = ${JSON.stringify(CHROMIUM)}
      export default { ...config, timeout: 60_000, expect: { timeout: 20_000 }, use: { ...config.use, launchOptions } }`,
  })
  const { status, output } = await run('@playwright/test/cli.js', ['test', '--config', 'here.config.ts'], {
    signal: context.signal,
    environment: { APP_URL: ticker.url },
  })
  expect(output).toContain('2 passed')
  expect(status, output).toBe(0)
})
