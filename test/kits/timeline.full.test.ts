// A test with a kit that fails shows the timeline of its session, by the means of its runner; one that passes shows none.
import { readFileSync } from 'node:fs'
import { expect, inject, it } from 'vitest'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { needs } from '../support/needs.js'
import { createConsumer } from './consumer.js'

const testsFor = (runner: 'vitest' | 'playwright'): string => `import { test } from 'price-feed-mock/${runner}'
import { expect } from '${runner === 'vitest' ? 'vitest' : '@playwright/test'}'

test('passes', async ({ priceFeed }) => {
  await priceFeed.client.latest({ feedId: 'ETHUSD' })
})

test('fails', async ({ priceFeed }) => {
  await priceFeed.setScenario('stale-btc')
  await priceFeed.client.latest({ feedId: 'BTCUSD' })
  expect(1).toBe(2)
})
`
const SEEN =
  /scenario stale-btc[\s\S]* #1 +\/prices\/BTCUSD\/latest +200, stale +BTCUSD [\d.]+, 300 s old +<- market\/stale/

it('default: vitest prints it, in process and on a shared server', async ({ signal }) => {
  expect(inject('buildProblem')).toBe('')
  const { run } = createConsumer('kits-timeline', {
    'one.test.js': `${testsFor('vitest')}
test.fails('is expected to fail', async ({ priceFeed }) => {
  await priceFeed.client.latest({ feedId: 'SOLUSD' })
  expect(1).toBe(2)
})
`,
    'vitest.config.js': `export default { test: { projects: [
      { extends: true, test: { name: 'in process' } },
      { extends: true, test: { name: 'shared server', globalSetup: ['setup.js'] } },
    ] } }`,
    'setup.js':
      "import { sharedServer } from 'price-feed-mock/vitest'\nexport const setup = sharedServer({ seed: '42' })\n",
  })
  const { status, output } = await run('vitest/vitest.mjs', ['run', '--testTimeout=60000'], { signal })
  expect(status, output).toBe(1)
  expect(output.match(/Timeline of the session /g), output).toHaveLength(2)
  expect(output.match(new RegExp(SEEN, 'g')), output).not.toBeNull()
  expect(output).not.toMatch(/ETHUSD\/latest|SOLUSD\/latest/)
})

it('default: Playwright attaches it', needs(NO_CHROMIUM), async ({ signal }) => {
  expect(inject('buildProblem')).toBe('')
  const { run, folder } = createConsumer('kits-timeline-browser', {
    'one.spec.ts': testsFor('playwright'),
    'playwright.config.ts': `export default {
      timeout: 60_000,
      reporter: [['json', { outputFile: 'report.json' }], ['line']],
      use: { launchOptions: ${JSON.stringify(CHROMIUM)} },
    }`,
  })
  const { status, output } = await run('@playwright/test/cli.js', ['test'], { signal })
  expect(status, output).toBe(1)
  expect(output).toContain('price feed timeline')
  const report = readFileSync(`${folder}/report.json`, 'utf8')
  const bodies = [
    ...report.matchAll(/"name": "price feed timeline",\s*"contentType": "text\/plain",\s*"body": "([^"]+)"/g),
  ]
  expect(bodies).toHaveLength(1)
  expect(Buffer.from(bodies[0]![1]!, 'base64').toString()).toMatch(SEEN)
})
