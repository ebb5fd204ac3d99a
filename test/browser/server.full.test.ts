// The ticker against the real server, from another origin: preflights, exposed headers, and a page that distinguishes and survives
// every failure.
import type { Page } from 'playwright'
import { expect, it, onTestFinished } from 'vitest'
import { type ServerOptions, startServer } from '../../src/hosts/node/server.js'
import { testSigners } from '../../src/signing/verify.js'
import { meetEveryFailure } from './failures.js'
import { describeTicker, endRoutes, type State } from './open-ticker.js'

const FROZEN = { at: '2025-07-24T10:48:25Z', frozen: true }

/** A server with a port for prices and a port for candles: two origins other than that of the page. */
async function start(options: ServerOptions = {}) {
  const asked: string[] = []
  const server = await startServer({
    port: 0,
    historyPort: 0,
    clock: FROZEN,
    onExchange: exchange => {
      const { method, target } = exchange.by === 'service' ? exchange.entry : exchange
      asked.push(`${method} ${target}`)
    },
    ...options,
  })
  onTestFinished(() => server.stop())
  return { server, asked, query: { base: server.url, history: server.historyUrl } }
}

describeTicker('the ticker and a server', openTicker => {
  it('default: every price is fresh, checked in the page, though the mock is in another year', async () => {
    const { query } = await start()
    const { card, candles, page, picture } = await openTicker(query)
    for (const feed of ['BTCUSD', 'ETHUSD', 'SOLUSD', 'DOGEUSD', 'EURUSD', 'XAUUSD'])
      expect(await card(feed, 'fresh')).toMatch(/\d+ s old · signed by test key 0$/)
    expect(await card('BTCUSD', 'fresh')).toContain('113,943.22')
    expect(await candles()).toBe('113,943.22 · 300 candles')
    expect(await page.locator('#clock').innerText()).toBe('2025-07-24 10:48:25 UTC, clock of the mock')
    expect(await page.locator('#summary').innerText()).toBe('All 6 feeds fresh')
    await picture('server-fresh')
  })

  it('behavior: a key causes a preflight, candles need none', async () => {
    const { query, asked } = await start()
    const { card, candles } = await openTicker({ ...query, feeds: 'BTCUSD' })
    await Promise.all([card('BTCUSD', 'fresh'), candles()])
    const of = (path: string) => asked.filter(line => line.includes(path)).map(line => line.split(' ')[0])
    expect(of('/latest').slice(0, 2)).toEqual(['OPTIONS', 'GET'])
    expect(of('/charting/')).not.toContain('OPTIONS')
  })

  it('behavior: a page reads the headers that the mock exposes', async () => {
    const { query } = await start()
    const { page } = await openTicker(query)
    const read = (path: string) =>
      page.evaluate(
        async ([url, names]) => {
          const { headers } = await fetch(url!, { headers: { authorization: 'test-api-key' } })
          return names!.split(' ').map(name => headers.get(name))
        },
        [`${query.base}${path}`, 'date x-price-feed-mock content-length'],
      )
    const [date, mark, length] = await read('/prices/BTCUSD/latest')
    expect(date).toBe('Thu, 24 Jul 2025 10:48:25 GMT')
    expect(mark).toMatch(/^session="default", now=1753354105, n=\d+$/)
    expect(length).toMatch(/^\d+$/)
    expect((await read('/prices/NOPEUSD/latest'))[1]).toMatch(/^session=/)
  })

  it('behavior: an unknown feed is a gap, and the others stay fresh', async () => {
    const { query } = await start()
    const { card, page, picture } = await openTicker({ ...query, feeds: 'NOPEUSD,BTCUSD' })
    expect(await card('NOPEUSD', 'gap')).toContain('404: unknown feed, or no price now')
    await card('BTCUSD', 'fresh')
    expect(await page.locator('.notice').innerText()).toContain('(404)')
    expect(await page.locator('#summary').innerText()).toBe('1 of 2 feeds fresh')
    await picture('server-gap')
  })

  it('behavior: a refused key and an untrusted signer are distinguished', async () => {
    const { query } = await start({ signer: 3 })
    const wrongKey = await openTicker({ ...query, key: 'wrong' })
    expect(await wrongKey.card('BTCUSD', 'refused')).toMatch(/key refused – .*401: the API key was refused$/)
    const wrongSigner = await openTicker(query)
    expect(await wrongSigner.card('BTCUSD', 'forged')).toContain('no trusted key signed it')
    const trusted = await openTicker({ ...query, signer: testSigners()[3]!.address })
    expect(await trusted.card('BTCUSD', 'fresh')).toContain('signed by test key 3')
  })

  it('behavior: the page notices a server that stops and starts again', async () => {
    const { server, query } = await start()
    const { card, candles } = await openTicker({ ...query, feeds: 'BTCUSD' })
    await Promise.all([card('BTCUSD', 'fresh'), candles()])
    await server.stop()
    expect(await card('BTCUSD', 'unreachable')).toMatch(/[\d,]{6,}\.\d\d.*the connection failed$/)
    const ports = [new URL(server.url).port, new URL(server.historyUrl).port].map(Number)
    await start({ port: ports[0]!, historyPort: ports[1]! })
    await card('BTCUSD', 'fresh')
  })

  it('behavior: the age of a price follows the clock of the reply', async () => {
    const { query } = await start()
    const open = (seconds: number) =>
      openTicker(
        { ...query, feeds: 'BTCUSD' },
        {
          prepare: page =>
            page.route(/\/latest$/, async route => {
              const response = await route.fetch()
              const headers = response.headers()
              const mark = headers[MARK]!.replace(/now=(\d+)/, (_, now) => `now=${Number(now) + seconds}`)
              await route.fulfill({ response, headers: { ...headers, [MARK]: mark } })
            }),
        },
      )
    // The tick was a second old in the reply.
    expect(await (await open(60)).card('BTCUSD', 'stale')).toContain('1 min 1 s old')
    expect(await (await open(59)).card('BTCUSD', 'fresh')).toContain('60 s old')
    expect(await (await open(-60)).card('BTCUSD', 'failed')).toContain('from the future by 59 s')
  })

  it('behavior: no answer stops the polling', async () => {
    const { query } = await start()
    const answers: readonly (readonly [
      state: State,
      says: string,
      status: number,
      body: string,
      retryAfter?: string,
    ])[] = [
      ['failed', 'the answer holds no price', 200, ''],
      ['failed', 'the answer holds no price', 200, 'null'],
      ['failed', 'the answer holds no price', 200, '<html>'],
      ['failed', '500: the service failed', 500, '{'],
      ['failed', '429: asked too often, wait 30 s', 429, '{}', '30'],
      ['forged', 'the answer is about ETHUSD', 200, '{"feedId":"ETHUSD","price":1,"expo":-8,"ts":1}'],
      ['forged', 'the signature cannot be read', 200, '{"feedId":"BTCUSD","price":1,"expo":-8,"ts":1}'],
    ]
    let answer = answers[0]!
    const { card, page } = await openTicker(
      { ...query, feeds: 'BTCUSD' },
      {
        prepare: page =>
          page.route(/\/latest$/, route => {
            const [, , status, body, retryAfter = ''] = answer
            const headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' }
            return route.fulfill({ status, body, headers: { ...headers, 'retry-after': retryAfter } })
          }),
      },
    )
    for (answer of answers) {
      await page.locator('.detail', { hasText: answer[1] }).waitFor()
      expect(await card('BTCUSD', answer[0])).toContain(answer[1])
    }
    await endRoutes(page)
    await card('BTCUSD', 'fresh')
  })

  it('behavior: failures while the page runs are shown, and so is their end', async () => {
    const { server, query } = await start({ clock: { at: FROZEN.at } })
    const ticker = await openTicker({ ...query, feeds: 'BTCUSD,ETHUSD' })
    await meetEveryFailure(ticker, scenario => server.mock.setScenario(scenario as never))
  })

  it('behavior: one address shows the page with a stale price, another without', async () => {
    const { query } = await start()
    const stale = await openTicker({ ...query, base: `${query.base}/scenario/stale-btc`, feeds: 'BTCUSD,ETHUSD' })
    await stale.card('BTCUSD', 'stale', '5 min', 'market/stale')
    await stale.card('ETHUSD', 'fresh')
    const calm = await openTicker({ ...query, feeds: 'BTCUSD' })
    await calm.card('BTCUSD', 'fresh')
  })

  it('behavior: null, duplicate, incomplete and unordered candles are repaired or left out', async () => {
    const { query } = await start()
    const { candles, page } = await openTicker(query, { prepare: page => rerouteCandles(page, spoil) })
    expect(await candles()).toBe('113,943.22 · 296 candles · 7 left out: null, incomplete or twice')
    await endRoutes(page)
    await page.locator('.count', { hasText: /300 candles$/ }).waitFor()
  })

  it('behavior: without candles the chart shows a notice, then the candles', async () => {
    const { query } = await start()
    const { candles, page, card } = await openTicker(query, { prepare: page => rerouteCandles(page, () => []) })
    await page.locator('.notice', { hasText: 'the list holds none' }).waitFor()
    await card('BTCUSD', 'fresh')
    await endRoutes(page)
    await candles()
    expect(await page.locator('.notice').isVisible()).toBe(false)
  })
})

const MARK = 'x-price-feed-mock'
const CANDLES = /\/charting\//

function rerouteCandles(page: Page, change: (rows: unknown[]) => unknown[]): Promise<unknown> {
  return page.route(CANDLES, async route => {
    const response = await route.fetch()
    const body = (await response.json()) as { data: { result: unknown[] } }
    body.data.result = change(body.data.result)
    await route.fulfill({ response, json: body })
  })
}

/** Four candles have nulls, three are duplicates, and the rest is backwards. */
function spoil(rows: unknown[]): unknown[] {
  const spoilt: unknown[] = [...rows, ...rows.slice(10, 13)]
  spoilt[20] = null
  spoilt[21] = { ...(rows[21] as object), high: null }
  spoilt[22] = {}
  spoilt[23] = 'candle'
  return spoilt.reverse()
}
