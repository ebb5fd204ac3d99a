// The kit for vitest: each test gets a session of its own, in process, or on a server that all of them share.
import { test as base, inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { type ServerOptions, startServer } from '../hosts/node/server.js'
import { inProcess, openPriceFeed, type PriceFeed, type PriceFeedOptions } from './price-feed.js'

export type { PriceFeed, PriceFeedOptions, RequestFilter, SessionClock } from './price-feed.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the server that a global setup has started. */
    priceFeedMockUrl?: string
  }
}

/** What tests are given. */
export interface PriceFeedFixtures {
  /** What the session of a test begins with; `test.override('priceFeedOptions', { scenario: 'stale-btc' })` for a group of tests. */
  priceFeedOptions: PriceFeedOptions
  /** A session that belongs to the test alone. */
  priceFeed: PriceFeed
}

/**
 * `test` of vitest with `priceFeed`: in process, unless a global setup has started a server with `sharedServer`.
 * @example
 * test('a stale price is told', async ({ priceFeed }) => {
 *   await priceFeed.setScenario('stale-btc')
 *   const { ts } = await priceFeed.client.latest({ feedId: 'BTCUSD' })
 *   await priceFeed.expectFaultsFired()
 * })
 */
export const test = base.extend<PriceFeedFixtures>({
  priceFeedOptions: {},
  priceFeed: async ({ priceFeedOptions }, use) => {
    const url = inject('priceFeedMockUrl')
    const place = url === undefined ? inProcess() : { url, fetch: sendByGlobalFetch }
    const { feed, end } = await openPriceFeed(place, priceFeedOptions)
    await use(feed)
    await end()
  },
})

/** The global `fetch` as it is when it is called: a test may have put another in its place, for the code it tests. */
const originalFetch = globalThis.fetch
const sendByGlobalFetch = (url: string, init?: RequestInit): Promise<Response> => originalFetch(url, init)

/**
 * A global setup that starts one server for all test files.
 * @example
 * // price-feed.setup.ts, named in `globalSetup` of vitest.config.ts
 * import { sharedServer } from 'price-feed-mock/vitest'
 * export const setup = sharedServer({ seed: '42' })
 */
export function sharedServer(options: ServerOptions = {}) {
  return async (project: TestProject): Promise<() => Promise<void>> => {
    const server = await startServer({ port: 0, ...options })
    project.provide('priceFeedMockUrl', server.url)
    return () => server.stop()
  }
}
