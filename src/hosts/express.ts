// The Express host: a middleware for an app that exists, Express 4 or 5, mounted at any prefix. Faults act on the real socket.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Addresses } from '../admin/admin-route.js'
import { createMock, type Mock, type MockOptions } from '../index.js'
import { isMockPath } from './mock-path.js'
import { createListener } from './node/listener.js'
import { createMetrics } from './node/metrics.js'
import { assertOptions, FLAG, NAMES, type Wanted } from './options.js'

/** How a middleware answers; every part may be left out. */
export interface MiddlewareOptions {
  /**
   * Whether what the mock does not know goes to the rest of the app; otherwise the mock tells what is wrong with it.
   * @default true
   */
  readonly fallthrough?: boolean | undefined
  /**
   * Names besides loopback under which the admin may be reached.
   * @default none
   */
  readonly allowHosts?: readonly string[] | undefined
}

/** A middleware as Express 4 and 5 take it. */
export type MockMiddleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Makes a middleware of a mock, or of the options of one.
 * @throws PriceFeedMockError CONFIG_INVALID, FEEDS_INVALID or OPTIONS_INVALID
 * @example
 * app.use('/feed', mockMiddleware(createMock({ seed: '42' })))
 */
export function mockMiddleware(mock: Mock | MockOptions = {}, options: MiddlewareOptions = {}): MockMiddleware {
  assertOptions('mockMiddleware(mock)', { mock }, { mock: MOCK })
  assertOptions('mockMiddleware(mock, options)', options, { fallthrough: FLAG, allowHosts: NAMES })
  const { fallthrough = true, allowHosts = [] } = options
  const of = 'serve' in mock ? mock : createMock({ ...mock })
  const metrics = createMetrics(() => of.sessions.size)
  /** As the app around knows them, which may trust a proxy: the app behind the five endpoints would not. */
  const reached = new WeakMap<IncomingMessage, Addresses>()
  const listener = createListener(of, {
    allowHosts,
    metrics,
    addresses: request => reached.get(request)!,
    onExchange: metrics.observe,
  })
  return (request, response, next) => {
    if (fallthrough && !isMockPath(request.url ?? '/')) return next()
    const { protocol = 'http', baseUrl = '' } = request as { protocol?: string; baseUrl?: string }
    const url = `${protocol}://${request.headers.host ?? 'localhost'}${baseUrl}`
    reached.set(request, { baseUrl: url, historyUrl: url })
    listener(request, response)
  }
}

const MOCK: Wanted = [
  "a mock, or the options of one such as { seed: '42' }",
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
]
