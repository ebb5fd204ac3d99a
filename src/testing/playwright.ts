// The kit for Playwright: each test gets a session of its own on a server of its worker, and pages whose clock goes with it.
import { test as base } from '@playwright/test'
import { type RunningServer, type ServerOptions, startServer } from '../hosts/node/server.js'
import { withPages } from './page-clock.js'
import { openPriceFeed, type PriceFeed, type PriceFeedOptions } from './price-feed.js'
import { onServer } from './test-target.js'

export { expect } from '@playwright/test'
export type { JournaledRequest, PriceFeed, PriceFeedOptions, RequestFilter, SessionClock } from './price-feed.js'
export type { Fetch } from './test-target.js'

/** What tests are given. */
export interface PriceFeedFixtures {
  /** What the session of a test begins with: `test.use({ priceFeedOptions: { scenario: 'stale-btc' } })`. */
  priceFeedOptions: PriceFeedOptions
  /** A session that belongs to the test alone. Its clock moves that of every page of `context`. */
  priceFeed: PriceFeed
}

/** What workers are given. */
export interface PriceFeedWorkerFixtures {
  /** How the server of a worker is started. */
  priceFeedServerOptions: ServerOptions
  /** The server of a worker. Who has one that runs already puts its address here. */
  priceFeedServer: Pick<RunningServer, 'url'>
}

/** A test of Playwright has 30000 ms unless it says otherwise, and pages ask at their leisure. */
const PATIENCE_MS = 15_000

/**
 * `test` of Playwright with `priceFeed`; `Date` and timers of the pages follow the clock of the session.
 * @example
 * test('a stale price is told', async ({ page, priceFeed }) => {
 *   await page.goto(`/?feed=${encodeURIComponent(priceFeed.baseUrl)}`)
 *   await priceFeed.setScenario('stale-btc')
 *   await priceFeed.clock.advance('2m')
 *   await expect(page.getByText('stale')).toBeVisible()
 * })
 */
export const test = base.extend<PriceFeedFixtures, PriceFeedWorkerFixtures>({
  priceFeedServerOptions: [{}, { scope: 'worker', option: true }],
  priceFeedServer: [
    async ({ priceFeedServerOptions }, use) => {
      const server = await startServer({ port: 0, ...priceFeedServerOptions })
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],
  priceFeedOptions: [{}, { option: true }],
  priceFeed: async ({ context, priceFeedServer, priceFeedOptions }, use) => {
    const open = await openPriceFeed(onServer(priceFeedServer.url), priceFeedOptions, PATIENCE_MS)
    try {
      await use(await withPages(open, context.clock))
    } finally {
      await open.end()
    }
  },
})
