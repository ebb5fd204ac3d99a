// Where the sessions of tests can be made: a server, or a mock in process. Neither takes part in what a test does to the time.

import { PriceFeedMockError } from '../errors.js'
import { createFetch } from '../hosts/fetch.js'
import { createMock, type MockOptions } from '../index.js'

/** What sends requests, as the global `fetch` does. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>

/** Where sessions can be made. */
export interface Place {
  /** Without a slash at the end. */
  readonly url: string
  readonly fetch: Fetch
}

/** The real time in milliseconds since the epoch, whatever a test has done to `Date` since this was loaded. */
export const realTime: () => number = Date.now

/** The global `fetch` as it was when this was loaded: a test may put another in its place, for the code that it tests. */
const { fetch: originalFetch } = globalThis

/** A server that runs somewhere. */
export function onServer(url: string): Place {
  return { url, fetch: (target, init) => originalFetch(target, init) }
}

/**
 * The server that tests share, or else a mock in process.
 * @throws PriceFeedMockError OPTIONS_INVALID for options of a mock where there is a server: that was made with its own
 */
export function placeOf(url: string | undefined, options: MockOptions): Place {
  if (url === undefined) return inProcess(options)
  const keys = Object.keys(options)
  if (keys.length === 0) return onServer(url)
  throw new PriceFeedMockError('OPTIONS_INVALID', 'On a shared server, priceFeedMockOptions cannot be obeyed.', {
    problems: [{ at: 'priceFeedMockOptions', got: keys.join(', '), want: 'nothing' }],
    details: [['fix', 'sharedServer({ … }) in the global setup; what a session begins with: priceFeedOptions']],
  })
}

/** A mock in process. */
export function inProcess(options: MockOptions = {}): Place {
  const mock = createMock({ realTime, ...options })
  // The clock of a session goes on under fake timers, as it does on a server.
  const fetch = createFetch({
    ...mock,
    serve: (request, base) => mock.serve({ ...request, receivedAt: realTime() }, base),
    administer: (request, addresses) => mock.administer({ ...request, receivedAt: realTime() }, addresses),
  })
  return { url: 'http://price-feed-mock.test', fetch }
}
