// Malformed and unusual HTTP: methods, targets, Host headers, broken heads. The mock itself answers all of it.
import { describe, expect, it } from 'vitest'
import type { HostReply } from '../../../test/support/hosts.js'
import { startMock } from '../../../test/support/listen.js'
import { LATEST, parseReplies, requestTo, serveHostiles, talk } from '../../../test/support/raw.js'

const KB = 1024

const { ask, askOne } = serveHostiles()

/** Expects a problem of the mock itself. Its text is in test/hostile/messages.test.ts; `mentions` is the part that the request decides. */
function expectProblem({ status, headers, body }: HostReply, wanted: number, code: string, mentions = ''): void {
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(headers['x-price-feed-mock']).toBe(`own, code="${code}"`)
  const problem = JSON.parse(body)
  expect(problem).toMatchObject({ status: wanted, code, detail: expect.any(String), want: expect.any(String) })
  expect(JSON.stringify(problem)).toContain(mentions)
  expect(status).toBe(wanted)
}

describe('methods', () => {
  it.each(['FOO', 'get', 'GETGETGET', 'G\0T'])('error: %j is no method', async method => {
    expectProblem(await askOne(requestTo(LATEST, { method })), 400, 'REQUEST_MALFORMED')
  })

  it('error: CONNECT', async () => {
    expectProblem(await askOne('CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'), 400, 'REQUEST_MALFORMED', 'CONNECT')
  })

  it('error: bytes after CONNECT are not read as a request', async () => {
    const sent = `CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n${requestTo(LATEST)}`
    expect(await ask(sent)).toHaveLength(1)
  })

  it.each(['Upgrade', 'Upgrade, HTTP2-Settings', 'keep-alive, upgrade'])(
    'behavior: a request behind Connection: %s is not left waiting',
    async connection => {
      const head = `GET ${LATEST} HTTP/1.1\r\nHost: localhost\r\n`
      const replies = await ask(`${head}Connection: ${connection}\r\nUpgrade: h2c\r\n\r\n${head}\r\n`)
      expect(replies.map(({ headers }) => headers.connection)).toEqual(['close'])
    },
  )

  it.each(['POST', 'DELETE', 'TRACE'])('error: %s to an admin route', async method => {
    const reply = await askOne(requestTo('/_mock/info', { method }))
    expectProblem(reply, 405, 'METHOD_NOT_ALLOWED', `${method} /_mock/info`)
    expect(reply.headers.allow).toBe('GET, HEAD, OPTIONS')
  })

  it('error: POST to /_mock/metrics', async () => {
    const reply = await askOne(requestTo('/_mock/metrics', { method: 'POST' }))
    expectProblem(reply, 405, 'METHOD_NOT_ALLOWED', 'POST /_mock/metrics')
  })

  it.each(['/_mock/metrics', '*'])('behavior: OPTIONS %s lists the methods', async target => {
    const { status, headers } = await askOne(requestTo(target, { method: 'OPTIONS' }))
    expect(status).toBe(204)
    expect(headers.allow).toBe('GET, HEAD, OPTIONS')
  })
})

describe('targets', () => {
  it('behavior: of an absolute URL only the path counts', async () => {
    expect((await askOne(requestTo(`http://other${LATEST}`))).status).toBe(200)
    expect((await askOne(requestTo(`http://other:4700${LATEST}?a=1`, { host: 'a' }))).status).toBe(200)
    expect((await askOne(requestTo('http://other/_mock/health'))).status).toBe(200)
  })

  it.each(['http://other/_mock/info', 'http://localhost/_mock/info', 'HTTP://localhost', 'http://localhost/'])(
    'error: the Host header decides about %s, not the URL',
    async target => {
      expectProblem(await askOne(requestTo(target, { host: 'evil.example' })), 403, 'HOST_NOT_ALLOWED', 'evil.example')
    },
  )

  // Express finds no path in these and would answer with its own page.
  it.each(['http://[::1/x', 'foo://x', 'foo://x?a=1', 'HTTP://', 'http://a:99999999/x', 'ws://[', 'http:///x'])(
    'error: the invalid URL %s',
    async target => {
      for (const reply of await ask(requestTo(target))) expect([200, 400, 403, 404]).toContain(reply.status)
      expect(await ask(requestTo(target))).toHaveLength(1)
    },
  )

  it.each(['prices/batch', '?feedIds=BTCUSD', '/pri ces', '/pri\0ces', '/pri\x7fces', 'mailto:a@b'])(
    'error: %j is no target',
    async target => expectProblem(await askOne(requestTo(target)), 400, 'REQUEST_MALFORMED'),
  )

  it.each(['/%zz', '/%00', '/%', '/%2e%2e/%2f', '/prices/%5Cbatch', '/__proto__/constructor'])(
    'error: %s is unknown',
    async target => expectProblem(await askOne(requestTo(target)), 404, 'UNKNOWN_ROUTE', `GET ${target}`),
  )

  it.each(['//a@b#c', '//@#', '//a@b#/_mock/info', '/\\a@b#c'])('error: the path of %j', async target => {
    expectProblem(await askOne(requestTo(target)), 404, 'UNKNOWN_ROUTE', 'GET /')
  })

  it('error: an unknown path of 60 KB is shortened in the answer', async () => {
    for (const path of ['/a'.repeat(30 * KB), '/'.repeat(60 * KB), `/${'%F0%9F%9A%80'.repeat(5 * KB)}`]) {
      const reply = await askOne(requestTo(path))
      expectProblem(reply, 404, 'UNKNOWN_ROUTE', `GET ${path.slice(0, 200)}…`)
      expect(reply.body.length).toBeLessThan(2000)
    }
  })

  it('args: a query of 60 KB', async () => {
    expect((await askOne(requestTo(`${LATEST}?${'a'.repeat(60 * KB)}`))).status).toBe(200)
  })

  it('args: a fragment is ignored', async () => expect((await askOne(requestTo(`${LATEST}#?x=1`))).status).toBe(200))
})

