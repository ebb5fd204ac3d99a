// The kit for Playwright: each test gets its own session on the server of its worker, and pages that follow its clock.
import { test as base, type TestInfo } from '@playwright/test'
import { type RunningServer, type ServerOptions, startServer } from '../hosts/node/server.js'
import { withPages } from './page-clock.js'
import { openSession, type PriceFeed, type PriceFeedOptions } from './price-feed.js'
import { serverTarget } from './test-target.js'

export { expect } from '@playwright/test'
export * from './kit.js'

/** The fixtures of a test. */
export interface PriceFeedFixtures {
  /** Options of the session: `test.use({ priceFeedOptions: { scenario: 'stale-btc' } })`. */
  priceFeedOptions: PriceFeedOptions
  /** A session of this test only. All pages of `context` follow its clock. */
  priceFeed: PriceFeed
}

/** The fixtures of a worker. */
export interface PriceFeedWorkerFixtures {
  /** Options of the worker's server. */
  priceFeedServerOptions: ServerOptions
  /**
   * The worker's server. Override it with `{ url }` to use a server that is already running; `token` is that of its admin, by default
   * `PRICE_FEED_MOCK_ADMIN_TOKEN`.
   */
  priceFeedServer: Pick<RunningServer, 'url'> & { readonly token?: string | undefined }
}

/** Less than Playwright's default test timeout of 30000 ms, so that our error is reported first. */
const WAIT_TIMEOUT_MS = 15_000

/**
 * `test` of Playwright with `priceFeed`; `Date` and timers of the pages follow the clock of the session.
 * @example
 * test('shows a stale price', async ({ page, priceFeed }) => {
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
      await use({ url: server.url, token: priceFeedServerOptions.adminToken })
      await server.stop()
    },
    { scope: 'worker' },
  ],
  priceFeedOptions: [{}, { option: true }],
  priceFeed: async ({ context, priceFeedServer, priceFeedOptions }, use, testInfo) => {
    const open = await openSession(
      serverTarget(priceFeedServer.url, priceFeedServer.token),
      priceFeedOptions,
      WAIT_TIMEOUT_MS,
    )
    try {
      await use(await withPages(open, context.clock))
      if (testInfo.status !== testInfo.expectedStatus) await attachTimeline(testInfo, open.feed)
    } finally {
      await open.end()
    }
  },
})

/** Attaches the timeline of a failed test to its report, where the session can still give it. */
async function attachTimeline(testInfo: TestInfo, { timeline }: PriceFeed): Promise<void> {
  const body = await timeline().catch(() => '')
  if (body !== '') await testInfo.attach('price feed timeline', { body, contentType: 'text/plain' })
}
