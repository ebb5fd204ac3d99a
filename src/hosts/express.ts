// The Express host: a middleware for an existing app of Express 4 or 5, mounted at any prefix. Faults act on the real socket.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Addresses } from '../admin/admin-route.js'
import { createMock, type Mock, type MockOptions } from '../index.js'
import { isMockPath } from './base-urls.js'
import { type AccessOptions, schemeOf } from './node/guard.js'
import { createListener } from './node/listener.js'
import { createMetrics } from './node/metrics.js'
import { ACCESS_RULES, assertOptions, type OptionRule } from './options.js'

/** Options of a middleware, all optional. */
export interface MiddlewareOptions extends AccessOptions {
  /**
   * Whether paths that the mock does not know go to the rest of the app. Otherwise the mock answers them with an error.
   * @default true
   */
  readonly fallthrough?: boolean | undefined
}

/** A middleware for Express 4 and 5, and for servers that take the same functions, such as that of Vite. */
export type MockMiddleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Creates a middleware from a mock, or from the options of one.
 * @throws PriceFeedMockError CONFIG_INVALID, FEEDS_INVALID or OPTIONS_INVALID
 * @example
 * app.use('/feed', mockMiddleware(createMock({ seed: '42' })))
 */
export function mockMiddleware(mock: Mock | MockOptions = {}, options: MiddlewareOptions = {}): MockMiddleware {
  assertOptions('mockMiddleware(mock)', { mock }, { mock: MOCK })
  assertOptions('mockMiddleware(mock, options)', options, {
    fallthrough: ['true or false', value => typeof value === 'boolean'],
    ...ACCESS_RULES,
  })
  const { fallthrough = true, ...access } = options
  const served = 'serve' in mock ? mock : createMock({ ...mock })
  const metrics = createMetrics(() => served.sessions.size)
  /** Read from the surrounding app, because it may trust a proxy. */
  const addressesOf = new WeakMap<IncomingMessage, Addresses>()
  const listener = createListener(served, {
    ...access,
    metrics,
    addresses: request => addressesOf.get(request)!,
    forwardedHost,
    onExchange: metrics.observe,
  })
  return (request, response, next) => {
    if (fallthrough && !isMockPath(request.url ?? '/')) return next()
    const express = request as { protocol?: string; baseUrl?: string }
    const { protocol = schemeOf(request), baseUrl = mountOf(request) } = express
    // HTTP/2, which Vite speaks with a certificate, has another name for it.
    request.headers.host ??= request.headers[':authority'] as string | undefined
    const host = forwardedHost(request) ?? request.headers.host ?? 'localhost'
    const url = `${protocol}://${host}${baseUrl}`
    addressesOf.set(request, { baseUrl: url, historyUrl: url })
    listener(request, response)
  }
}

/** The prefix in servers such as that of Vite, which takes it off `url` as Express does, and has no `baseUrl`. */
function mountOf(request: IncomingMessage): string {
  const { url = '', originalUrl = url } = request as { url?: string; originalUrl?: string }
  return originalUrl.endsWith(url) ? originalUrl.slice(0, originalUrl.length - url.length) : ''
}

/** The host that a client has asked a proxy for, with its port. Undefined without a proxy that the surrounding app trusts. */
function forwardedHost(request: IncomingMessage): string | undefined {
  const { app } = request as { app?: { get(name: string): unknown } }
  const isTrusted = app?.get('trust proxy fn') as ((address: unknown, hop: number) => boolean) | undefined
  const { 'x-forwarded-host': forwarded } = request.headers
  if (forwarded === undefined || !isTrusted?.(request.socket.remoteAddress, 0)) return undefined
  return String(forwarded).split(',', 1)[0]!.trim()
}

const MOCK: OptionRule = [
  "a mock, or the options of one such as { seed: '42' }",
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
]
