// The target of tests: a server, or a mock in process. Fake timers of a test do not affect it.
import { PriceFeedMockError } from '../errors.js'
import { readBaseUrl } from '../hosts/base-urls.js'
import { createFetch } from '../hosts/fetch.js'
import { realTime } from '../hosts/real-time.js'
import { createMock, type MockOptions } from '../index.js'
import { createHttpFetch } from './http-fetch.js'

/** A function like the global `fetch`. */
export type Fetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>

/** A place where sessions can be created. */
export interface TestTarget {
  /** Without a slash at the end. */
  readonly url: string
  readonly fetch: Fetch
  /** The token of its admin, if it needs one. */
  readonly token?: string | undefined
}

/** The `fetch` for servers. In a browser it is the original one: a test may replace the global one later. */
const { fetch: originalFetch } = globalThis
const serverFetch: Fetch = createHttpFetch() ?? ((target, init) => originalFetch(target, init))

/** The token that `exec` or a user passes on. */
const tokenOfEnvironment = (): string | undefined => globalThis.process?.env.PRICE_FEED_MOCK_ADMIN_TOKEN || undefined

/**
 * The target of a running server.
 * @param token the token of its admin; without one, that of the environment
 * @throws PriceFeedMockError OPTIONS_INVALID if the address is invalid
 */
export function serverTarget(url: string, token = tokenOfEnvironment()): TestTarget {
  return { url: readBaseUrl('url', url), token, fetch: serverFetch }
}

/**
 * The server that tests share, if there is one, otherwise a mock in process.
 * @throws PriceFeedMockError OPTIONS_INVALID for mock options with a shared server, which has its own
 */
export function chooseTarget(url: string | undefined, options: MockOptions, token?: string): TestTarget {
  if (url === undefined) return inProcessTarget(options)
  const keys = Object.keys(options)
  if (keys.length === 0) return serverTarget(url, token)
  throw new PriceFeedMockError('OPTIONS_INVALID', 'priceFeedMockOptions has no effect with a shared server.', {
    problems: [{ at: 'priceFeedMockOptions', got: keys.join(', '), want: 'nothing' }],
    fix: 'pass them to sharedServer({ … }) in the global setup, or use priceFeedOptions for a session',
  })
}

/** No server has this address: the global `fetch` fails with this name in its error, which is the remedy. */
const IN_PROCESS_URL = 'http://use-pricefeed.fetch.price-feed-mock.test'

/** The target of a mock in process. */
export function inProcessTarget(options: MockOptions = {}): TestTarget {
  return { url: IN_PROCESS_URL, fetch: createFetch(createMock({ realTime, ...options })) }
}
