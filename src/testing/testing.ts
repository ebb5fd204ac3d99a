// The entry point `price-feed-mock/testing`: a session for any test runner, such as Jest, node:test, Mocha and tasks of Cypress.
/// <reference lib="esnext.disposable" preserve="true" />
import { NOT_SHOWN, PriceFeedMockError, wrongValue } from '../errors.js'
import type { ServerOptions } from '../hosts/node/server.js'
import { load } from '../hosts/real-time.js'
import type { MockOptions } from '../mock.js'
import { sessionBodySchema } from '../service/session-settings.js'
import { assertNoProblems, findUnknownKeys } from '../settings/schema.js'
import { openSession, type PriceFeed, type PriceFeedOptions } from './price-feed.js'
import { inProcessTarget, serverTarget, type TestTarget } from './test-target.js'

export type { HuntFind, HuntProgress, HuntReport, HuntScenario, KnownFind, Unconfirmed } from '../hunt/types.js'
export { type HuntConsumerOptions, hunt } from './hunt.js'
export * from './kit.js'
export { type ScenarioArbitraryOptions, scenarioArbitrary } from './scenario-arbitrary.js'

/** Options of `openPriceFeed`: those of the session, and where the mock runs. By default it runs in process. */
export interface OpenOptions extends PriceFeedOptions {
  /**
   * Address of a running server, such as `process.env.PRICE_FEED_BASE_URL` below `price-feed-mock exec`.
   * @default none: the mock runs in process
   */
  readonly url?: string | undefined
  /**
   * The token of the server at `url`, if it was started with `--admin-token`.
   * @default the environment variable PRICE_FEED_MOCK_ADMIN_TOKEN, which `exec` sets
   */
  readonly token?: string | undefined
  /**
   * Starts a server on a free port, which `close` stops. Other processes, such as browsers, can reach it.
   * @default none: the mock runs in process
   */
  readonly server?: ServerOptions | boolean | undefined
  /**
   * Options of the mock in process, such as your own feeds and scenarios.
   * @default the built-in catalogue and scenarios
   */
  readonly mock?: MockOptions | undefined
}

/** A session that its caller closes. */
export interface OpenedPriceFeed extends PriceFeed, AsyncDisposable {
  /** Deletes the session, and stops the server that was started for it. A second call does nothing. */
  close(): Promise<void>
}

/** Less than the default timeout of tests in Jest, 5000 ms. */
const WAIT_TIMEOUT_MS = 4000

/**
 * Opens a session. Close it after the test, or declare it with `await using`.
 * @throws PriceFeedMockError OPTIONS_INVALID for more than one of `url`, `server` and `mock`, or `token` without `url`, or an
 * invalid address, or without `fetch`; NO_REPLY or ADMIN_REFUSED
 * @example
 * await using priceFeed = await openPriceFeed({ seed: '42', scenario: 'stale-btc' })
 * const { ts } = await priceFeed.client.latest({ feedId: 'BTCUSD' })
 */
export async function openPriceFeed(options: OpenOptions = {}): Promise<OpenedPriceFeed> {
  if (typeof Request === 'undefined')
    throw new PriceFeedMockError(
      'OPTIONS_INVALID',
      'openPriceFeed() needs fetch, which the environment of this test lacks.',
      { fix: 'with Jest, use the environment node or jest-fixed-jsdom' },
    )
  // JavaScript callers may pass null.
  const { url, token, server, mock, ...session } = options ?? {}
  const known = ['url', 'token', 'server', 'mock', ...Object.keys(sessionBodySchema.shape).filter(key => key !== 'id')]
  assertNoProblems('OPTIONS_INVALID', 'openPriceFeed(options)', findUnknownKeys(options, known))
  const { target, stop } = await startTarget({ url, token, server: server === false ? undefined : server, mock })
  const open = await openSession(target, session, WAIT_TIMEOUT_MS).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= open.end().finally(stop))
  // Safari has no symbol yet: there bundlers translate `await using` with this one.
  const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')
  return { ...open.feed, close, [asyncDispose]: close }
}

async function startTarget(
  places: Pick<OpenOptions, 'url' | 'token' | 'mock'> & { server: ServerOptions | true | undefined },
): Promise<{ target: TestTarget; stop: () => Promise<void> }> {
  const { url, token, server, mock } = places
  const refuse = (what: string, at: string, got: unknown, want: string): never => {
    throw wrongValue('OPTIONS_INVALID', `openPriceFeed(options) has ${what}.`, { at, got, want })
  }
  const given = Object.entries({ url, server, mock }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (given.length > 1)
    refuse('several places for the mock', 'options', given.join(', '), 'one of url, server and mock')
  if (token !== undefined && url === undefined)
    refuse('a token without a server', 'token', NOT_SHOWN, 'url as well; a server of its own has server.adminToken')
  if (typeof Object(mock).serve === 'function') refuse('a mock', 'mock', 'a mock', 'the options of one, for createMock')
  if (server !== undefined && server !== true && (typeof server !== 'object' || server === null))
    refuse('an invalid server', 'server', server, 'true, false, or the options of a server')
  if (server !== undefined && load === undefined)
    refuse('a server in a page', 'server', 'a server', 'no server, or the url of a running one: a page cannot start it')
  const stop = async (): Promise<void> => {}
  if (url !== undefined) return { target: serverTarget(url, token), stop }
  if (server === undefined) return { target: inProcessTarget(mock), stop }
  // Loaded here: most tests need no server.
  const { startServer } = await import('../hosts/node/server.js')
  const running = await startServer({ port: 0, ...(server === true ? {} : server) })
  const ownToken = server === true ? undefined : server.adminToken
  return { target: serverTarget(running.url, ownToken), stop: () => running.stop() }
}
