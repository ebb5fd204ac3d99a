// A feed that follows a series, through every endpoint: signed again, at its own times or moved, below faults and overrides.
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/client.js'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock, type MockOptions } from '../../src/index.js'
import { verify } from '../../src/signing/verify.js'
import { problemPaths } from '../support/problem-paths.js'

const KEY = 'test-api-key'
/** 2025-07-24T10:48:00Z, the start of a minute. */
const MINUTE = 1_753_354_080
const CANDLES = [
  ['time', 'open', 'high', 'low', 'close', 'volume'],
  [MINUTE, '100.5', '110.25', '99', '105', '12.345678'],
  [MINUTE + 60, '105', '105', '90.00000001', '91', '3'],
  [MINUTE + 120, '91', '130', '91', '120', '0.5'],
]
  .map(row => row.join(','))
  .join('\n')
const TICKS = `ts,price\n${MINUTE},100.5\n${MINUTE + 10},101\n${MINUTE + 40},99.75\n`

const candlesOf = (series = CANDLES): MockOptions => ({ series: [{ as: 'btcusd', rows: series }] })

/** A mock and its client. */
function start(options: MockOptions) {
  const mock = createMock(options)
  const fetch = createFetch(mock)
  const client = createClient({ baseUrl: 'http://mock', apiKey: KEY, fetch })
  const latest = async (feedId = 'BTCUSD') => {
    const { price, ts } = await client.latest({ feedId })
    return { price: Number(price) / 1e8, ts }
  }
  const candles = async (interval: string, feed = 'BTCUSD') =>
    (await client.candles({ feedids: [feed], feed, type: 1, interval })).data.result.map(row => [
      row.time / 1000,
      row.open,
      row.high,
      row.low,
      row.close,
      row.volume,
    ])
  const admin = async (method: string, path: string, body?: object) => {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const response = await fetch(`http://mock/_mock/${path}`, { method, ...init })
    return { status: response.status, body: (await response.json()) as Record<string, never> }
  }
  return { mock, fetch, client, latest, candles, admin }
}

const at = (second: number): MockOptions => ({ clock: { at: second, frozen: true } })

