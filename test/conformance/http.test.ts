// All five endpoints: methods, headers, CORS and the header of the mock. The interface specifies little of it.
import { expect, it } from 'vitest'
import { KEY } from '../support/ask.js'
import { describeHosts, NOW, need, REFERENCE } from '../support/hosts.js'

const ENDPOINTS = [
  '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h',
  '/trading-view/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h',
  '/prices/batch?feedIds=BTCUSD',
  '/prices/queryHistory?feedIds=BTCUSD&minutes=5',
  '/prices/queryhistory?feedIds=BTCUSD&minutes=5',
  '/prices/evm/crypto?feedIds=BTCUSD',
  '/prices/BTCUSD/latest',
]
const ERRORS: readonly (readonly [status: number, method: string, path: string, headers: Record<string, string>])[] = [
  [400, 'GET', '/prices/batch', KEY],
  [401, 'GET', '/prices/batch?feedIds=BTCUSD', {}],
  [404, 'GET', '/prices/NOUSD/latest', KEY],
  [404, 'GET', '/charting/feeds-data', {}],
  [405, 'POST', '/prices/batch?feedIds=BTCUSD', KEY],
]
const ALLOW = 'GET, HEAD, OPTIONS'
const MARK = /^session="default", now=1753354105, n=[1-9]\d*$/
/** The headers of every JSON reply. */
const headersFor = (body: string) => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(body.length),
  'cache-control': 'no-store',
  date: 'Thu, 24 Jul 2025 10:48:25 GMT',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-price-feed-mock, retry-after, date',
  'x-price-feed-mock': expect.stringMatching(MARK),
})

describeHosts('HTTP', (start, kind) => {
  const host = start()

  it.each(ENDPOINTS)('default: headers of GET %s', async path => {
    const { status, headers, body } = await host.request(path, { headers: KEY })
    expect(status).toBe(200)
    expect(headers).toEqual(headersFor(body))
  })

  it.each(ENDPOINTS)('behavior: HEAD is GET without a body: %s', async path => {
    for (const sent of [KEY, {}]) {
      const { 'x-price-feed-mock': _get, ...get } = (await host.request(path, { headers: sent })).headers
      const reply = await host.request(path, { method: 'HEAD', headers: sent })
      const { 'x-price-feed-mock': mark, ...head } = reply.headers
      expect(reply.body).toBe('')
      expect(head).toEqual(get)
      expect(Number(head['content-length'])).toBeGreaterThan(0)
      expect(mark).toMatch(MARK)
    }
  })

  it.each(ENDPOINTS)('behavior: OPTIONS is a preflight that needs no key: %s', async path => {
    const { status, headers, body } = await host.request(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://app.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    })
    expect(status).toBe(204)
    expect(body).toBe('')
    expect(headers).toMatchObject({
      allow: ALLOW,
      'access-control-allow-origin': '*',
      'access-control-allow-methods': ALLOW,
      // A wildcard does not cover Authorization (Fetch standard): it has to be named.
      'access-control-allow-headers': 'authorization, *',
      'access-control-max-age': '600',
      'x-price-feed-mock': expect.stringMatching(MARK),
    })
  })

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'])
    it(`error: 405 for ${method}, with or without a key`, async context => {
      if (method === 'TRACE') need(kind, 'every method', context)
      for (const path of ENDPOINTS)
        for (const sent of [KEY, {}]) {
          const { status, headers, body } = await host.request(path, { method, headers: sent })
          expect(status).toBe(405)
          expect(headers.allow).toBe(ALLOW)
          expect(JSON.parse(body)).toEqual({ error: 'method_not_allowed', message: expect.stringContaining(method) })
        }
    })

  it.each(ERRORS)('behavior: a %i has CORS, date and mark: %s %s', async (status, method, path, headers) => {
    const reply = await host.request(path, { method, headers })
    expect(reply.status).toBe(status)
    expect(reply.headers).toMatchObject(headersFor(reply.body))
  })

  const GET_ERRORS = ERRORS.filter(([, method]) => method === 'GET')
  it.each(GET_ERRORS)('behavior: HEAD has the status of GET, no body: %i', async (status, _method, path, headers) => {
    expect(await host.request(path, { method: 'HEAD', headers })).toMatchObject({ status, body: '' })
  })

  it('behavior: the mark counts all requests of the session', async () => {
    const host = start()
    const marks: string[] = []
    for (const [method, path] of [
      ['GET', '/prices/BTCUSD/latest'],
      ['OPTIONS', '/prices/BTCUSD/latest'],
      ['POST', '/prices/batch'],
      ['HEAD', '/charting/feeds-data'],
      ['GET', '/nowhere'],
      ['GET', '/_mock/health'],
      ['GET', '/prices/BTCUSD/latest'],
    ] as const)
      marks.push((await host.request(path, { method, headers: KEY })).headers['x-price-feed-mock']!)
    const mark = (n: number) => `session="default", now=${NOW}, n=${n}`
    expect(marks).toEqual([mark(1), mark(2), mark(3), mark(4), 'own, code="UNKNOWN_ROUTE"', 'own', mark(5)])
  })

  it('behavior: the mark reports a custom key without showing it', async () => {
    const signerKeyUnsafe = '11'.repeat(32)
    const host = start({ signerKeyUnsafe })
    const { headers, body } = await host.request('/prices/BTCUSD/latest', { headers: KEY })
    expect(headers['x-price-feed-mock']).toBe(`session="default", now=${NOW}, n=1, signer="custom"`)
    const info = await host.request('/_mock/info')
    for (const text of [JSON.stringify(headers), body, info.body]) expect(text).not.toContain(signerKeyUnsafe)
    expect(JSON.parse(info.body).signer.testKey).toBeNull()
  })

  it('behavior: there is no rate limit', async () => {
    const statuses = new Set<number>()
    // All hosts share the code that limits rates; a host could only limit connections.
    const count = kind.name === REFERENCE.name ? 300 : 50
    for (let i = 0; i < count; i++) statuses.add((await host.request('/prices/BTCUSD/latest', { headers: KEY })).status)
    expect(statuses).toEqual(new Set([200]))
  })
})
