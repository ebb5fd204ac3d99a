// The fetch host: a function like `fetch`, for tests in process and for runtimes without sockets.
import type { Mock } from '../mock.js'
import { answerRequest, assertMock, isRedirect, withAddress } from './answer.js'
import { assertOptions } from './options.js'
import { createVirtualDelays, type FakeTimers, moverOf, WANT_TIMERS } from './virtual-delays.js'

/** Options of `createFetch`. */
export interface FetchOptions {
  /**
   * `virtual`: delays, timeouts and pauses of a scenario take no real time. Instead they move the clock of the session, also a frozen
   * one. A timeout by `AbortSignal.timeout` ends at its own virtual time if it is in the options of the call, not in a `Request`; those by
   * other timers end only with `timers`.
   * @default 'real'
   */
  readonly delays?: 'real' | 'virtual' | undefined
  /**
   * Fake timers of the test, which virtual delays move with the clock.
   * @default none
   */
  readonly timers?: FakeTimers | undefined
}

/**
 * Creates a function like `fetch` that a mock answers at any origin.
 * @throws PriceFeedMockError OPTIONS_INVALID
 * @example
 * const fetch = createFetch(createMock())
 * const response = await fetch('http://mock/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h')
 */
export function createFetch(
  mock: Mock,
  options: FetchOptions = {},
): (input: Request | URL | string, init?: RequestInit) => Promise<Response> {
  assertMock(mock)
  assertOptions('createFetch', options, {
    delays: ['"real" or "virtual"', value => value === 'real' || value === 'virtual'],
    timers: [WANT_TIMERS, value => moverOf(value) !== undefined],
  })
  const delaysOf = options.delays === 'virtual' ? createVirtualDelays(mock, options.timers) : undefined
  return async (input, init) => {
    const request = toRequest(input, init)
    const { origin, pathname, search } = new URL(request.url)
    const addresses = { baseUrl: origin, historyUrl: origin }
    const body = typeof init?.body === 'string' ? init.body : undefined
    const delays = delaysOf?.(init?.signal ?? undefined)
    // As `fetch` has it: nothing is sent.
    request.signal.throwIfAborted()
    const response = await answerRequest(mock, request, { target: pathname + search, addresses, body, delays })
    if (request.redirect !== 'manual' && isRedirect(response)) throw unreachable(response, request.redirect)
    return withAddress(response, request.url)
  }
}

/** Those of srvx (h3, Nitro) inherit from `Request` and are none, so only their properties can be read. */
function toRequest(input: Request | URL | string, init: RequestInit | undefined): Request {
  try {
    return new Request(input, init)
  } catch (error) {
    if (!(input instanceof Request)) throw error
    return new Request(new Request(input.url, input), init)
  }
}

/** The error of `fetch` for a redirect: the mock answers for its own origin, and nobody at the other one. */
function unreachable({ headers }: Response, mode: Request['redirect']): TypeError {
  const refused = Object.assign(new Error(`connect ECONNREFUSED: ${headers.get('location')}`), { code: 'ECONNREFUSED' })
  return new TypeError('fetch failed', { cause: mode === 'error' ? new Error('unexpected redirect') : refused })
}