describe('the prices of a series', () => {
  it('default: ticks have their own times, and real signatures', async () => {
    const { client, latest, mock } = start({ ...at(MINUTE + 1), ...candlesOf(TICKS) })
    expect(await latest()).toEqual({ price: 100.5, ts: MINUTE })
    mock.clock.advance(30)
    const reply = await client.latest({ feedId: 'BTCUSD' })
    expect([Number(reply.price) / 1e8, reply.ts]).toEqual([101, MINUTE + 10])
    const { address } = mock.sessions.default.runtime.signer
    expect(() => verify(reply, { signers: [address] })).not.toThrow()
  })

  it('behavior: before the first row there is no price, after the last one it grows old', async () => {
    const { client, latest, mock } = start({ ...at(MINUTE), ...candlesOf(TICKS) })
    await expect(client.latest({ feedId: 'BTCUSD' })).rejects.toThrow('404')
    expect(await latest('ETHUSD')).toMatchObject({ ts: MINUTE - 1 })
    mock.clock.advance('1d')
    expect(await latest()).toEqual({ price: 99.75, ts: MINUTE + 40 })
    const { BTCUSD } = await client.history({ feedIds: ['BTCUSD'], minutes: 60 })
    expect([BTCUSD!.high.ts, BTCUSD!.low.ts]).toEqual([MINUTE + 40, MINUTE + 40])
  })

  it('behavior: candles at the interval of the file are those of the file, longer ones add them up', async () => {
    const { candles } = start({ ...at(MINUTE + 600), ...candlesOf() })
    expect((await candles('1m')).slice(0, 4)).toEqual([
      [MINUTE, 100.5, 110.25, 99, 105, 12.345678],
      [MINUTE + 60, 105, 105, 90.00000001, 91, 3],
      [MINUTE + 120, 91, 130, 91, 120, 0.5],
      [MINUTE + 180, 120, 120, 120, 120, 0],
    ])
    expect((await candles('1h')).slice(0, 1)).toEqual([[MINUTE - 48 * 60, 100.5, 130, 90.00000001, 120, 15.845678]])
  })

  it('behavior: high and low are those of the rows, at the earliest second', async () => {
    const { client } = start({ ...at(MINUTE + 600), ...candlesOf() })
    const { BTCUSD } = await client.history({ feedIds: ['BTCUSD'], minutes: 60 })
    expect([BTCUSD!.high.price, BTCUSD!.high.ts]).toEqual([130e8, MINUTE + 120 + 40])
    expect([BTCUSD!.low.price, BTCUSD!.low.ts]).toEqual([9_000_000_001, MINUTE + 60 + 40])
  })

  it('behavior: faults and overrides act on a series as on any feed', async () => {
    const { mock, latest, client } = start({ ...at(MINUTE + 30), ...candlesOf() })
    const before = (await latest()).price
    mock.change({ prices: { BTCUSD: before * 2 } })
    expect((await latest()).price).toBe(before * 2)
    mock.change({ prices: { BTCUSD: null } })
    mock.setScenario({ faults: [{ fault: 'market/shock', feeds: ['BTCUSD'], options: { change: -0.5 } }] })
    expect((await latest()).price).toBe(before / 2)
    mock.setScenario({ faults: [{ fault: 'market/stale', feeds: ['BTCUSD'] }] })
    const { ts } = await latest()
    mock.clock.advance('2m')
    expect((await latest()).ts).toBe(ts)
    mock.setScenario('calm')
    expect((await client.history({ feedIds: ['BTCUSD'], minutes: 2 })).BTCUSD!.high.price).toBe(110.25e8)
  })

  it('behavior: a price that is set long after the last row is a tick of its own, and changes nothing before', async () => {
    const now = MINUTE + 7200
    const { mock, client, latest, candles } = start({ ...at(now), ...candlesOf(TICKS) })
    const closed = async () => [(await candles('10m')).slice(-9, -1), (await candles('10m', 'WBTCUSD')).slice(-9, -1)]
    const before = [await closed(), (await latest('WBTCUSD')).price] as const
    mock.change({ prices: { BTCUSD: 200 } })
    expect(await latest()).toEqual({ price: 200, ts: now - 1 })
    expect((await latest('WBTCUSD')).price / before[1]).toBeCloseTo(200 / 99.75, 6)
    const { BTCUSD } = await client.history({ feedIds: ['BTCUSD'], minutes: 1 })
    expect([BTCUSD!.high.ts, BTCUSD!.low.ts]).toEqual([now - 1, now - 1])
    mock.clock.advance('5m')
    mock.change({ prices: { BTCUSD: 300 } })
    const { BTCUSD: two } = await client.history({ feedIds: ['BTCUSD'], minutes: 10 })
    expect([two!.high.price, two!.high.ts, two!.low.price, two!.low.ts]).toEqual([300e8, now + 299, 200e8, now - 1])
    mock.change({ prices: { BTCUSD: null } })
    mock.clock.set(now)
    expect(await closed()).toEqual(before[0])
  })

  it('behavior: a shock at once changes the price in force of sparse ticks', async () => {
    const { mock, latest } = start({ ...at(MINUTE + 39), ...candlesOf(TICKS) })
    mock.setScenario({ faults: [{ fault: 'market/shock', feeds: ['BTCUSD'], options: { change: 1 } }] })
    expect(await latest()).toEqual({ price: 202, ts: MINUTE + 10 })
  })

  it('behavior: an override cannot leave the integers that can be signed', () => {
    const { mock } = start({ ...at(MINUTE + 30), ...candlesOf() })
    expect(() => mock.change({ prices: { BTCUSD: 1e9 } })).toThrow('which leaves room')
  })
})

describe('the time of the first row', () => {
  it('default: its own, where a clock without a start time begins', async () => {
    const { mock, latest } = start({ clock: { frozen: true }, ...candlesOf(TICKS) })
    expect(mock.clock.now() / 1000).toBe(MINUTE + 1)
    expect(await latest()).toEqual({ price: 100.5, ts: MINUTE })
  })

  it('behavior: now moves it to the start of the clock', async () => {
    const now = MINUTE + 86_400 * 365 + 17
    const { mock, latest } = start({ ...at(now), ...candlesOf(TICKS), seriesAt: 'now' })
    expect(await latest()).toEqual({ price: 100.5, ts: now - 1 })
    mock.clock.advance(9)
    expect((await latest()).ts).toBe(now - 1)
    mock.clock.advance(1)
    expect(await latest()).toEqual({ price: 101, ts: now + 9 })
  })

  it('behavior: candles move by whole intervals, so that candles stay those of the file', async () => {
    const { candles } = start({ ...at(MINUTE + 3600 + 17), ...candlesOf(), seriesAt: 'now' })
    expect((await candles('1m')).map(([time, open]) => [time, open])).toEqual([[MINUTE + 3600, 100.5]])
    const later = start({ ...at(MINUTE + 7200), ...candlesOf(), seriesAt: MINUTE + 3617 })
    expect((await later.candles('1m'))[0]).toEqual([MINUTE + 3600, 100.5, 110.25, 99, 105, 12.345678])
  })

  it('behavior: the command that reproduces a run has it', async () => {
    const options = { ...candlesOf(TICKS), seriesAt: 'now' as const, flags: ['--series', 'btc.csv', '--as', 'BTCUSD'] }
    const { admin, latest } = start({ ...at(MINUTE + 1000), ...options })
    const { reproduce } = (await admin('GET', 'info')).body
    expect(reproduce).toMatch(/--series btc.csv --as BTCUSD --series-at 2025-07-24T11:04:39Z$/)
    const again = start({ ...at(MINUTE + 1000), ...candlesOf(TICKS), seriesAt: '2025-07-24T11:04:39Z' })
    expect(await again.latest()).toEqual(await latest())
    const unnamed = start(candlesOf(TICKS))
    expect((await unnamed.admin('GET', 'info')).body.reproduce).toMatch(/--series …$/)
  })

  it('error: no time', () => {
    expect(() => start({ ...candlesOf(), seriesAt: 'soon' })).toThrow('at    seriesAt')
  })
})

