// User handlers of msw beside the mock: their precedence, and the bodies and headers of their replies.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { HttpResponse, http, passthrough } from 'msw'
import { expect, it, onTestFinished } from 'vitest'
import { serveHandlers } from '../../../test/support/hosts/serve-handlers.js'
import { startServer } from './server.js'

let cancelled = (): void => {}

function endlessly(controller: ReadableStreamDefaultController): void {
  controller.enqueue(new Uint8Array(65_536))
}

const { url, ask, exchanges } = serveHandlers([
  http.get('https://api.example/absolute', () => HttpResponse.text('never')),
  http.post('/echo', async ({ request }) => {
    return HttpResponse.text(`${request.headers.get('content-type')} ${await request.text()}`)
  }),
  http.post('/json', async ({ request }) => HttpResponse.json(await request.json())),
  http.get('/headers', () =>
    HttpResponse.text('mine', {
      status: 418,
      statusText: 'Short and stout',
      headers: [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['access-control-allow-origin', 'https://app.example'],
        ['x-price-feed-mock', 'mine'],
      ],
    }),
  ),
  http.get('/empty', () => new HttpResponse(null, { status: 204 })),
  http.get('/passed', () => passthrough()),
  http.get('/nothing', () => undefined),
  http.get('/packed', () => {
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain', 'set-cookie': 'a=1' }
    return new HttpResponse(gzipSync('packed'.repeat(9)), { status: 203, headers })
  }),
  http.get('/proxied', () => fetch(url('/packed'))),
  http.get('/throws-response', () => {
    throw HttpResponse.text('thrown', { status: 402 })
  }),
  http.get('/cancelled', () => new HttpResponse(new ReadableStream({ pull: endlessly, cancel: () => cancelled() }))),
  http.get('/prices/:id/latest', () => HttpResponse.text('not the price of the mock')),
  http.all('/_mock/*', () => HttpResponse.text('not the admin')),
  http.all('/', () => HttpResponse.text('not the index')),
])

it('default: a handler answers a path that the mock does not have, with the mark', async () => {
  const { status, headers, body } = await ask('/hello')
  expect({ status, body }).toEqual({ status: 200, body: '{"hello":"world"}' })
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('x-price-feed-mock')).toBe('handlers')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(exchanges).toMatchObject([{ by: 'mock', method: 'GET', target: '/hello', status: 200 }])
})

it.each(['/prices/BTCUSD/latest', '/session/a/prices/BTCUSD/latest'])(
  'behavior: endpoints come first: %s',
  async path => {
    const { headers } = await ask(path, { headers: { authorization: 'test-api-key' } })
    expect(headers.get('x-price-feed-mock')).toMatch(/^session=/)
  },
)

it.each(['/', '/_mock/health', '/_mock/nowhere', '/_MOCK/health'])(
  'behavior: the index and the admin come first: %s',
  async path => expect((await ask(path)).headers.get('x-price-feed-mock')).toMatch(/^own/),
)

it.each(['/nowhere', '/passed', '/nothing', '/absolute'])(
  'behavior: the 404 of the mock comes last: %s',
  async path => {
    const { status, headers, body } = await ask(path)
    expect({ status, body }).toMatchObject({
      status: 404,
      body: expect.stringContaining(`Nothing answers GET ${path}.`),
    })
    expect(headers.get('x-price-feed-mock')).toBe('own, code="UNKNOWN_ROUTE"')
  },
)

it.each(['HEAD', 'DELETE'])('behavior: a handler of GET does not answer %s', async method => {
  expect((await ask('/hello', { method })).status).toBe(404)
})

it.each([
  ['/echo', 'text/plain', 'hello'],
  ['/echo', 'application/json', '{"a": 1}'],
  ['/echo', 'application/x-www-form-urlencoded', 'a=1&b=2'],
  ['/echo', 'application/octet-stream', 'x'.repeat(900_000)],
])('behavior: a handler gets the body as sent: %s, %s', async (path, type, body) => {
  expect((await ask(path, { method: 'POST', headers: { 'content-type': type }, body })).body).toBe(`${type} ${body}`)
})

it('behavior: a handler can parse JSON, or fail to', async () => {
  const headers = { 'content-type': 'application/json' }
  expect((await ask('/json', { method: 'POST', headers, body: '{"a":1}' })).body).toBe('{"a":1}')
  expect((await ask('/json', { method: 'POST', headers, body: '{"a":' })).status).toBe(500)
})

it('error: a body above 1 MB', async () => {
  const { status, body } = await ask('/echo', { method: 'POST', body: 'x'.repeat(1_100_000) })
  expect({ status, code: JSON.parse(body).code }).toEqual({ status: 413, code: 'BODY_TOO_LARGE' })
})

it('behavior: a body without a handler is rejected as usual', async () => {
  const { status, body } = await ask('/nowhere', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect({ status, code: JSON.parse(body).code }).toEqual({ status: 404, code: 'UNKNOWN_ROUTE' })
})

it('behavior: status, reason and headers of a handler are kept', async () => {
  const response = await fetch(url('/headers'))
  expect(response.status).toBe(418)
  expect(response.statusText).toBe('Short and stout')
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
  expect(response.headers.get('x-price-feed-mock')).toBe('mine')
})

it.each(['/packed', '/proxied'])('behavior: a compressed body comes, also that of another server: %s', async path => {
  const { status, headers, body } = await ask(path)
  expect({ status, body }).toEqual({ status: 203, body: 'packed'.repeat(9) })
  expect([headers.get('content-type'), headers.getSetCookie()]).toEqual(['text/plain', ['a=1']])
})

it('behavior: the handler of docs/how-to.md passes on what the mock does not serve', async () => {
  const page = readFileSync(new URL('../../../docs/how-to.md', import.meta.url), 'utf8')
  const [, source] = /^\/\/ handlers\.js\nimport .* from 'msw'\n([\s\S]*?)^```/m.exec(page)!
  const own = source!.replace('https://api.example', url('')).replace('export const handlers =', 'return')
  const front = await startServer({ port: 0, handlers: new Function('http', own)(http) })
  onTestFinished(() => front.stop())
  const send = (path: string, init?: RequestInit) => fetch(`${front.url}${path}`, init)
  const headers = { authorization: 'test-api-key', 'content-type': 'text/plain' }
  expect(await (await send('/echo?a=1', { method: 'POST', headers, body: 'hello' })).text()).toBe('text/plain hello')
  expect([(await send('/packed')).status, (await send('/throws-response')).status]).toEqual([203, 402])
  expect(await (await send('/prices/BTCUSD/latest', { headers })).json()).toMatchObject({ feedId: 'BTCUSD' })
})

it('behavior: 204 has no body, and a thrown response is sent', async () => {
  expect(await ask('/empty')).toMatchObject({ status: 204, body: '' })
  expect(await ask('/throws-response')).toMatchObject({ status: 402, body: 'thrown' })
})

it('behavior: an aborted request ends an endless body', async () => {
  const ended = new Promise<void>(resolve => (cancelled = resolve))
  const caller = new AbortController()
  const { body } = await fetch(url('/cancelled'), { signal: caller.signal })
  await body!.getReader().read()
  caller.abort()
  await ended
})
