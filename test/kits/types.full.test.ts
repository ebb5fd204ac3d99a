// The types of the kits in a project that has the package installed, with both kinds of module resolution.
import { readFileSync } from 'node:fs'
import { expect, inject, it } from 'vitest'
import { asConsumer, createConsumer } from './consumer.js'

const read = (name: string) => asConsumer(readFileSync(new URL(name, import.meta.url), 'utf8'))

const OPTIONS = {
  target: 'ES2023',
  lib: ['ES2023', 'DOM'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
}

const BOTH = `import { defineConfig } from '@playwright/test'
import { test as browserTest, expect, type PriceFeedFixtures, type PriceFeedWorkerFixtures } from 'price-feed-mock/playwright'
import { sharedServer, test, type JournaledRequest, type PriceFeed } from 'price-feed-mock/vitest'

export const setup = sharedServer({ seed: '42', clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
export const config = defineConfig<PriceFeedFixtures, PriceFeedWorkerFixtures>({
  use: { priceFeedOptions: { scenario: 'stale-btc' }, priceFeedServerOptions: { seed: '42' } },
})

const appTest = test.extend('ages', async ({ priceFeed }) => {
  const ages: number[] = [await priceFeed.clock.now()]
  return ages
})
appTest.override('priceFeedOptions', { clock: { frozen: true } })
appTest('both fixtures are there', async ({ ages, priceFeed }) => {
  const [age = 0] = ages
  const seen: JournaledRequest[] = await priceFeed.requests({ endpoint: 'latest', status: 200 })
  const { price }: { price: number | bigint } = await priceFeed.client.latest({ feedId: String(age + seen.length) })
  await priceFeed.clock.advance(Number(price))
  // @ts-expect-error there is no such endpoint
  await priceFeed.requests({ endpoint: 'lastest' })
  // @ts-expect-error there is no such option
  test.override('priceFeedOptions', { clocks: {} })
})

browserTest.use({ priceFeedOptions: { clock: { frozen: true } } })
browserTest('the same in a browser', async ({ page, priceFeed }) => {
  const same: PriceFeed = priceFeed
  await same.clock.run()
  await expect(page).toHaveURL(priceFeed.baseUrl)
})
`

const REPLIES = `import { createMock, type FeedId, type SignedPrice } from 'price-feed-mock'
import { createClient, type ExactInteger, type Replies } from 'price-feed-mock/client'
import { test } from 'price-feed-mock/vitest'

const reply: SignedPrice = await (await fetch('http://127.0.0.1:4700/prices/BTCUSD/latest')).json()
export const price: number = reply.price * 10 ** reply.expo
const batch: Replies['batch'] = JSON.parse('{}')
export const first: number | undefined = batch.prices[0]?.price
export const exact: SignedPrice<ExactInteger> = await createClient({ baseUrl: '' }).latest({ feedId: 'BTCUSD' })
// @ts-expect-error it may be a bigint
export const wrong: number = exact.price

const mine: string = 'ACMEUSD'
export const ids: readonly FeedId[] = ['BTCUSD', 'btcusd', mine]
createMock({ scenario: { faults: [{ fault: 'market/stale', feeds: ['BTCUSD', mine] }] } })
for (const minutes of [1, 2])
  createMock({ scenario: { faults: [{ fault: 'market/stale', from: \`\${minutes}m\`, options: { age: '90s' } }] } })
// @ts-expect-error no unit of time
createMock({ scenario: { faults: [{ fault: 'market/stale', from: '10 seconds' }] } })
// @ts-expect-error no unit of time
createMock({ scenario: { faults: [{ fault: 'market/stale', options: { age: '90 sec' } }] } })
createMock().clock.advance('2h')
createMock().clock.set('2025-07-24T10:48:25Z')
createMock().clock.set(new Date(0).toISOString())
// @ts-expect-error a date without a time
createMock().clock.set('2025-07-24')
// @ts-expect-error no time zone
createMock().clock.set('2025-07-24T10:48:25')
// @ts-expect-error no unit of time
createMock().clock.advance('2 hours')
test('prices', async ({ priceFeed }) => {
  await priceFeed.setPrices({ BTCUSD: 50_000, [mine]: null, ETHUSD: { price: 1, alone: true } })
  // @ts-expect-error a price is no text
  await priceFeed.setPrices({ BTCUSD: '50000' })
})
`

it.for(['nodenext', 'bundler'] as const)(
  'behavior: they check with module resolution %s',
  async (resolution, { signal }) => {
    expect(inject('buildProblem')).toBe('')
    const module = resolution === 'nodenext' ? 'nodenext' : 'esnext'
    const { run } = createConsumer(`kits-types-${resolution}`, {
      'tsconfig.json': JSON.stringify({ compilerOptions: { ...OPTIONS, module, moduleResolution: resolution } }),
      'both.ts': BOTH,
      'replies.ts': REPLIES,
      ...Object.fromEntries(
        [
          'playwright/app.ts',
          'playwright/html.ts',
          'playwright/clock.spec.ts',
          'playwright/session.spec.ts',
          'vitest/session.test.ts',
        ].map(name => [name, read(name)]),
      ),
    })
    const { status, output } = await run('typescript/bin/tsc', [], { signal })
    expect(output).toBe('')
    expect(status).toBe(0)
  },
)
