// /_mock/metrics: the text format of Prometheus, and counts that are up to date with the next request.
import { beforeEach, expect, it } from 'vitest'
import { AT } from '../../../test/support/hosts.js'
import { startMock } from '../../../test/support/listen.js'
import { LATEST, parseReplies, requestTo, talk } from '../../../test/support/raw.js'
import type { RunningServer } from './server.js'

const COUNTER = 'price_feed_mock_requests_total'

let server: RunningServer
beforeEach(async () => (server = await startMock({ clock: { at: AT, frozen: true } })))

const send = async (sent: string) => parseReplies(await talk(Number(new URL(server.url).port), sent))[0]!
const scrape = async (): Promise<string> => (await send(requestTo('/_mock/metrics'))).body

/** The samples of a text by name and labels, such as `name{a="1"}`. Every line has to be a sample or a comment. */
function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  for (const line of text.split('\n').filter(line => line !== '' && !line.startsWith('# '))) {
    const [, series, value] = /^([a-z_][a-z0-9_]*(?:\{[^}]*\})?) (\S+)$/.exec(line) ?? []
    expect(series, line).toBeDefined()
    expect(Number(value), line).not.toBeNaN()
    samples.set(series!, Number(value))
  }
  return samples
}

const countsOf = (text: string): Record<string, number> =>
  Object.fromEntries(
    [...samplesOf(text)]
      .filter(([series]) => series.startsWith(`${COUNTER}{`))
      .map(([series, value]) => [/endpoint="(\w+)",status="(\d+)"/.exec(series)!.slice(1).join(' '), value]),
  )

/** The counts that some requests add, without the scrape in between. */
async function addedBy(requests: readonly string[]): Promise<Record<string, number>> {
  const before = countsOf(await scrape())
  for (const request of requests) await send(request)
  const after = countsOf(await scrape())
  after['own 200']! -= 1
  const added = Object.entries(after).map(([key, value]) => [key, value - (before[key] ?? 0)] as const)
  return Object.fromEntries(added.filter(([, value]) => value !== 0))
}

it('default: the first answers of a server are counted', async () => {
  for (let i = 0; i < 3; i++) await send(requestTo(LATEST))
  const { status, headers, body } = await send(requestTo('/_mock/metrics'))
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(headers['x-price-feed-mock']).toBe('own')
  expect(countsOf(body)).toEqual({ 'latest 200': 3 })
})

it('behavior: answers of the service are counted by endpoint and status', async () => {
  const batch = '/prices/batch?feedIds=BTCUSD'
  const chart = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h'
  const added = await addedBy([
    requestTo(LATEST),
    requestTo(LATEST, { method: 'HEAD' }),
    requestTo(LATEST, { key: 'wrong' }),
    requestTo('/prices/NOUSD/latest'),
    requestTo('/prices/batch'),
    requestTo(batch, { method: 'POST' }),
    requestTo(batch, { method: 'OPTIONS' }),
    requestTo('/prices/queryhistory?feedIds=BTCUSD&minutes=5'),
    requestTo('/prices/evm/crypto?feedIds=BTCUSD'),
    requestTo(chart),
    requestTo(chart.replace('charting', 'trading-view')),
  ])
  expect(added).toEqual({
    'latest 200': 2,
    'latest 401': 1,
    'latest 404': 1,
    'batch 400': 1,
    'batch 405': 1,
    'batch 204': 1,
    'history 200': 1,
    'evm 200': 1,
    'candles 200': 2,
  })
})

it("behavior: the mock's own answers are counted as such", async () => {
  const added = await addedBy([
    requestTo('/_mock/health'),
    requestTo('/_mock/info', { host: 'evil.example' }),
    requestTo('/nowhere'),
    requestTo('/_mock/info', { method: 'POST' }),
    requestTo('/', { head: 'Accept: text/html\r\n' }),
    requestTo('/_mock/metrics'),
  ])
  expect(added).toEqual({ 'own 200': 2, 'own 302': 1, 'own 403': 1, 'own 404': 1, 'own 405': 1 })
})

it('behavior: so are the answers to invalid requests', async () => {
  const large = requestTo(LATEST, { head: `X: ${'a'.repeat(200_000)}\r\n` })
  const hosts = requestTo(LATEST, { head: 'Host: other\r\n' })
  const added = await addedBy(['JUNK\r\n\r\n', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', hosts, large])
  expect(added).toEqual({ 'own 400': 3, 'own 431': 1 })
})

it('behavior: gauges describe the process', async () => {
  const samples = samplesOf(await scrape())
  expect(samples.get('price_feed_mock_sessions')).toBe(1)
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  expect(samples.get('nodejs_heap_used_bytes')).toBeGreaterThan(1_000_000)
  const [max, p99] = ['max', 'p99'].map(name => samples.get(`nodejs_eventloop_lag_${name}_seconds`)!)
  expect(p99).toBeGreaterThanOrEqual(0)
  expect(max).toBeGreaterThanOrEqual(p99!)
})

it('behavior: two servers count separately', async () => {
  const other = await startMock()
  const [reply] = parseReplies(await talk(Number(new URL(other.url).port), requestTo('/_mock/metrics')))
  expect(countsOf(reply!.body)).toEqual({})
})
