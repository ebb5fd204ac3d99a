// A separate port for charts: each port serves its endpoints, and both serve the admin.
import { afterAll, expect, it } from 'vitest'
import { KEY } from '../support/ask.js'
import { clientOf } from '../support/hosts/over-http.js'
import { AT } from '../support/hosts.js'
import { startMock } from '../support/listen.js'

const CHART = 'feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h'
const CHARTS = [`/charting/${CHART}`, `/trading-view/${CHART}`]
const PRICES = [
  '/prices/batch?feedIds=BTCUSD',
  '/prices/queryHistory?feedIds=BTCUSD&minutes=5',
  '/prices/evm/crypto?feedIds=BTCUSD',
  '/prices/BTCUSD/latest',
]

/** Sends a request target unchanged, even if no URL can contain it. */
async function send(base: string, path: string, method = 'GET') {
  const { request, stop } = clientOf(base)
  const { status, headers, body } = await request(path, { method, headers: KEY })
  stop()
  return { status, mark: headers['x-price-feed-mock'], body }
}

const server = await startMock({ historyPort: 0, clock: { at: AT, frozen: true } }, afterAll)

it('default: there are two addresses', () => {
  expect(server.historyUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(server.historyUrl).not.toBe(server.url)
})

it.each([...CHARTS, ...PRICES])('behavior: %s is only at one address', async path => {
  const { url, historyUrl } = server
  const [there, elsewhere] = CHARTS.includes(path) ? [historyUrl, url] : [url, historyUrl]
  expect((await send(there, path)).status).toBe(200)
  expect(await send(elsewhere, path)).toMatchObject({ status: 404, mark: 'own, code="UNKNOWN_ROUTE"' })
})

it.each(['/', '/_mock/', '/_mock/health', '/_mock/info', '/_mock/feeds'])('behavior: %s is at both', async path => {
  expect((await send(server.url, path)).status).toBe(200)
  expect((await send(server.historyUrl, path)).body).toBe((await send(server.url, path)).body)
})

it('behavior: HEAD is routed as GET', async () => {
  expect((await send(server.historyUrl, CHARTS[0]!, 'HEAD')).status).toBe(200)
  expect((await send(server.url, CHARTS[0]!, 'HEAD')).status).toBe(404)
  expect((await send(server.url, PRICES[0]!, 'HEAD')).status).toBe(200)
  expect((await send(server.historyUrl, PRICES[0]!, 'HEAD')).status).toBe(404)
})

it('behavior: both ports count in one session', async () => {
  const count = async (base: string, path: string) => Number(/n=(\d+)/.exec((await send(base, path)).mark!)![1])
  const first = await count(server.url, PRICES[0]!)
  expect(await count(server.historyUrl, CHARTS[0]!)).toBe(first + 1)
  expect(await count(server.url, PRICES[0]!)).toBe(first + 2)
})

it.each([
  ['escapes', `/%63harting/${CHART}`],
  ['the absolute form', `http://api.example/charting/${CHART}`],
])('behavior: another spelling of a chart is routed alike: %s', async (_title, path) => {
  expect((await send(server.historyUrl, path)).status).toBe(200)
  expect((await send(server.url, path)).status).toBe(404)
})

it('error: the wrong port does not suggest another spelling', async () => {
  for (const [base, path] of [
    [server.url, CHARTS[0]!],
    [server.historyUrl, PRICES[0]!],
  ] as const)
    expect((await send(base, path)).body).not.toMatch(/slash|case differs|segments/)
})

it('behavior: without a history port one address serves all', async () => {
  const one = await startMock()
  expect(one.historyUrl).toBe(one.url)
  for (const path of [...CHARTS, ...PRICES]) expect((await send(one.url, path)).status).toBe(200)
})
