// The host check of the admin: which names and pages reach it, so that DNS rebinding does not.
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { findObjection } from './guard.js'

const objection = (url: string, headers: Record<string, string>, allowed: readonly string[] = []) =>
  findObjection({ url, headers } as unknown as IncomingMessage, allowed)?.code

describe('host', () => {
  it.each(['localhost:4700', '127.0.0.1', '127.255.0.9:80', '[::1]:4700', 'a.localhost', 'LOCALHOST'])(
    'default: %s is allowed',
    host => {
      expect(objection('/_mock/health', { host })).toBeUndefined()
    },
  )

  it.each(['evil.example', '127.0.0', '127.0.0.1.example', 'localhost.example', ''])('error: %j', host => {
    for (const url of ['/', '/_mock', '/_mock/health', '/_MOCK/health'])
      expect(objection(url, { host }), url).toBe('HOST_NOT_ALLOWED')
  })

  it('behavior: the five endpoints answer any host', () => {
    expect(objection('/prices/BTCUSD/latest', { host: 'evil.example' })).toBeUndefined()
  })

  it('args: --allow-host, in any case', () => {
    expect(objection('/_mock/', { host: 'Prices:4700' }, ['PRICES'])).toBeUndefined()
  })
})

describe('origin', () => {
  it('behavior: pages of allowed names reach the admin, others do not', () => {
    const from = (origin: string) => objection('/_mock/', { host: 'localhost', origin }, ['app.internal'])
    expect(['http://localhost:5173', 'https://App.Internal'].map(from)).toEqual([undefined, undefined])
    expect(['https://evil.example', 'null'].map(from)).toEqual(['HOST_NOT_ALLOWED', 'HOST_NOT_ALLOWED'])
  })
})