describe('Host', () => {
  const HOSTS = ['a b', 'a(b', '', '[', ':', '%', '\xff', 'localhost@evil', 'evil, localhost']

  it.each(HOSTS)('error: the endpoints answer to the host %j, and the admin does not', async host => {
    expect((await askOne(requestTo(LATEST, { host }))).status).toBe(200)
    expectProblem(await askOne(requestTo('/_mock/info', { host })), 403, 'HOST_NOT_ALLOWED', '--allow-host')
  })

  it.each(['HEAD', 'OPTIONS', 'POST'])('error: 403 for %s as well', async method => {
    expect((await askOne(requestTo('/_mock/info', { method, host: 'evil.example' }))).status).toBe(403)
  })

  it('behavior: an unknown route outside the admin is 404 for any host name', async () => {
    expectProblem(await askOne(requestTo('/nowhere', { host: 'evil.example' })), 404, 'UNKNOWN_ROUTE')
  })

  it('args: allowHosts', async () => {
    const { port } = new URL((await startMock({ allowHosts: ['Compose-Host'] })).url)
    const statusOf = async (host: string) =>
      parseReplies(await talk(Number(port), requestTo('/_mock/info', { host }))).map(({ status }) => status)
    expect([await statusOf('compose-host:4700'), await statusOf('a.compose-host')]).toEqual([[200], [403]])
  })

  it('error: the admin does not repeat a host of 60 KB', async () => {
    const host = 'a'.repeat(60 * KB)
    expect((await askOne(requestTo(LATEST, { host }))).status).toBe(200)
    const reply = await askOne(requestTo('/_mock/info', { host }))
    expectProblem(reply, 403, 'HOST_NOT_ALLOWED', '--allow-host')
    expect(reply.body.length).toBeLessThan(1000)
  })

  it('error: the endpoints answer without a Host header, and the admin does not', async () => {
    expect((await askOne(requestTo(LATEST).replace(/Host.*\r\n/, ''))).status).toBe(200)
    const sent = requestTo('/_mock/info').replace(/Host.*\r\n/, '')
    expectProblem(await askOne(sent), 403, 'HOST_NOT_ALLOWED', '--allow-host')
  })

  // RFC 9112, 3.2.
  it.each(['localhost\r\nHost: evil.example', 'localhost\r\nHOST: localhost', '\r\nhost: localhost'])(
    'error: two Host headers: %j',
    async host => {
      for (const target of [LATEST, '/_mock/info', '/nowhere']) {
        const sent = requestTo(target, { host })
        const reply = await askOne(sent)
        expectProblem(reply, 400, 'REQUEST_MALFORMED', 'several Host headers')
        expect(reply.headers.connection).toBe('close')
        // Nothing after it is read as a request.
        expect(await ask(sent.replace('Connection: close\r\n', '') + requestTo(LATEST))).toHaveLength(1)
      }
    },
  )
})

