// Named attacks on the admin, mostly by web pages in a browser on the same machine. Each title says its effect if it worked.
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { adminRoute, JSON_TYPE, move, problemOf, SESSION, type Shown, TARGETS } from '../support/admin.js'
import { AT, httpHost } from '../support/hosts.js'
import { parseReplies, requestTo, talk } from '../support/raw.js'

const EVIL = 'https://evil.example'

/** One server for all attacks, which must not change it. */
const host = await httpHost({ clock: { at: AT, frozen: true } })
afterAll(host.stop)
const port = Number(new URL(host.server.url).port)
const shown = await adminRoute(host, 'GET', SESSION)
const expectUnchanged = async () => {
  expect(await adminRoute(host, 'GET', SESSION)).toEqual(shown)
  const { sessions } = await adminRoute<{ sessions: Shown[] }>(host, 'GET', '/_mock/sessions')
  expect(sessions).toHaveLength(1)
}
const send = (path: string, method: string, headers: Record<string, string> = {}, body?: string) =>
  host.request(path, { method, headers, body })
/** Sends a target unchanged: HTTP clients normalize it. */
const raw = async (target: string) => parseReplies(await talk(port, requestTo(target)))[0]!

/** Every admin route that changes something. */
const CHANGES = [
  ['POST', '/_mock/sessions', '{}'],
  ['PATCH', SESSION, '{"seed":"evil"}'],
  ['POST', `${SESSION}/reset`, undefined],
  ['POST', `${SESSION}/snapshot`, undefined],
  ['POST', `${SESSION}/restore`, '{"snapshot":{}}'],
  ['DELETE', `${SESSION}/requests`, undefined],
  ['DELETE', SESSION, undefined],
] as const

describe('DNS rebinding: a page of evil.example, its name pointed at this machine, would be same-origin with the admin', () => {
  it.each(CHANGES)('error: %s %s', async (method, path, body) => {
    const headers = { host: `evil.example:${port}`, origin: `http://evil.example:${port}`, ...JSON_TYPE }
    problemOf(await send(path, method, headers, body), 403, 'HOST_NOT_ALLOWED')
    await expectUnchanged()
  })
})

describe('CSRF: a page of another site posts to localhost, and the browser sends it without asking', () => {
  it.each(CHANGES)('error: %s %s with its Origin', async (method, path, body) => {
    for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded', undefined]) {
      const headers = { origin: EVIL, ...(type && body ? { 'content-type': type } : {}) }
      problemOf(await send(path, method, headers, body), 403, 'ORIGIN_NOT_ALLOWED')
    }
    await expectUnchanged()
  })

  it.each(['cross-site', 'same-site'])('error: a request without Origin that a page embeds: %s', async site => {
    const head = `Sec-Fetch-Site: ${site}\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n`
    const askEmbedded = async (target: string, method = 'GET') =>
      parseReplies(await talk(port, requestTo(target, { method, head })))[0]!
    for (const path of [SESSION, '/_mock/sessions', `${SESSION}/events`, '/_mock/metrics', '/_mock/info'])
      expect(await askEmbedded(path)).toMatchObject({
        status: 403,
        body: expect.stringContaining('"ORIGIN_NOT_ALLOWED"'),
      })
    for (const [method, path] of CHANGES) expect((await askEmbedded(path, method)).status).toBe(403)
    await expectUnchanged()
  })

  it.each(['/', '/_mock', '/_mock/', '/_mock/info', '/_mock/nothing', '/_mock/sessions', '/_mock/metrics'])(
    'behavior: %s has no CORS headers for any Origin',
    async path => {
      for (const origin of [undefined, EVIL, 'http://localhost:3000']) {
        const { headers } = await send(path, 'GET', origin ? { origin } : {})
        expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).toEqual([])
      }
    },
  )
})

describe('endless bodies: they would exhaust memory and time', () => {
  it('error: 413 for more than 1 MB, announced or in chunks', async () => {
    const large = `{"seed":"${'x'.repeat(2_000_000)}"}`
    problemOf(await move(host, 'PATCH', SESSION, large), 413, 'BODY_TOO_LARGE')
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${host.server.url}${SESSION}`, { method: 'PATCH', headers: JSON_TYPE }, reply => {
        reply.resume()
        resolve(reply.statusCode)
      })
      sent.on('error', reject)
      for (let i = 0; i < 30; i++) sent.write('x'.repeat(64 * 1024))
      sent.end()
    })
    expect(status).toBe(413)
    await expectUnchanged()
  })

  it('error: 413 for a small body that unpacks to a large one', async () => {
    const packed = gzipSync(`{"seed":"${'x'.repeat(50_000_000)}"}`)
    const reply = await fetch(`${host.server.url}${SESSION}`, {
      method: 'PATCH',
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      body: packed,
    })
    expect(reply.status).toBe(413)
  })

  it.each([
    ['content-encoding', 'br-unknown'],
    ['content-type', 'application/json; charset=nope'],
  ])('error: a %s of %s is rejected, not a failure', async (name, value) => {
    const { status, headers } = await send(SESSION, 'PATCH', { ...JSON_TYPE, [name]: value }, '{}')
    expect(status).toBeOneOf([400, 415])
    expect(headers['content-type']).toMatch(/^application\/problem\+json/)
  })
})

describe('traversal: a harmless path would reach the admin past the guard, or a file', () => {
  it.each([
    '/prices/../_mock/info',
    '/%5fmock/info',
    '/session/../_mock/sessions',
    '/session/..%2f_mock%2finfo/x',
    '/session/%2e%2e/_mock/info',
    '//_mock/info',
    '/./_mock/info',
    '/_mock/../_mock/info',
    '/_mock/%2e%2e/_mock/info',
    '/_mock/..%2finfo',
    '/_mock\\info',
    '/session/default/_mock/info',
    '/session/default/../../_mock/info',
    '/_mock/../../etc/passwd',
    '/_mock/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/_mock/info%00',
    '/_mock;/info',
  ])('error: %s', async target => {
    const evil = parseReplies(await talk(port, requestTo(target).replace(/^Host:.*$/m, 'Host: evil.example')))[0]!
    expect(evil.status).toBeOneOf([400, 403, 404])
    expect(evil.body).not.toMatch(/"signer"|root:/)
    await raw(target)
    const { sessions } = await adminRoute<{ sessions: Shown[] }>(host, 'GET', '/_mock/sessions')
    expect(sessions.map(({ id }) => id)).toEqual(['default'])
  })
})

describe('header injection: a name would add headers or a second response', () => {
  it.each(['a%0d%0aset-cookie:%20x', 'a"%2C%20own', 'a%22', 'a;b', 'a,b', '%E2%80%A8', 'x'.repeat(5000)])(
    'error: the session %s',
    async id => {
      const { status, headers } = await raw(`/session/${id}${TARGETS.latest}`)
      expect(status).toBe(400)
      expect(headers['set-cookie']).toBeUndefined()
      expect(headers['x-price-feed-mock']).toBe('own, code="SESSION_INVALID"')
      await expectUnchanged()
    },
  )

  it('error: a long name is shortened in the answer', async () => {
    const long = 'x'.repeat(60_000)
    for (const path of [`/_mock/sessions/${long}`, `/scenario/${long}/prices/batch`, `/session/${long}/prices/batch`]) {
      const { status, body } = await host.request(path)
      expect(status).toBeOneOf([400, 404])
      expect(body.length).toBeLessThan(2000)
    }
  })
})
