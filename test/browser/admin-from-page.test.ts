// The admin from pages in Chromium: a page of an allowed origin uses it, others and requests without CORS do not.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright'
import { build, type Rolldown } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ServerOptions } from '../../src/hosts/node/server.js'
import { CHROMIUM, NO_CHROMIUM } from '../support/find-chromium.js'
import { startMock } from '../support/listen.js'
import { needs } from '../support/needs.js'

describe('the admin from a page of another port', needs(NO_CHROMIUM), () => {
  let browser: Browser
  let page: Page
  let script = ''
  const app = createServer((request, response) => {
    const isScript = request.url === '/client.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : '<!doctype html><title>App</title><script src="client.js"></script>')
  })
  let origin = ''

  beforeAll(async () => {
    const entry = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url))
    const lib = { entry, formats: ['iife' as const], name: 'kit' }
    const built = await build({ configFile: false, logLevel: 'error', build: { write: false, lib } })
    script = (built as Rolldown.RolldownOutput[])[0]!.output[0].code
    await once(app.listen(0, '127.0.0.1'), 'listening')
    origin = `http://localhost:${(app.address() as AddressInfo).port}`
    browser = await chromium.launch(CHROMIUM)
  })
  afterEach(async () => {
    await page?.context().close()
  })
  afterAll(async () => {
    await browser?.close()
    app.close()
  })

  /** Opens the app's page beside a server. `onPage` evaluates an expression with `admin` and `url` in it. */
  async function open(options: ServerOptions = {}, token?: string) {
    const server = await startMock({ ...options })
    page = await (await browser.newContext()).newPage()
    await page.goto(origin)
    await page.evaluate(`var url = '${server.url}'
      var admin = kit.createAdminClient({ url, token: ${JSON.stringify(token)} })
      var refusal = asked => asked.then(() => 'answered', error => error.message)`)
    return { server, onPage: (expression: string) => page.evaluate(expression) }
  }

  it('default: with --allow-origin the client reads, creates, changes and deletes', async () => {
    const { server, onPage } = await open({ allowOrigins: [origin] })
    expect(await onPage('admin.info().then(({ name }) => name)')).toBe('price-feed-mock')
    expect(await onPage(`admin.createSession({ body: { id: 'page' } }).then(({ id }) => id)`)).toBe('page')
    const change = `admin.changeSession({ id: 'page', body: { scenario: 'stale-btc' } })`
    expect(await onPage(`${change}.then(({ scenario }) => scenario)`)).toBe('stale-btc')
    expect(server.mock.sessions.get('page').runtime.scenario.definition.name).toBe('stale-btc')
    await onPage(`admin.deleteSession({ id: 'page' })`)
    expect(server.mock.sessions.size).toBe(1)
    expect(await onPage(`refusal(admin.getSession({ id: 'page' }))`)).toContain('SESSION_UNKNOWN')
    const first = `new Promise((resolve, reject) => {
      const events = new EventSource(url + '/_mock/sessions/default/events')
      events.addEventListener('request', ({ data }) => (events.close(), resolve(JSON.parse(data).target)))
      events.onopen = () => fetch(url + '/prices/BTCUSD/latest')
      events.onerror = reject
    })`
    expect(await onPage(first)).toBe('/prices/BTCUSD/latest')
  })

  it('args: a token of the server', async () => {
    const options = { allowOrigins: [origin], adminToken: 'correct-horse' }
    const { onPage } = await open(options, 'correct-horse')
    expect(await onPage(`admin.createSession({ body: { id: 'page' } }).then(({ id }) => id)`)).toBe('page')
    const without = await open(options)
    expect(await without.onPage('refusal(admin.info())')).toContain('401 ADMIN_TOKEN_INVALID')
  })

  it('error: without --allow-origin one sentence names the flag, and nothing has happened', async () => {
    const { server, onPage } = await open()
    for (const call of ['admin.info()', `admin.changeSession({ id: 'default', body: { seed: '7' } })`])
      expect(await onPage(`refusal(${call})`)).toContain(
        `price-feed-mock --allow-origin ${origin}, or allowOrigins: ['${origin}'] of the server in code`,
      )
    expect(server.mock.sessions.default.runtime.settings.seed).toBe('42')
    const { status } = await fetch(`${server.url}/_mock/info`, { headers: { origin } })
    expect(status).toBe(403)
  })

  it('error: requests without CORS reach the five endpoints and nothing of the admin', async () => {
    const statuses: string[] = []
    const { server, onPage } = await open({
      onExchange(exchange) {
        const { method, target, status } = exchange.by === 'service' ? exchange.entry : exchange
        statuses.push(`${method} ${target} ${status}`)
      },
    })
    await onPage(`(async () => {
      await fetch(url + '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h')
      await fetch(url + '/_mock/info', { mode: 'no-cors' })
      await fetch(url + '/_mock/sessions', { mode: 'no-cors', method: 'POST' })
      await new Promise(resolve => Object.assign(new Image(), { onerror: resolve, src: url + '/_mock/health' }))
      navigator.sendBeacon(url + '/_mock/sessions/default/reset')
    })()`)
    await expect.poll(() => statuses.length).toBe(5)
    expect(statuses.map(line => line.split(' ').at(-1))).toEqual(['200', '403', '403', '403', '403'])
    expect(server.mock.sessions.size).toBe(1)
  })

  it('behavior: a link opens the index page, and its links work', async () => {
    const { onPage } = await open()
    await Promise.all([page.waitForURL('**/_mock/'), onPage('location.assign(url)')])
    expect(await page.title()).toContain('price-feed-mock')
    const health = await page.evaluate(`fetch('/_mock/health').then(({ status }) => status)`)
    expect(health).toBe(200)
  })
})
