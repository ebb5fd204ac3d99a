// Helpers of the tests of sessions: a request to each endpoint, requests to admin routes, and their errors.
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { AdminClient } from '../../src/client/admin.js'
import type { Problem } from '../../src/errors.js'
import type { Host, HostReply } from './hosts.js'

/** The key of the default session, and its path in the admin. */
export const KEY = 'test-api-key'
export const SESSION = '/_mock/sessions/default'
export const JSON_TYPE = { 'content-type': 'application/json' }

/** A target of each endpoint: the protected ones, then the open one. */
export const TARGETS = {
  batch: '/prices/batch?feedIds=BTCUSD,ETHUSD,EURUSD',
  queryHistory: '/prices/queryHistory?feedIds=BTCUSD,SOLUSD&minutes=60',
  evm: '/prices/evm/crypto?feedIds=BTCUSD,ETHUSD',
  latest: '/prices/BTCUSD/latest',
  candles: '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h',
} as const
export const ALL_TARGETS: readonly string[] = Object.values(TARGETS)
export const PROTECTED_TARGETS: readonly string[] = ALL_TARGETS.slice(0, 4)

/** A session in replies of the admin. */
export type Shown = Awaited<ReturnType<AdminClient['getSession']>>

/** Sends a request to an admin route. The body is sent as JSON, a string unchanged. */
export function move(host: Host, method: string, path: string, body?: unknown): Promise<HostReply> {
  if (body === undefined) return host.request(path, { method })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return host.request(path, { method, headers: JSON_TYPE, body: text })
}

/** Sends a request to an admin route that must succeed, and returns its reply. */
export async function adminRoute<T = Shown>(host: Host, method: string, path: string, body?: unknown): Promise<T> {
  const reply = await move(host, method, path, body)
  expect([200, 201, 204], reply.body.slice(0, 500)).toContain(reply.status)
  return (reply.body === '' ? undefined : JSON.parse(reply.body)) as T
}

/** The problem+json of a reply, whose status and code must be these. */
export function problemOf({ status, headers, body }: HostReply, wanted: number, code: string) {
  expect(status, body.slice(0, 500)).toBe(wanted)
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(headers['x-price-feed-mock']).toBe(`own, code="${code}"`)
  const details = JSON.parse(body) as { readonly detail: string; readonly problems?: readonly Problem[] } & Record<
    string,
    unknown
  >
  expect(details).toMatchObject({ type: 'about:blank', status: wanted, code })
  return details
}

/** A reply in one line: status, every header and the body. */
export function digest({ status, headers, body }: HostReply): string {
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
  return createHash('sha256')
    .update(JSON.stringify([status, lines, body]))
    .digest('hex')
}

/** Asks an endpoint with a key. */
export function askWith(host: Host, key: string, target: string, method = 'GET'): Promise<HostReply> {
  return host.request(target, { method, headers: { authorization: key } })
}

/** The session of a reply, by its header. */
export function sessionOf({ headers }: HostReply): string | undefined {
  return /^session="([^"]*)"/.exec(headers['x-price-feed-mock'] ?? '')?.[1]
}
