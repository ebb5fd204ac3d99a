import { describe, expect, test } from 'vitest'
import { replyOf } from '../../../test/support/ask.js'
import { describeMarketFault, observeAt, pairOf } from '../../../test/support/market-faults.js'
import { createMock, type FaultOptions } from '../../index.js'
import { explain, momentOf } from '../../service/explain.js'

type Options = FaultOptions<'market/crash'>
const QUICK: Options = { depth: 0.4, fall: '20s', bottom: '20s', recovery: '2m', rebound: 0.5 }
const crash = (options: Options = QUICK, feeds = ['BTCUSD']) =>
  ({ fault: 'market/crash', feeds, from: '10s', options }) as const
const STEP = 100_000
const NOW = 1_753_354_105

test('default: thirty percent down in five minutes, half of it back after half an hour', async () => {
  const ask = pairOf([crash({})])
  for (const [second, factor] of [
    [10, 1],
    [310, 0.7],
    [10 + 37 * 60, Math.sqrt(0.7)],
    // When the last aftershock is over.
    [10 + 31 * 37 * 60, Math.sqrt(0.7)],
  ] as const) {
    const { tick } = await observeAt(ask, second, 'BTCUSD', 'calm')
    const { price, ts } = (await observeAt(ask, second)).tick!
    expect(ts).toBe(tick!.ts)
    expect(Math.abs(price - tick!.price * factor), `${second}`).toBeLessThan(10 * STEP)
  }
})

test('behavior: candles show the low, and more is traded', async () => {
  const ask = pairOf([crash()])
  const [actual, calm] = [await observeAt(ask, 60), await observeAt(ask, 60, 'BTCUSD', 'calm')]
  expect(actual.low! / calm.low!).toBeCloseTo(0.6, 2)
  const volumeOf = ({ candles }: typeof actual): number =>
    candles.slice(-40).reduce((sum, { volume }) => sum + volume, 0)
  expect(volumeOf(actual)).toBeGreaterThan(2.5 * volumeOf(calm))
  // When the last aftershock is over.
  const later = 10 + 31 * 160 + 200
  expect((await observeAt(ask, later)).candles.map(({ volume }) => volume)).toEqual(
    (await observeAt(ask, later, 'BTCUSD', 'calm')).candles.map(({ volume }) => volume),
  )
})

test('behavior: nothing is traded in a crash of a closed market', () => {
  const scenario = { faults: [{ fault: 'market/closed', feeds: ['EURUSD'] }, crash({}, ['EURUSD'])] } as const
  // A Saturday.
  const mock = createMock({ clock: { at: '2025-07-26T12:00:00Z', frozen: true }, scenario })
  const { stage, market } = mock.sessions.default.runtime
  expect(stage.volume(market.feed('EURUSD')!).between(1_753_531_200, 1_753_534_800)).toBe(0)
})

test('behavior: derived feeds follow by the same factor, unless it is alone', async () => {
  for (const alone of [false, true]) {
    const ask = pairOf([{ ...crash(), alone }])
    const [actual, calm] = [await observeAt(ask, 60, 'CBBTCUSD'), await observeAt(ask, 60, 'CBBTCUSD', 'calm')]
    const change = actual.low! / calm.low!
    if (alone) expect(actual).toEqual(calm)
    else expect(change).toBeCloseTo(0.6, 1)
  }
})

test('error: many crashes at once are too costly to answer', () => {
  const slow: Options = { depth: 0.02, fall: '10w', bottom: '2w', recovery: '10w' }
  const faults = Array.from({ length: 20 }, (_, i) => ({ ...crash({ ...slow, seed: i }), from: `${i}s` as const }))
  const mock = createMock({ clock: { at: NOW, frozen: true }, scenario: { faults } })
  mock.clock.advance('300d')
  const ask = (target: string) =>
    replyOf(mock.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 })!)
  for (const target of [
    '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1w',
    '/prices/queryHistory?feedIds=BTCUSD,WBTCUSD&minutes=525600',
  ]) {
    const reply = ask(target)
    expect(reply.status, target).toBe(503)
    expect(reply.body).toContain('SCENARIO_TOO_COSTLY')
  }
  const target = '/prices/queryHistory?feedIds=BTCUSD&minutes=525600'
  const request = { method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 }
  expect(explain(momentOf(mock.sessions.default), request)!.outcome).toMatchObject({ status: 503 })
  expect(ask('/prices/BTCUSD/latest').status).toBe(200)
})

