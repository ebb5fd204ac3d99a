// The entrance of the admin on a server: CORS for allowed origins, and the token for the admin and new sessions.
import { afterAll, describe, expect, it } from 'vitest'
import { createAdminClient } from '../../client/admin.js'
import { startServer } from './server.js'

const APP = 'http://localhost:5173'
const TOKEN = 'correct-horse'
const KEY = { authorization: 'test-api-key' }

describe('allowOrigins', async () => {
  const { url, stop } = await startServer({ port: 0, allowOrigins: [APP, 'https://app.internal'] })
  afterAll(stop)
  const preflight = (origin: string, path = '/_mock/sessions/default') =>
    fetch(url + path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'PATCH' } })

  it('default: a preflight allows the methods and headers of the admin', async () => {
    const { status, headers } = await preflight(APP)
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(APP)
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PATCH, DELETE')
    for (const name of ['authorization', 'content-type'])
      expect(headers.get('access-control-allow-headers')).toContain(name)
    expect(headers.get('vary')).toBe('origin')
  })

  it('default: replies and problems are readable by the page', async () => {
    for (const [path, expected] of [
      ['/_mock/info', 200],
      ['/_mock/metrics', 200],
      ['/_mock/nothing', 404],
    ] as const) {
      const { status, headers } = await fetch(url + path, { headers: { origin: APP } })
      const names = ['access-control-allow-origin', 'access-control-expose-headers', 'vary']
      const found = names.map(name => headers.get(name))
      expect([status, ...found]).toEqual([expected, APP, 'x-price-feed-mock', 'origin'])
    }
  })

  it('error: another origin gets a problem that names the flag, and no CORS header', async () => {
    for (const reply of [
      await preflight('http://localhost:5174'),
      await fetch(`${url}/_mock/info`, { headers: { origin: 'http://localhost:5174' } }),
    ]) {
      expect(reply.status).toBe(403)
      expect(reply.headers.get('access-control-allow-origin')).toBeNull()
      expect(await reply.json()).toMatchObject({
        code: 'ORIGIN_NOT_ALLOWED',
        fix: "npx price-feed-mock --allow-origin http://localhost:5174, or allowOrigins: ['http://localhost:5174'] of the server in code",
      })
    }
  })

  it.each(['*', 'http://localhost:5173/', 'localhost'])('error: the origin %s', async origin => {
    await expect(startServer({ port: 0, allowOrigins: [origin] })).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })
})

describe('adminToken', async () => {
  const flags = ['--public-url', 'https://mock.example', '--port', '4700']
  const { url, mock, stop } = await startServer({ port: 0, adminToken: TOKEN, flags })
  afterAll(stop)

  it('default: the client with the token', async () => {
    const admin = createAdminClient({ url, token: TOKEN })
    const { id, apiKey } = await admin.createSession({ body: { seed: '7' } })
    expect((await admin.explain({ query: { url: '/prices/BTCUSD/latest' } })).key).toBe('accepted')
    expect((await fetch(`${url}/prices/BTCUSD/latest`, { headers: { authorization: apiKey } })).status).toBe(200)
    await admin.deleteSession({ id })
  })

  it('behavior: the command that reproduces a request has a place for it, and none for the address of this server', async () => {
    const admin = createAdminClient({ url, token: TOKEN })
    await admin.changeSession({ id: 'default', body: { prices: { BTCUSD: 50_000 } } })
    const { reproduce } = await admin.inspectSession({ id: 'default' })
    expect(reproduce).toMatch(/^curl -sSf -X POST -H "Authorization: Bearer …" .* --frozen --port 0$/)
  })

  it('error: the problem asks for the token, also in a browser, and does not contain it', async () => {
    const reply = await fetch(`${url}/_mock/info`)
    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer .*, Basic /)
    expect(await reply.text()).not.toContain(TOKEN)
  })

  it('behavior: a new session by its path needs it', async () => {
    const paths = [
      '/session/made/prices/BTCUSD/latest',
      '/session/made/nothing',
      '/%73ession/made/prices/BTCUSD/latest',
    ]
    for (const path of paths) {
      const reply = await fetch(url + path, { headers: KEY })
      expect([reply.status, path]).toEqual([401, path])
      expect(mock.sessions.list().map(({ id }) => id)).not.toContain('made')
    }
    const preflight = await fetch(url + paths[0], { method: 'OPTIONS', headers: { origin: APP } })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization, *'])
    expect(mock.sessions.list().map(({ id }) => id)).not.toContain('made')
    const made = await fetch(url + paths[0], { headers: { ...KEY, 'x-admin-token': TOKEN } })
    expect(made.status).toBe(200)
    expect((await fetch(url + paths[0], { headers: KEY })).status).toBe(200)
  })

  it('error: a key that names no scenario is named', async () => {
    const reply = await fetch(`${url}/prices/BTCUSD/latest`, { headers: { authorization: 'scenario.nope' } })
    expect(await reply.json()).toMatchObject({ code: 'SCENARIO_UNKNOWN' })
  })

  it('error: a short token is refused and not shown', async () => {
    const refused = await startServer({ port: 0, adminToken: 'secret' }).catch(String)
    expect(refused).toContain('8 to 512')
    expect(refused).not.toContain('secret')
  })
})
