// User handlers of msw over real sockets: no handler and no request ends the process. The cases include those that end it
// under @mswjs/http-middleware alone.
import { HttpResponse, http } from 'msw'
import { expect, it } from 'vitest'
import { serveHandlers } from '../../../test/support/hosts/serve-handlers.js'
import { requestTo, talk } from '../../../test/support/raw.js'

const SHARED = HttpResponse.json({ shared: true })

function breakingBody(pieces: string[]): ReadableStream<Uint8Array> {
  const left = pieces.map(piece => new TextEncoder().encode(piece))
  return new ReadableStream(
    {
      pull(controller) {
        const piece = left.shift()
        if (piece === undefined) controller.error(new Error('the body broke off'))
        else controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
}

const { url, port, ask, send, exchanges, stderr } = serveHandlers([
  http.get('*/any-host', ({ request }) => HttpResponse.text(request.url)),
  http.get('/id/:id', ({ params }) => HttpResponse.json(params)),
  http.get('/network-error', () => HttpResponse.error()),
  http.get('/throws', () => {
    throw new Error('my own bug\nsecond line')
  }),
  http.get('/throws-nothing', () => {
    throw undefined
  }),
  http.get('/number', () => 5 as never),
  http.get('/text', () => 'hello' as never),
  http.get('/object', () => ({ status: 302 }) as never),
  http.get('/accept', ({ request }) => HttpResponse.json(request.headers.get('accept'))),
  http.get('/shared', () => SHARED),
  http.get('/status-101', () => new HttpResponse(null, { status: 101 })),
  http.get('/status-1000', () => new HttpResponse(null, { status: 1000 })),
  http.get('/breaks-off', () => new HttpResponse(breakingBody(['one', 'two']))),
  http.get('/breaks-at-once', () => new HttpResponse(breakingBody([]))),
])

it.each(['a b', 'a(b', 'a)b', 'a:b', ':4700', '[::1', 'a/b', 'a?b', '{a', 'a*', '99999:99999', '\xe9'])(
  'error: the Host header "%s"',
  async host => {
    const reply = await send('/hello', { host })
    expect(reply).toMatchObject({ status: 400 })
    expect(JSON.parse(reply.body)).toMatchObject({
      code: 'REQUEST_INVALID',
      detail: 'The Host header is not the name of a host.',
    })
  },
)

it.each(['', 'localhost', 'evil.example', '127.0.0.1:4700', '[::1]', '[::1]:4700', '_dmarc.example'])(
  'behavior: the Host header "%s"',
  async host => {
    expect(await send('/hello', { host })).toMatchObject({ status: 200 })
    const seen = (await send('/any-host', { host })).body
    expect(seen).toContain(host === '' ? 'http://localhost/' : `http://${host.replace('[::1]', 'localhost')}/`)
  },
)

it('behavior: no Host header', async () => {
  const raw = await talk(port(), 'GET /hello HTTP/1.0\r\n\r\n')
  expect(raw).toMatch(/^HTTP\/1\.1 200 /)
})

it('behavior: both loopbacks', async () => {
  for (const address of ['127.0.0.1', '::1']) {
    const raw = await talk(port(), requestTo('/hello', { host: `[::1]:${port()}` }), { address }).catch(String)
    // A machine without IPv6 has one loopback.
    if (!raw.includes('ECONNREFUSED') && raw !== '') expect(raw).toMatch(/^HTTP\/1\.1 200 /)
  }
})

it('error: TRACE', async () => {
  const reply = await send('/hello', { method: 'TRACE' })
  expect(reply).toMatchObject({ status: 404 })
  expect(JSON.parse(reply.body).detail).toBe('Nothing answers TRACE /hello.')
})

it('error: HttpResponse.error() resets the connection', async () => {
  await expect(fetch(url('/network-error'))).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  expect(exchanges).toMatchObject([{ by: 'mock', target: '/network-error', status: 0 }])
})

it('error: a body that fails midway resets the connection', async () => {
  const response = await fetch(url('/breaks-off'))
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow('terminated')
  expect(stderr()).toMatch(
    /^price-feed-mock: a handler of your own failed at GET \/breaks-off\.\nError: the body broke off/,
  )
})

it('error: a body that fails before its first byte', async () => {
  const response = await fetch(url('/breaks-at-once'))
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow('terminated')
})

it('error: a handler that throws', async () => {
  const { status, headers, body } = await ask('/throws')
  expect(status).toBe(500)
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(JSON.parse(body)).toMatchObject({
    detail: 'A handler of your own failed to answer GET /throws.',
    got: 'my own bug',
  })
  expect(body).not.toContain('.ts')
  expect(stderr()).toContain('guarded-handlers.test.ts')
})

it('error: neither the answer nor the message of a failure shows an API key', async () => {
  const { body } = await ask('/throws?api_key=live-4242')
  expect(stderr()).toContain('a handler of your own failed at GET /throws?api_key=(not-shown).')
  expect(body + stderr()).not.toContain('live-4242')
})

it('error: a handler that throws nothing', async () => expect((await ask('/throws-nothing')).status).toBe(500))

it.each(['/number', '/text', '/object'])('error: a handler that returns no Response: %s', async path => {
  const { status, body } = await ask(path)
  expect({ status, got: JSON.parse(body).got }).toEqual({
    status: 500,
    got: 'a handler returns a Response, such as HttpResponse.json(…), or nothing: this one returned something else',
  })
})

it.each([
  ['msw/passthrough', ''],
  ['application/json, msw/passthrough', 'application/json'],
  ['msw/passmsw/passthroughthrough,text/html', 'text/html'],
  ['text/html, */*;q=0.8', 'text/html, */*;q=0.8'],
])('behavior: no Accept header skips the handlers: %s', async (accept, seen) => {
  const reply = await send('/accept', { head: `Accept: ${accept}\r\n` })
  expect({ status: reply.status, body: reply.body }).toEqual({ status: 200, body: JSON.stringify(seen) })
})

it.each(['//evil/rates/1', '//_mock/health', '///_mock/'])('error: %s is no path of the admin', async path => {
  for (const host of ['localhost', 'evil.example']) {
    const reply = await send(path, { host })
    expect({ status: reply.status, code: JSON.parse(reply.body).code }).toEqual({
      status: 404,
      code: 'UNKNOWN_ROUTE',
    })
  }
})

it.each(['/', '//', '///'])('behavior: the index is that of the admin: %s', async path => {
  expect((await send(path, { host: 'evil.example' })).status).toBe(403)
})

it('error: a handler that returns the same response twice', async () => {
  expect((await ask('/shared')).body).toBe('{"shared":true}')
  const { status, body } = await ask('/shared')
  expect({ status, got: JSON.parse(body).got }).toEqual({
    status: 500,
    got: 'the body of its Response has been read: make a new one for each request',
  })
})

it.each(['/status-101', '/status-1000'])('error: %s', async path => expect((await ask(path)).status).toBe(500))

it('error: a path that cannot be decoded', async () => {
  const reply = await send('/id/%zz')
  expect(reply).toMatchObject({ status: 400 })
  expect(JSON.parse(reply.body)).toMatchObject({
    detail: 'The path of /id/%zz cannot be decoded.',
    want: 'percent-encoded UTF-8',
  })
  expect(await send('/nobody/%zz')).toMatchObject({ status: 404 })
  expect((await ask('/id/BTC%2FUSD')).body).toBe('{"id":"BTC/USD"}')
})

it('error: a path that looks like another origin stays a path', async () => {
  expect(await send('//evil.example/hello')).toMatchObject({ status: 404 })
  expect((await send('//evil.example/any-host')).body).toBe('http://localhost//evil.example/any-host')
})
