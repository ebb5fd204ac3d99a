// The Express host: a mock inside an existing app of Express 4 or 5, at a prefix or at the root.
import { once } from 'node:events'
import { createServer, request as httpRequest, type RequestListener, type ServerResponse } from 'node:http'
import { connect, createSecureServer } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { createRequire } from 'node:module'
import express5 from 'express'
import { describe, expect, it } from 'vitest'
import { KEY } from '../../test/support/ask.js'
import { CHANGES, type Change, withOutcome } from '../../test/support/hosts/with-outcome.js'
import { AT } from '../../test/support/hosts.js'
import { listen } from '../../test/support/listen.js'
import { LATEST, requestTo, talk } from '../../test/support/raw.js'
import { TLS } from '../../test/support/tls.js'
import { TRANSPORTS, trustAnyCertificate } from '../../test/support/wire.js'
import { createMock, type Mock } from '../index.js'
import { type MiddlewareOptions, type MockMiddleware, mockMiddleware } from './express.js'

/** The part of Express that the tests use, in either version. */
interface App extends RequestListener {
  use(...handlers: unknown[]): void
  set(setting: string, value: unknown): void
  all(path: string, handler: unknown): void
}
type Express = typeof express5

/** An app after the mock, or instead of it. */
type AppRequest = { readonly url: string; readonly body: unknown }

// The Express 4 that @mswjs/http-middleware brings.
const require = createRequire(import.meta.url)
const express4 = createRequire(require.resolve('@mswjs/http-middleware'))('express') as Express

