// The kit for vitest: each test gets its own session, in process or on a shared server.
import type * as Vitest from 'vitest'
import type { TestAPI } from 'vitest'
import type { TestProject } from 'vitest/node'
import { tryTo } from '../errors.js'
import type { ServerOptions } from '../hosts/node/server.js'
import type { MockOptions } from '../mock.js'
import { openSession, type PriceFeed, type PriceFeedOptions } from './price-feed.js'
import { chooseTarget } from './test-target.js'

export * from './kit.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the shared server. */
    priceFeedMockUrl?: string
    /** Token of its admin. Without one, the kit reads `PRICE_FEED_MOCK_ADMIN_TOKEN`. */
    priceFeedMockToken?: string
  }
}

/** The fixtures of a test. */
export interface PriceFeedFixtures {
  /**
   * Options of a mock in process, such as your own feeds and scenarios. With a shared server, pass them to `sharedServer` instead.
   * @default the built-in catalogue and scenarios
   */
  priceFeedMockOptions: MockOptions
  /** Options of the session. `test.override('priceFeedOptions', { scenario: 'stale-btc' })` sets them for a group of tests. */
  priceFeedOptions: PriceFeedOptions
  /** A session of this test only. */
  priceFeed: PriceFeed
}

/** Vitest 3 cannot be imported by a global setup, which needs `sharedServer` alone. */
const vitest = await import('vitest').catch(error => {
  if (!/internal state/.test(String(error))) throw error
})

/** Less than vitest's default test timeout of 5000 ms, so that our error is reported first. */
const WAIT_TIMEOUT_MS = 4000

/**
 * `test` of vitest with the fixture `priceFeed`: in process, unless a global setup uses `sharedServer`.
 * @example
 * test('shows a stale price', async ({ priceFeed }) => {
 *   await priceFeed.setScenario('stale-btc')
 *   const { ts } = await priceFeed.client.latest({ feedId: 'BTCUSD' })
 *   await priceFeed.expectFaultsFired()
 * })
 */
export const test: TestAPI<PriceFeedFixtures> =
  vitest !== undefined && isInTestFile(vitest) ? extendTest(vitest) : (vitest?.test as TestAPI<PriceFeedFixtures>)

function extendTest({ test, inject }: typeof Vitest): TestAPI<PriceFeedFixtures> {
  return test.extend<PriceFeedFixtures>({
    priceFeedMockOptions: {},
    priceFeedOptions: {},
    priceFeed: async ({ task, priceFeedMockOptions, priceFeedOptions }, use) => {
      const target = chooseTarget(inject('priceFeedMockUrl'), priceFeedMockOptions, inject('priceFeedMockToken'))
      const { feed, end } = await openSession(target, priceFeedOptions, WAIT_TIMEOUT_MS)
      await use(feed)
      // Here and not in `onTestFailed`, which runs after the session has ended. Vitest shows it below the name of the test.
      if (task.result?.state === 'fail' && task.fails !== true) await feed.timeline().then(console.error, () => {})
      await end()
    },
  })
}

/** Whether this module is loaded by a test file. In a global setup vitest has no test to extend. */
function isInTestFile({ inject }: typeof Vitest): boolean {
  return tryTo(() => [inject('priceFeedMockUrl')]) !== undefined
}

/**
 * Creates a global setup that starts one server for all test files.
 * @example
 * // price-feed.setup.ts, named in `globalSetup` of vitest.config.ts
 * import { sharedServer } from 'price-feed-mock/vitest'
 * export const setup = sharedServer({ seed: '42' })
 */
export function sharedServer(options: ServerOptions = {}): (project: TestProject) => Promise<() => Promise<void>> {
  return async project => {
    // Loaded here, because test files load this module without needing a server.
    const { startServer } = await import('../hosts/node/server.js')
    const server = await startServer({ port: 0, ...options })
    project.provide('priceFeedMockUrl', server.url)
    if (options.adminToken !== undefined) project.provide('priceFeedMockToken', options.adminToken)
    return () => server.stop()
  }
}
