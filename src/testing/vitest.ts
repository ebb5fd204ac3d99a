// The kit for vitest: each test gets a session of its own, in process, or on a server that all of them share.
import { test as base, inject, type TestAPI } from 'vitest'
import type { TestProject } from 'vitest/node'
import type { ServerOptions } from '../hosts/node/server.js'
import type { MockOptions } from '../mock.js'
import { openPriceFeed, type PriceFeed, type PriceFeedOptions } from './price-feed.js'
import { placeOf } from './test-target.js'

export type { JournaledRequest, PriceFeed, PriceFeedOptions, RequestFilter, SessionClock } from './price-feed.js'
export type { Fetch } from './test-target.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the server that tests share. */
    priceFeedMockUrl?: string
  }
}

/** What tests are given. */
export interface PriceFeedFixtures {
  /**
   * What the mock of a test in process is made with: feeds, scenarios of your own. On a shared server they are refused: `sharedServer` is told.
   * @default the catalogue and the scenarios that come with the mock
   */
  priceFeedMockOptions: MockOptions
  /** What the session of a test begins with; `test.override('priceFeedOptions', { scenario: 'stale-btc' })` for a group of tests. */
  priceFeedOptions: PriceFeedOptions
  /** A session that belongs to the test alone. */
  priceFeed: PriceFeed
}

/** A test of vitest has 5000 ms unless it says otherwise: what it waits for in vain is told before. */
const PATIENCE_MS = 4000

/**
 * `test` of vitest with `priceFeed`: in process, unless a global setup has started a server with `sharedServer`.
 * @example
 * test('a stale price is told', async ({ priceFeed }) => {
 *   await priceFeed.setScenario('stale-btc')
 *   const { ts } = await priceFeed.client.latest({ feedId: 'BTCUSD' })
 *   await priceFeed.expectFaultsFired()
 * })
 */
export const test: TestAPI<PriceFeedFixtures> = isAmongTests() ? extendTest() : (base as TestAPI<PriceFeedFixtures>)

function extendTest(): TestAPI<PriceFeedFixtures> {
  return base.extend<PriceFeedFixtures>({
    priceFeedMockOptions: {},
    priceFeedOptions: {},
    priceFeed: async ({ priceFeedMockOptions, priceFeedOptions }, use) => {
      const place = placeOf(inject('priceFeedMockUrl'), priceFeedMockOptions)
      const { feed, end } = await openPriceFeed(place, priceFeedOptions, PATIENCE_MS)
      await use(feed)
      await end()
    },
  })
}

/** Whether this is loaded where tests run. A global setup is loaded elsewhere, and there vitest has no test to extend. */
function isAmongTests(): boolean {
  try {
    inject('priceFeedMockUrl')
    return true
  } catch {
    return false
  }
}

/**
 * A global setup that starts one server for all test files.
 * @example
 * // price-feed.setup.ts, named in `globalSetup` of vitest.config.ts
 * import { sharedServer } from 'price-feed-mock/vitest'
 * export const setup = sharedServer({ seed: '42' })
 */
export function sharedServer(options: ServerOptions = {}): (project: TestProject) => Promise<() => Promise<void>> {
  return async project => {
    // Test files load this module as well, and need no server.
    const { startServer } = await import('../hosts/node/server.js')
    const server = await startServer({ port: 0, ...options })
    project.provide('priceFeedMockUrl', server.url)
    return () => server.stop()
  }
}
