// The msw host: the same request handlers for `setupServer` and `setupWorker`. It uses only what msw 2.15 and msw 3 have in common.
import { type HttpHandler, HttpResponse, http } from 'msw'
import type { Mock } from '../mock.js'
import { answerRequest, assertMock } from './answer.js'
import { type BaseUrls, createHandlers, listBases, readBaseUrls } from './base-urls.js'

export type { BaseUrls } from './base-urls.js'

/** Options of handlers. */
export interface HandlersOptions extends BaseUrls {
  /**
   * Ends all delays and timeouts when it aborts. A service worker needs it: aborted requests are not reported to it.
   * @default delays and timeouts end when their requests are aborted
   */
  readonly signal?: AbortSignal | undefined
}

/**
 * Creates the handlers of a mock. They answer everything below the base addresses, including the admin, and nothing else.
 * @throws PriceFeedMockError OPTIONS_INVALID if the mock or a base address is invalid
 * @example
 * setupServer(...handlers(createMock({ seed: '42' }), { baseUrl: 'https://api.example' }))
 */
export function handlers(mock: Mock, options: HandlersOptions): HttpHandler[] {
  assertMock(mock)
  // JavaScript callers may omit the options.
  const given = options ?? ({} as HandlersOptions)
  const { signal } = given
  const addresses = readBaseUrls('handlers(mock, options)', given, ['signal'])
  return createHandlers({ http, HttpResponse }, listBases(addresses), ({ base, targetOf }, request) =>
    answerRequest(mock, request, { target: targetOf(request.url), base, addresses, signal }),
  )
}