async function ask(url: string, init: RequestInit = {}) {
  const { headers, ...rest } = init
  const response = await fetch(url, { ...rest, redirect: 'manual', headers: { ...KEY, ...headers } })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

const createFrozen = () => createMock({ clock: { at: AT, frozen: true } })

describe.each(TRANSPORTS)('a server without Express over %s', transport => {
  trustAnyCertificate(transport === 'TLS')

  it('behavior: addresses have its scheme, and the prefix that it takes off as that of Vite does', async () => {
    const middleware = mockMiddleware(createFrozen())
    const app: RequestListener = (request, response) => {
      const originalUrl = request.url!
      request.url = originalUrl.slice('/feed'.length)
      middleware(Object.assign(request, { originalUrl }), response, () => response.end('the app'))
    }
    const server = transport === 'TLS' ? createHttpsServer(TLS, app) : createServer(app)
    const url = `${transport === 'TLS' ? 'https' : 'http'}://127.0.0.1:${await listen(server)}/feed`
    expect(JSON.parse((await ask(`${url}/_mock/info`)).body)).toMatchObject({ baseUrl: url })
    expect((await ask(url + LATEST)).status).toBe(200)
    expect((await ask(`${url}/else`)).body).toBe('the app')
  })
})

it('behavior: the admin answers over HTTP/2, which has no Host header', async () => {
  const middleware = mockMiddleware(createFrozen())
  const server = createSecureServer(TLS, (request, response) =>
    middleware(request as never, response as never, () => response.end('the app')),
  )
  const client = connect(`https://127.0.0.1:${await listen(server)}`, { ca: TLS.cert })
  const ask = async (path: string) => {
    let text = ''
    for await (const part of client.request({ ':path': path, ...KEY }).setEncoding('utf8')) text += part
    return JSON.parse(text) as Record<string, unknown>
  }
  expect(await ask('/_mock/info')).toMatchObject({ baseUrl: expect.stringMatching(/^https:\/\/127\.0\.0\.1:/) })
  expect(await ask(LATEST)).toMatchObject({ feedId: 'BTCUSD' })
  client.close()
})

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s', (_version, express) => {
  const createApp = (): App => express() as unknown as App

  /** An app that answers with its own words what the mock leaves to it. */
  async function serve(
    middleware: MockMiddleware,
    { prefix = '/api/feed', before = () => {} }: { prefix?: string; before?: (app: App) => void } = {},
  ) {
    const app = createApp()
    before(app)
    app.use(prefix, middleware)
    app.use(express.text() as unknown)
    app.use((request: AppRequest, response: { end(text: string): void }) =>
      response.end(`app ${request.url} ${typeof request.body === 'string' ? request.body : ''}`),
    )
    return `http://127.0.0.1:${await listen(createServer(app))}${prefix === '/' ? '' : prefix}`
  }
  const serveMock = (options?: MiddlewareOptions, mock: Mock = createFrozen()) => serve(mockMiddleware(mock, options))

  it('default: the five endpoints and the admin are below the prefix', async () => {
    const base = await serveMock()
    expect((await ask(base + LATEST)).headers.get('x-price-feed-mock')).toBe('session="default", now=1753354105, n=1')
    expect((await ask(`${base}/session/a${LATEST}`)).headers.get('x-price-feed-mock')).toMatch(/^session="a"/)
    expect((await ask(`${base}/_mock/health`)).status).toBe(200)
    const url = encodeURIComponent(`${base}/session/a${LATEST}`)
    expect((await ask(`${base}/_mock/explain?url=${url}`)).body).toContain('"session":"a"')
    expect((await ask(`${base}/_mock/metrics`)).body).toContain('endpoint="latest"')
    expect((await ask(new URL(LATEST, base).href)).body).toBe(`app ${LATEST} `)
  })

  it.each(['/', '/nowhere', '/prices', '/session/login', '/_mockery'])(
    'behavior: other requests reach the app with their body: %s',
    async path => {
      const base = await serveMock()
      const headers = { 'content-type': 'text/plain' }
      const { body } = await ask(base + path, { method: 'POST', headers, body: 'hello' })
      expect(body).toBe(`app /api/feed${path} hello`)
    },
  )

  it.each([
    ['text/plain', 415],
    ['application/json', 201],
  ])('behavior: a body in chunks to the admin is %s: %i', async (type, status) => {
    const base = await serveMock()
    const body = new Blob(['{"id":"a"}']).stream()
    const init = { method: 'POST', headers: { 'content-type': type }, body, duplex: 'half' } as RequestInit
    expect((await ask(`${base}/_mock/sessions`, init)).status).toBe(status)
  })

  it('behavior: requests of the app create no sessions', async () => {
    const mock = createFrozen()
    const base = await serveMock({}, mock)
    await ask(`${base}/session/login`)
    expect(mock.sessions.size).toBe(1)
  })

  it.each(['/scenario/clam/prices/batch', '/_mock/nowhere'])(
    'error: the mock answers its own paths: %s',
    async path => {
      const { status, headers } = await ask((await serveMock()) + path)
      expect(status).toBe(404)
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
    },
  )

  it('args: fallthrough', async () => {
    const base = await serveMock({ fallthrough: false })
    expect((await ask(`${base}/nowhere`)).headers.get('x-price-feed-mock')).toBe('own, code="UNKNOWN_ROUTE"')
    expect(JSON.parse((await ask(base)).body).name).toBe('price-feed-mock')
    const page = await ask(`${base}/`, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('location')]).toEqual([302, '/api/feed/_mock/'])
  })

  it('behavior: the server of the OpenAPI document has the prefix', async () => {
    const address = `${await serveMock()}/_mock/openapi.json`
    const { servers } = JSON.parse((await ask(address)).body)
    expect(new URL(servers[0].url, address).pathname).toBe('/api/feed/')
  })

  it.each(['/_mock', '/_mock/'])('behavior: the links of %s contain the prefix', async path => {
    const page = (await serveMock()) + path
    const links = [...(await ask(page)).body.matchAll(/href="([^"]+)"/g)].map(([, href]) =>
      String(new URL(href!, page)),
    )
    expect(links.length).toBeGreaterThan(5)
    // The stream of events does not end.
    for (const link of links) expect((await ask(link, { method: 'HEAD' })).status, link).toBe(200)
  })

  it('behavior: the mock can be at the root', async () => {
    const base = await serve(mockMiddleware(createFrozen()), { prefix: '/' })
    expect((await ask(base + LATEST)).status).toBe(200)
    for (const path of ['/', '/index.html']) expect((await ask(base + path)).body).toBe(`app ${path} `)
  })

  it('error: invalid options', () => {
    expect(() => mockMiddleware({ clock: { speed: -1 } })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })

  it.each([
    ['a name', ['x'], 'mock'],
    ['null', [null], 'mock'],
    ['a list', [[]], 'mock'],
    ['null as options', [{}, null], 'options'],
    ['a misspelt option', [{}, { fallthru: 1 }], 'fallthru'],
    ['a number as flag', [{}, { fallthrough: 1 }], 'fallthrough'],
    ['a name as list', [{}, { allowHosts: 'app.internal' }], 'allowHosts'],
    ['a name with a port', [{}, { allowHosts: ['app.internal:80'] }], 'allowHosts'],
  ])('error: %s', (_title, given, at) => {
    const make = () => mockMiddleware(...(given as Parameters<typeof mockMiddleware>))
    expect(make).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID', problems: [expect.objectContaining({ at })] }),
    )
  })

  it('error: a misspelt option names the nearest one', () => {
    expect(() => mockMiddleware({}, { falltrough: 1 } as never)).toThrowErrorMatchingInlineSnapshot(`
      [OptionsInvalidError: mockMiddleware(mock, options) has 1 problem.
        at    falltrough
        got   an unknown key
        want  fallthrough (closest)
        code  OPTIONS_INVALID]
    `)
  })

  it.each([
    ['no body', () => {}],
    ['JSON', (app: App) => app.use(express.json())],
    ['text', (app: App) => app.use(express.text({ type: '*/*' }))],
    ['bytes', (app: App) => app.use(express.raw({ type: '*/*' }))],
    ['none of this type', (app: App) => app.use(express.urlencoded({ extended: true }))],
  ])('behavior: the admin accepts a body that the app has parsed: %s', async (_title, before) => {
    const base = await serve(mockMiddleware(createFrozen()), { before })
    const body = JSON.stringify({ id: 'a', seed: '7' })
    const json = { 'content-type': 'application/json' }
    const created = await ask(`${base}/_mock/sessions`, { method: 'POST', headers: json, body })
    expect(created.status, created.body).toBe(201)
    expect(JSON.parse(created.body)).toMatchObject({
      id: 'a',
      seed: '7',
      baseUrl: `${base}/session/a`,
      historyUrl: `${base}/session/a`,
    })
    const other = await ask(`${base}/_mock/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body,
    })
    expect(JSON.parse(other.body).code).toBe('BODY_NOT_JSON')
    const none = await ask(`${base}/_mock/sessions/a/reset`, { method: 'POST' })
    expect(none.status).toBe(200)
  })

  it('behavior: base URLs follow the proxy settings of the app', async () => {
    const before = (app: App) => app.set('trust proxy', true)
    const base = await serve(mockMiddleware(createFrozen(), { allowHosts: ['mock.example'] }), { before })
    const { body } = await ask(`${base}/_mock/sessions`, { headers: { 'x-forwarded-proto': 'https' } })
    expect(body).toContain(`"${base.replace('http:', 'https:')}`)
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'mock.example, inner.example' }
    expect((await ask(`${base}/_mock/sessions`, { headers })).body).toContain('"https://mock.example/')
    // Without the setting, anybody could send them.
    const direct = await serve(mockMiddleware(createFrozen()))
    expect((await ask(`${direct}/_mock/sessions`, { headers })).body).toContain(`"${direct}`)
  })

  it('error: 403 for a host name that a trusted proxy forwards', async () => {
    const before = (app: App) => app.set('trust proxy', true)
    const base = await serve(mockMiddleware(createFrozen(), { allowHosts: ['mock.example'] }), { before })
    const statusFor = async (host: string): Promise<number> =>
      (await ask(`${base}/_mock/sessions`, { headers: { 'x-forwarded-host': host } })).status
    expect([await statusFor('mock.example:8080'), await statusFor('evil.example, mock.example')]).toEqual([200, 403])
  })

  it('error: a body that was read before is told, and taken from request.body', async () => {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":"a"}' }
    const reads = (key: string) => (app: App) =>
      app.use(async (request: AsyncIterable<Buffer> & Record<string, unknown>, _: unknown, next: () => void) => {
        let text = ''
        for await (const chunk of request) text += chunk
        request[key] = text
        next()
      })
    const answerOf = async (key: string) => {
      const base = await serve(mockMiddleware(createFrozen()), { before: reads(key) })
      return JSON.parse((await ask(`${base}/_mock/sessions`, post)).body)
    }
    expect(await answerOf('rawBody')).toMatchObject({
      code: 'BODY_NOT_JSON',
      detail: expect.stringMatching(/^The body was read before the mock got the request\./),
    })
    expect(await answerOf('body')).toMatchObject({ id: 'a' })
  })

  it('behavior: headers of the app are kept and headers of the service unchanged', async () => {
    const before = (app: App) =>
      app.use((_: unknown, response: { setHeader(name: string, value: string): void }, next: () => void) => {
        response.setHeader('x-app', 'yes')
        response.setHeader('access-control-allow-origin', 'https://app.example')
        next()
      })
    const base = await serve(mockMiddleware(createFrozen()), { before })
    const { headers } = await ask(base + LATEST)
    expect(headers.get('x-app')).toBe('yes')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('date')).toBe('Thu, 24 Jul 2025 10:48:25 GMT')
  })

  it('error: 403 from the admin for a foreign host name, but not from endpoints', async () => {
    const status = async (base: string, path: string) => {
      const sent = httpRequest(base + path, { headers: { ...KEY, host: 'app.internal' } }).end()
      const [response] = await once(sent, 'response')
      return response.resume().statusCode
    }
    const closed = await serveMock()
    expect(await status(closed, '/_mock/health')).toBe(403)
    expect(await status(closed, LATEST)).toBe(200)
    expect(await status(await serveMock({ allowHosts: ['app.internal'] }), '/_mock/health')).toBe(200)
  })

  it('behavior: the journal streams', async () => {
    const base = await serveMock()
    const caller = new AbortController()
    const response = await fetch(`${base}/_mock/sessions/default/events`, { signal: caller.signal })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toMatch(/^: the journal/)
    await ask(base + LATEST)
    expect((await reader.read()).value).toContain('"endpoint":"latest"')
    caller.abort()
  })

  describe.each([
    ['outcomes on the socket', () => {}],
    ['outcomes behind what drops callbacks', (app: App) => app.use(dropCallbacks)],
  ])('%s', (_title, before) => {
    const serveChanged = (change: Change) => serve(mockMiddleware(withOutcome(createFrozen(), change)), { before })
    const changed = (kind: keyof typeof CHANGES) => serveChanged(CHANGES[kind])
    const send = (base: string) => httpRequest(base + LATEST, { headers: KEY }).end()

    it.each([
      ['reset', 'read ECONNRESET'],
      ['hangUp', 'socket hang up'],
    ] as const)('behavior: %s', async (kind, message) => {
      const [error] = await once(send(await changed(kind)), 'error')
      expect(error).toMatchObject({ code: 'ECONNRESET', message })
    })
    it('behavior: timeout that waits', async () => {
      const caller = new AbortController()
      let isAsked = (): void => {}
      const asked = new Promise<void>(resolve => (isAsked = resolve))
      const base = await serveChanged(() => {
        isAsked()
        return CHANGES.timeout()
      })
      const answer = fetch(base + LATEST, { signal: caller.signal })
      await asked
      caller.abort(new Error('enough'))
      await expect(answer).rejects.toThrow('enough')
    })

    it('behavior: truncate', async () => {
      const [response] = await once(send(await changed('truncate')), 'response')
      let body = ''
      response.on('data', (piece: Buffer) => (body += piece))
      const [error] = await once(response, 'error')
      expect(error.code).toBe('ECONNRESET')
      expect(body).toBe('{"feedId":"BTCUSD","')
      expect(Number(response.headers['content-length'])).toBeGreaterThan(20)
    })

    it.each(['dribble', 'delay'] as const)('behavior: %s', async kind => {
      expect(JSON.parse((await ask((await changed(kind)) + LATEST)).body)).toMatchObject({ feedId: 'BTCUSD' })
    })

    it('behavior: a truncated reply keeps its place on a connection and has the announced bytes', async () => {
      const { port } = new URL(await changed('truncate'))
      const first = requestTo('/api/feed/_mock/health').replace('Connection: close\r\n', '')
      const raw = await talk(Number(port), first + requestTo(`/api/feed${LATEST}`))
      expect(raw.match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
      expect(raw.endsWith('\r\n\r\n{"feedId":"BTCUSD","')).toBe(true)
    })
  })

  it('behavior: the headers of a reply pass through a middleware that replaces writeHead', async () => {
    const base = await serve(mockMiddleware(createFrozen()), { before: app => app.use(setHeadersOneByOne) })
    const [own, wrapped] = [await ask((await serveMock()) + LATEST), await ask(base + LATEST)]
    expect(wrapped.status).toBe(200)
    expect([...wrapped.headers]).toEqual([...own.headers])
  })

  it('behavior: truncate works behind a middleware that buffers bodies', async () => {
    const before = (app: App) => app.use(holdBack)
    const base = await serve(mockMiddleware(withOutcome(createFrozen(), CHANGES.truncate)), { before })
    const [response] = await once(httpRequest(base + LATEST, { headers: KEY }).end(), 'response')
    expect(response.statusCode).toBe(200)
    const [error] = await once(response.resume(), 'error')
    expect(error.code).toBe('ECONNRESET')
  })
})

/** A middleware that wraps `write` and passes on no callback, as compression does. */
function dropCallbacks(_: unknown, response: ServerResponse, next: () => void): void {
  const { write, end } = response
  response.write = (chunk: unknown, encoding: unknown) => write.call(response, chunk, encoding as BufferEncoding)
  response.end = ((chunk: unknown, encoding: BufferEncoding) =>
    end.call(response, chunk, encoding)) as typeof response.end
  next()
}

/** A middleware that takes the headers of `writeHead` as an object or as pairs, as on-headers before 1.1. */
function setHeadersOneByOne(_: unknown, response: ServerResponse, next: () => void): void {
  const { writeHead } = response
  response.writeHead = ((status: number, headers: object = {}) => {
    for (const [name, value] of Array.isArray(headers) ? headers : Object.entries(headers))
      response.setHeader(name, value)
    return writeHead.call(response, status)
  }) as typeof response.writeHead
  next()
}

/** A middleware that writes nothing before the end, as compression may. */
function holdBack(_: unknown, response: ServerResponse, next: () => void): void {
  response.write = () => true
  next()
}