describe('sessions', () => {
  it('default: a session has series of its own, at the start of its clock', async () => {
    const { admin, fetch } = start(at(MINUTE + 5000))
    const body = { id: 'a', series: [{ as: 'BTCUSD', rows: TICKS }], seriesAt: 'now' }
    expect((await admin('POST', 'sessions', body)).status).toBe(201)
    const own = createClient({ baseUrl: 'http://mock/session/a', apiKey: KEY, fetch })
    const other = createClient({ baseUrl: 'http://mock', apiKey: KEY, fetch })
    expect(await own.latest({ feedId: 'BTCUSD' })).toMatchObject({ price: 100.5e8, ts: MINUTE + 4999 })
    expect((await other.latest({ feedId: 'BTCUSD' })).price).not.toBe(100.5e8)
    await admin('PATCH', 'sessions/a', { clock: { advance: '10s' } })
    expect((await own.latest({ feedId: 'BTCUSD' })).price).toBe(101e8)
    await admin('POST', 'sessions/a/reset', {})
    expect((await own.latest({ feedId: 'BTCUSD' })).price).toBe(100.5e8)
  })

  it('behavior: each session plays the series of the mock from its own start', async () => {
    const { fetch, admin } = start({ ...candlesOf(TICKS), seriesAt: 'now', clock: { frozen: true, at: MINUTE } })
    await admin('POST', 'sessions', { id: 'late', clock: { at: MINUTE + 900 } })
    const late = createClient({ baseUrl: 'http://mock/session/late', apiKey: KEY, fetch })
    expect(await late.latest({ feedId: 'BTCUSD' })).toMatchObject({ price: 100.5e8, ts: MINUTE + 899 })
  })

  it('behavior: a snapshot keeps the place of the rows, and needs the same ones', async () => {
    const options = { ...candlesOf(TICKS), seriesAt: 'now' as const }
    const one = start({ ...at(MINUTE + 500), ...options })
    one.mock.clock.advance(10)
    const { snapshot } = (await one.admin('POST', 'sessions/default/snapshot', {})).body
    const two = start({ ...at(MINUTE + 99_000), ...options })
    expect((await two.admin('POST', 'sessions/default/restore', { snapshot })).status).toBe(200)
    expect(await two.latest()).toEqual(await one.latest())
    const { status, body } = await start(at(0)).admin('POST', 'sessions/default/restore', { snapshot })
    expect([status, body.code]).toEqual([400, 'SNAPSHOT_INVALID'])
  })

  it('behavior: the list of feeds shows the rows', async () => {
    const { admin } = start({ ...at(MINUTE), ...candlesOf() })
    const { feeds } = (await admin('GET', 'feeds')).body as unknown as { feeds: { id: string; series?: object }[] }
    expect(feeds.filter(({ series }) => series !== undefined)).toMatchObject([
      { id: 'BTCUSD', step: 1, series: { rows: 3, interval: 60, from: MINUTE, to: MINUTE + 179 } },
    ])
  })

  it('error: bad rows create no session', async () => {
    const { admin } = start(at(MINUTE))
    const wrong = { id: 'a', series: [{ as: 'BTCUSD', rows: 'ts,price\n1,x\n' }] }
    const { status, body } = await admin('POST', 'sessions', wrong)
    expect([status, body.code, body.detail]).toEqual([400, 'SERIES_INVALID', 'series[0] has 1 problem.'])
    expect((await admin('GET', 'sessions/a')).status).toBe(404)
    const odd = await admin('POST', 'sessions', { series: [{ rows: 5 }], seriesAt: 'x' })
    expect([odd.status, odd.body.code]).toEqual([400, 'REQUEST_INVALID'])
  })

  it('error: series of the command line, which are files, in code', () => {
    const problemOf = (series: unknown) => problemPaths(() => createMock({ series } as MockOptions))
    expect(problemOf('btc.csv')).toEqual(['SERIES_INVALID', '(the whole)'])
    expect(problemOf(['btc.csv'])).toEqual(['SERIES_INVALID', '[0]'])
    expect(problemOf([{ file: 'btc.csv' }])).toEqual(['SERIES_INVALID', '[0].rows', '[0].file'])
    expect(problemOf([{ as: 'BTCUSD', rows: Buffer.from(TICKS) }])).toEqual(['SERIES_INVALID', '[0].rows'])
  })
})
