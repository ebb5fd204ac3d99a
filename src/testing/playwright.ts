// The kit for Playwright: each test gets a session of its own on a server of its worker, and a page whose clock goes with it.
import { test as base, type Page } from '@playwright/test'
import { type RunningServer, type ServerOptions, startServer } from '../hosts/node/server.js'
import { openPriceFeed, type PriceFeed, type PriceFeedOptions } from './price-feed.js'

export { expect } from '@playwright/test'
export type { PriceFeed, PriceFeedOptions, RequestFilter, SessionClock } from './price-feed.js'

/** What tests are given. */
export interface PriceFeedFixtures {
  /** What the session of a test begins with: `test.use({ priceFeedOptions: { scenario: 'stale-btc' } })`. */
  priceFeedOptions: PriceFeedOptions
  /** A session that belongs to the test alone. Its clock moves that of the page. */
  priceFeed: PriceFeed
}

/** What workers are given. */
export interface PriceFeedWorkerFixtures {
  /** How the server of a worker is started. */
  priceFeedServerOptions: ServerOptions
  priceFeedServer: RunningServer
}

/**
 * `test` of Playwright with `priceFeed`; `Date` and timers of the page follow the clock of the session.
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
  priceFeed: async ({ page, priceFeedServer, priceFeedOptions }, use) => {
    const place = { url: priceFeedServer.url, fetch: globalThis.fetch }
    const { feed, end } = await openPriceFeed(place, priceFeedOptions)
    await use({ ...feed, clock: await followedBy(page, feed, isFrozen(priceFeedOptions)) })
    await end()
  },
})

const isFrozen = ({ clock }: PriceFeedOptions): boolean => clock?.frozen ?? false

/** The clock of a session, with that of a page behind it. */
async function followedBy(page: Page, { clock }: PriceFeed, frozen: boolean): Promise<PriceFeed['clock']> {
  let last = await clock.now()
  let stands = frozen
  await page.clock.install({ time: last })
  if (stands) await page.clock.setFixedTime(last)

  /** The page goes where the session is: timers that were due on the way fire once, as after a closed lid. */
  const follow = async (): Promise<void> => {
    const now = await clock.now()
    if (now > last) await page.clock.fastForward(now - last)
    // Under a fixed time `Date` stands still and timers go on: a page that polls has to go on polling.
    if (stands) await page.clock.setFixedTime(now)
    else await page.clock.setSystemTime(now)
    last = now
  }
  return {
    now: clock.now,
    async set(at) {
      await clock.set(at)
      await follow()
    },
    async advance(by) {
      await clock.advance(by)
      await follow()
    },
    async freeze() {
      await clock.freeze()
      stands = true
      await follow()
    },
    async run(speed) {
      await clock.run(speed)
      stands = false
      await follow()
    },
  }
}
