// The console as a server sends it: compressed, cached, protected, and only to browsers.
import { request } from 'node:http'
import { extname } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { startMock } from '../../../test/support/listen.js'
import { mockMiddleware } from '../express.js'
import { startServer } from './server.js'
import type { Exchange } from './write.js'

const exchanges: Exchange[] = []
const server = await startMock({ onExchange: exchange => exchanges.push(exchange) }, afterAll)
/** The types of the files of the page. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** A request without the decompression and the redirects of fetch. */
function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
    const sent = request(url, { method, headers }, reply => {
      const pieces: Buffer[] = []
      reply.on('data', piece => pieces.push(piece))
      reply.on('end', () =>
        resolve({
          status: reply.statusCode!,
          headers: reply.headers as Record<string, string>,
          body: Buffer.concat(pieces),
        }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

const pageUrl = `${server.url}/_mock/`
const html = (await get(pageUrl, PAGE)).body.toString()
const files = [...html.matchAll(/(?:src|href)="\.\/(console\/[^"]+)"/g)].map(([, file]) => file!)

it('default: the page and its files', async () => {
  expect(html).toContain('<div id="app">')
  expect(files.length).toBeGreaterThanOrEqual(3)
  for (const file of files) {
    const { status, headers } = await get(pageUrl + file)
    const { 'content-type': type, 'cache-control': caching, vary } = headers
    expect([status, type, caching, vary]).toEqual([
      200,
      MEDIA_TYPES[extname(file)],
      'public, max-age=31536000, immutable',
      'accept-encoding',
    ])
    expect(headers['access-control-allow-origin']).toBeUndefined()
  }
})

it('behavior: no code and no style in the page, and none is allowed', async () => {
  expect(html).not.toMatch(/<style|style="|<script(?![^>]* src=)|\son\w+="/)
  const { headers } = await get(pageUrl, PAGE)
  const { date: _, etag: _etag, 'content-length': _length, ...others } = headers
  expect(others).toMatchInlineSnapshot(`
    {
      "cache-control": "no-cache",
      "connection": "keep-alive",
      "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "content-type": "text/html; charset=utf-8",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "keep-alive": "timeout=75",
      "referrer-policy": "no-referrer",
      "vary": "accept, accept-encoding",
      "x-content-type-options": "nosniff",
      "x-price-feed-mock": "own",
    }
  `)
})

it('behavior: brotli, gzip, or neither, as the browser accepts', async () => {
  const script = pageUrl + files.find(file => file.endsWith('.js'))
  const [plain, gzip, brotli, refused] = await Promise.all([
    get(script),
    get(script, { 'accept-encoding': 'gzip, deflate' }),
    get(script, { 'accept-encoding': 'gzip, deflate, br' }),
    get(script, { 'accept-encoding': 'br;q=0, gzip;q=0.0' }),
  ])
  expect([plain, gzip, brotli, refused].map(({ headers }) => headers['content-encoding'])).toEqual([
    undefined,
    'gzip',
    'br',
    undefined,
  ])
  for (const { headers, body } of [plain, gzip, brotli, refused]) {
    expect(headers.vary).toBe('accept-encoding')
    expect(Number(headers['content-length'])).toBe(body.length)
  }
  expect(gunzipSync(gzip.body)).toEqual(plain.body)
  expect(brotliDecompressSync(brotli.body)).toEqual(plain.body)
})

it('behavior: 304 for a file that the browser has, and HEAD without a body', async () => {
  const { headers } = await get(pageUrl, PAGE)
  const again = await get(pageUrl, { ...PAGE, 'if-none-match': headers.etag! })
  expect([again.status, again.body.length]).toEqual([304, 0])
  // As caches write it: without its weakness, among others, or any.
  for (const known of [headers.etag!.slice(2), `"x", ${headers.etag}`, '*'])
    expect((await get(pageUrl, { ...PAGE, 'if-none-match': known })).status).toBe(304)
  expect((await get(pageUrl, { ...PAGE, 'if-none-match': '"x"' })).status).toBe(200)
  const head = await get(pageUrl, PAGE, 'HEAD')
  expect([head.status, head.body.length]).toEqual([200, 0])
})

it('behavior: without the slash, and from /, a browser is sent to the page, also behind a path of a proxy', async () => {
  for (const path of ['/', '/_mock']) {
    const { status, headers } = await get(server.url + path, PAGE)
    expect([status, new URL(headers.location!, `http://proxy.example/mock${path}`).pathname]).toEqual([
      302,
      '/mock/_mock/',
    ])
  }
})

it.each(['console/none.js', 'console/..%2findex.html', 'console/%2e%2e/%2e%2e/package.json', 'console/'])(
  'error: %s is no file of the console',
  async path => expect((await get(pageUrl + path)).status).toBe(404),
)

it('error: a name that was rebound to this machine, and a page of another origin', async () => {
  for (const path of ['', ...files]) {
    expect((await get(pageUrl + path, { ...PAGE, host: 'evil.example' })).status).toBe(403)
    expect((await get(pageUrl + path, { origin: 'https://evil.example' })).status).toBe(403)
  }
})

it('behavior: reads of the console are not logged, its changes are', async () => {
  exchanges.length = 0
  const console = { 'x-price-feed-mock-console': '1' }
  await fetch(`${server.url}/_mock/info`, { headers: console })
  expect(exchanges).toEqual([])
  await fetch(`${server.url}/_mock/sessions/default/reset`, { method: 'POST', headers: console })
  expect(exchanges).toMatchObject([{ by: 'mock', method: 'POST' }])
})

describe('with a token', async () => {
  const guarded = await startMock({ adminToken: 'correct-horse' }, afterAll)

  it('behavior: the page and its files are open, the admin is not', async () => {
    const page = `${guarded.url}/_mock/`
    for (const [path, status] of [
      ['', 200],
      [files[0]!, 200],
      ['info', 401],
      ['sessions/default/events', 401],
      ['sessions/default/market', 401],
    ] as const)
      expect([path, (await get(page + path, PAGE)).status]).toEqual([path, status])
    expect((await get(page)).status).toBe(401)
  })
})

it('behavior: a charting endpoint at another port may be reached', async () => {
  const two = await startServer({ port: 0, historyPort: 0 })
  const { headers } = await get(`${two.url}/_mock/`, PAGE)
  expect(headers['content-security-policy']).toContain(`connect-src 'self' ${two.url} ${two.historyUrl};`)
  await two.stop()
})

it('behavior: below a prefix of an Express app', async () => {
  const app = express()
  app.use('/api', mockMiddleware())
  const listening = app.listen(0)
  const { port } = listening.address() as { port: number }
  const page = `http://127.0.0.1:${port}/api/_mock/`
  const { status, body } = await get(page, PAGE)
  expect(status).toBe(200)
  expect(body.toString()).toContain('<div id="app">')
  expect((await get(page + files[0])).status).toBe(200)
  expect((await get(page.slice(0, -1), PAGE)).headers.location).toBe('/api/_mock/')
  listening.close()
})
