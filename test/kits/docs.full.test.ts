// The code of docs/testing.md as a project of its own: the ticker, tested in a browser.
import { expect, inject, it } from 'vitest'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { needs } from '../support/needs.js'
import { serveTicker } from '../support/ticker.js'
import { createConsumer } from './consumer.js'
import { FILES } from './docs-page.js'

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
