// Replies of the mock itself: the index, the admin routes, and errors that differ from those of the service.
import { expect, it } from 'vitest'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { typesOf } from '../support/ask.js'
import { AT, describeHosts, type Host, type HostReply, NOW, need } from '../support/hosts.js'

const ADMIN_ROUTES = ['/_mock/health', '/_mock/info', '/_mock/feeds', '/_mock/openapi.json']
const ALLOW = 'GET, HEAD, OPTIONS'

function expectProblem({ status, headers, body }: HostReply, code: string): Record<string, unknown> {
  const details = JSON.parse(body)
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(headers['x-price-feed-mock']).toBe(`own, code="${code}"`)
  expect(details).toMatchObject({ type: 'about:blank', status, code })
  expect(typesOf(details)).toMatchObject({ title: 'string', detail: 'string' })
  return details
}

describeHosts("the mock's own", (start, kind) => {
  const host = start()
  const read = async (path: string, of: Host = host) => JSON.parse((await of.request(path)).body)

  it('default: the root lists the endpoints', async () => {
    const { status, headers, body } = await host.request('/')
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'x-price-feed-mock': 'own' })
    const { name, endpoints, admin } = JSON.parse(body)
    expect({ name, admin }).toEqual({ name: 'price-feed-mock', admin: '/_mock/' })
    const paths = endpoints.map(({ path }: { path: string }) => path)
    expect(paths).toEqual(ENDPOINTS.map(({ path }) => path))
    expect(paths.slice(0, 5)).toEqual([
      '/charting/feeds-data',
      '/prices/batch',
      '/prices/queryHistory',
      '/prices/evm/crypto',
      '/prices/{feedId}/latest',
    ])
  })

  it.each(['/_mock', '/_mock/'])('behavior: %s is a page', async path => {
    const { status, headers, body } = await host.request(path)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const links = [...body.matchAll(/href="([^"]+)"/g)].map(([, href]) => new URL(href!, `http://mock${path}`).pathname)
    expect(links).toEqual(expect.arrayContaining(ADMIN_ROUTES))
  })

  it('behavior: / sends a browser to the page, with the mark', async context => {
    need(kind, 'the Accept header', context)
    const { status, headers } = await host.request('/', { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(status).toBe(302)
    expect(new URL(headers.location!, 'http://mock.example/').pathname).toBe('/_mock/')
    expect(headers['x-price-feed-mock']).toBe('own')
  })

  it('behavior: /_mock/info has the settings of the session', async () => {
    const info = await read('/_mock/info')
    expect(info).toMatchObject({
      session: 'default',
      seed: '42',
      clock: { at: AT, now: NOW, speed: 1, frozen: true },
      scenario: 'calm',
      signer: { testKey: 0, address: expect.stringMatching(/^0x[0-9a-f]{40}$/) },
    })
    expect(info.signer.publicKey).toMatch(/^0[23][0-9a-f]{64}$/)
    expect(info.feeds).toBe((await read('/_mock/feeds')).feeds.length)
    const other = await read('/_mock/info', start({ seed: '7', signer: 3, policy: { candles: 10 } }))
    expect(other).toMatchObject({ seed: '7', signer: { testKey: 3 }, policy: { candles: 10, maxMinutes: 525_600 } })
    expect(other.signer.address).not.toBe(info.signer.address)
  })

  it.each(['/', '/_mock/', ...ADMIN_ROUTES])('behavior: HEAD and OPTIONS of %s', async path => {
    const get = await host.request(path)
    const head = await host.request(path, { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, body: '' })
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    const options = await host.request(path, { method: 'OPTIONS' })
    expect(options).toMatchObject({ status: 204, body: '', headers: { allow: ALLOW, 'x-price-feed-mock': 'own' } })
  })

  it.each(['/', '/_mock/', ...ADMIN_ROUTES])('error: 405 for POST %s', async path => {
    const reply = await host.request(path, { method: 'POST' })
    expect(reply.status).toBe(405)
    expect(reply.headers.allow).toBe(ALLOW)
    expectProblem(reply, 'METHOD_NOT_ALLOWED')
  })

  it.each([
    ['/price/BTCUSD/latest', 'GET /prices/{feedId}/latest ('],
    ['/prices/batch/', 'GET /prices/batch ('],
    ['//prices/batch', 'GET /prices/batch ('],
    ['/Prices/Batch', 'GET /prices/batch ('],
    ['/_mock/healt', 'GET /_mock/health ('],
    ['/robots.txt', '/charting/feeds-data, /prices/batch, '],
  ])('error: 404 for %s names the nearest route', async (path, want) => {
    const reply = await host.request(path)
    expect(reply.status).toBe(404)
    const details = expectProblem(reply, 'UNKNOWN_ROUTE')
    expect(details.detail).toContain(`GET ${path}`)
    expect(details.want).toContain(want)
    expect(details.docs).toMatch(/^https?:\/\/[^/]+(\/api\/feed)?\/_mock\/$/)
  })

  it('behavior: errors have CORS headers, except those of the admin', async () => {
    for (const path of ['/prices/batch', '/nowhere', '/session/a/nowhere'])
      expect((await host.request(path)).headers, path).toHaveProperty('access-control-allow-origin', '*')
    expect((await host.request('/_mock/nowhere')).headers).not.toHaveProperty('access-control-allow-origin')
    expect(await host.request('/nowhere', { method: 'OPTIONS' })).toMatchObject({ status: 204 })
  })
})