describe('heads', () => {
  const POST = 'POST /prices/batch HTTP/1.1\r\nHost: localhost\r\n'
  it.each([
    ['a bare LF', `GET ${LATEST} HTTP/1.1\nHost: localhost\n\n`],
    ['NUL in a value', requestTo(LATEST, { head: 'X: a\0b\r\n' })],
    ['NUL in a name', requestTo(LATEST, { head: 'X\0: a\r\n' })],
    ['a folded line', requestTo(LATEST, { head: 'X: a\r\n b\r\n' })],
    ['a line without a colon', requestTo(LATEST, { head: 'nothing\r\n' })],
    ['a blank in a name', requestTo(LATEST, { head: 'X : a\r\n' })],
    ['transfer-encoding and content-length', `${POST}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${POST}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`],
    ['an invalid length', `${POST}Content-Length: -1\r\n\r\n`],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/3.7', `GET ${LATEST} HTTP/3.7\r\nHost: localhost\r\n\r\n`],
    ['no version', `GET ${LATEST} HTTP\r\n\r\n`],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a shell command', 'ls -la\r\n\r\n'],
    ['binary bytes', '\x00\xff\xfe\x80\r\n\r\n'],
  ])('error: %s', async (_, sent) => {
    const reply = await askOne(sent)
    expectProblem(reply, 400, 'REQUEST_MALFORMED')
    expect(reply.headers.connection).toBe('close')
  })

  it.each([
    ['one header', requestTo(LATEST, { head: `X: ${'a'.repeat(129 * KB)}\r\n` })],
    ['many headers', requestTo(LATEST, { head: `X: ${'a'.repeat(1000)}\r\n`.repeat(150) })],
    ['a megabyte', requestTo(LATEST, { head: `X: ${'a'.repeat(KB * KB)}\r\n` })],
    ['the target', requestTo(`/${'a'.repeat(129 * KB)}`)],
  ])('error: a head over 128 KB: %s', async (_, sent) => {
    expectProblem(await askOne(sent), 431, 'REQUEST_TOO_LARGE', '128 KB')
  })
  it('args: a head of 120 KB', async () => {
    expect((await askOne(requestTo(LATEST, { head: `X: ${'a'.repeat(120 * KB)}\r\n` }))).status).toBe(200)
  })

  it.each([5000, 30_000])('args: the key is found before and after %i headers', async count => {
    const head = 'X:\r\n'.repeat(count)
    expect((await askOne(requestTo(LATEST, { head }))).status).toBe(200)
    const late = requestTo(LATEST, { head: `${head}Authorization: test-api-key\r\n` })
    expect((await askOne(late.replace('Authorization: test-api-key\r\n', ''))).status).toBe(200)
  })

  it.each(['test-api-key', 'other', ''])('error: a second Authorization header: %j', async second => {
    for (const [one, other] of [
      ['test-api-key', second],
      [second, 'test-api-key'],
    ]) {
      const { status, body } = await askOne(requestTo(LATEST, { key: one!, head: `authorization: ${other}\r\n` }))
      expect({ status, ...JSON.parse(body) }).toEqual({
        status: 401,
        error: 'unauthorized',
        message: 'The Authorization header has several values: send only the API key.',
      })
    }
    const { requests } = JSON.parse((await askOne(requestTo('/_mock/sessions/default/requests'))).body)
    expect(requests.at(-1)).toMatchObject({ status: 401, apiKey: '(several values, not shown)' })
  })

  it('args: HTTP/1.0 ends the connection', async () => {
    const sent = `GET ${LATEST} HTTP/1.0\r\nAuthorization: test-api-key\r\n\r\n`
    const { status, headers } = await askOne(sent)
    expect(status).toBe(200)
    expect(headers.connection).toBe('close')
  })

  it('args: HTTP/0.9', async () => expect((await askOne(`GET ${LATEST}\r\n\r\n`)).status).toBe(401))

  it('args: Expect: 100-continue gets an interim reply and the answer', async () => {
    const [interim, answer] = await ask(requestTo(LATEST, { head: 'Expect: 100-continue\r\n' }))
    expect(interim!.status).toBe(100)
    expect(answer!.status).toBe(200)
  })

  it.each([
    ['another Expect', 'Expect: the-unexpected\r\n'],
    ['Upgrade: websocket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
    ['Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'],
    ['Accept: msw/passthrough', 'Accept: msw/passthrough\r\n'],
    ['Accept: an unavailable type', 'Accept: image/png;q=0.1\r\n'],
    ['Range', 'Range: bytes=0-1\r\n'],
    ['If-None-Match', 'If-None-Match: *\r\n'],
    ['a method override', 'X-HTTP-Method-Override: DELETE\r\n'],
    ['names from Object.prototype', '__proto__: x\r\nconstructor: x\r\ntoString: x\r\n'],
  ])('args: %s changes nothing', async (_, head) => {
    expect((await askOne(requestTo(LATEST, { head }))).status).toBe(200)
    expect((await askOne(requestTo('/_mock/health', { head }))).status).toBe(200)
  })
})