test.each(['2h', '1d'] as const)('behavior: a chart of every interval is there weeks after a crash of %s', length => {
  const slow = crash({ depth: 0.5, fall: length, bottom: length, recovery: length })
  const mock = createMock({ clock: { at: NOW, frozen: true }, scenario: { faults: [slow] } })
  for (const days of [3, 13, 6]) {
    mock.clock.advance(`${days}d`)
    for (const interval of ['15m', '1h', '4h']) {
      const target = `/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=${interval}`
      const reply = replyOf(mock.serve({ method: 'GET', target, authorization: undefined, receivedAt: 0 })!)
      expect(reply.status, `${interval} at ${mock.clock.now}`).toBe(200)
    }
  }
})

describeMarketFault('market/crash', {
  options: { fall: '10s', bottom: '10s', recovery: '1m' },
  beginsCalm: true,
  refused: { depth: [1], rebound: [1.5], fall: ['0s'], seed: [0.5] },
})

test('behavior: repetitions have a course each, with the same depth, and volume with it', async () => {
  const ask = pairOf([{ ...crash(), for: '200s', repeat: '200s' }])
  const courses = await Promise.all(
    [0, 1, 2].map(async k => {
      const parts = Array.from({ length: 20 }, async (_, i) => {
        const second = 10 + k * 200 + 20 + i
        const [{ tick }, calm] = [await observeAt(ask, second), await observeAt(ask, second, 'BTCUSD', 'calm')]
        return tick!.price / calm.tick!.price
      })
      return Promise.all(parts)
    }),
  )
  for (const course of courses) expect(Math.min(...course)).toBeCloseTo(0.6, 2)
  expect(new Set(courses.map(course => course[10]!.toFixed(3))).size).toBe(3)
})

/** The sum of the moves of 80 seconds, long after the start of a quick crash. */
async function moved(faults: Parameters<typeof pairOf>[0]): Promise<number> {
  const { candles } = await observeAt(pairOf(faults), 260)
  const closes = candles.slice(-80).map(({ close }) => close)
  return closes.slice(1).reduce((sum, close, i) => sum + Math.abs(close / closes[i]! - 1), 0)
}

test('behavior: a crash has aftershocks below other faults too', async () => {
  const shocked = { fault: 'market/shock', feeds: ['BTCUSD'], options: { change: -0.1 } } as const
  expect((await moved([shocked, crash()])) / (await moved([crash()]))).toBeCloseTo(1, 1)
  expect((await moved([crash()])) / (await moved([shocked]))).toBeGreaterThan(1.3)
})

describe('byBeta', () => {
  const thursday = {
    fault: 'market/crash',
    options: { depth: 0.45, fall: '16h', bottom: '2h', recovery: '10h', byBeta: true },
  } as const
  const marketOf = (seed: string) => createMock({ seed, scenario: { faults: [thursday] }, clock: { at: NOW } })
  /** The price at the low over that without the crash. */
  function fallsOf(seed: string, class_: readonly string[]): Map<string, number> {
    const { stage, market } = marketOf(seed).sessions.default.runtime
    const feeds = market.feeds.filter(feed => class_.includes(feed.class))
    const low = NOW + 16 * 3600
    return new Map(
      feeds.map(feed => {
        const tick = market.path(feed).lastTick(low - feed.lag)!
        return [feed.id, 1 - stage.path(feed).at(tick) / market.path(feed).at(tick)]
      }),
    )
  }

  test('default: every coin falls by a third to three fifths, bitcoin by its depth, and nothing else falls', () => {
    for (const seed of ['42', '1', '2']) {
      const falls = fallsOf(seed, ['crypto', 'meme', 'staked', 'wrapped'])
      for (const [id, fall] of falls) {
        expect(fall, id).toBeGreaterThan(0.35)
        expect(fall, id).toBeLessThan(0.6)
      }
      expect(new Set(falls.values()).size).toBeGreaterThan(30)
      expect(Math.abs(falls.get('BTCUSD')! - 0.45)).toBeLessThan(0.0001)
      for (const [id, fall] of fallsOf(seed, ['stable', 'fx', 'metal'])) expect(fall, id).toBe(0)
    }
  })

  test('behavior: derived feeds fall as their parents', () => {
    const falls = fallsOf('42', ['crypto', 'wrapped', 'staked'])
    for (const [id, parent] of [
      ['WBTCUSD', 'BTCUSD'],
      ['WSTETHUSD', 'ETHUSD'],
    ] as const)
      expect(Math.abs(falls.get(id)! - falls.get(parent)!)).toBeLessThan(0.02)
  })
})
