// The path of a series answers as its rows say, at every second, and its high and low are those of all ticks.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyTick, ticksOf } from '../../test/support/paths.js'
import { check } from '../../test/support/seed.js'
import type { Feed } from './feeds.js'
import { catalogueFeeds } from './feeds-file.js'
import { overriddenPath } from './overridden.js'
import { readSeries } from './read-series.js'
import type { Series } from './series.js'
import { createSeriesPath, createSeriesVolume } from './series-path.js'
import { repeatedWindows } from './windows.js'
import { withoutTicks } from './without-ticks.js'

const FEEDS = catalogueFeeds()

function seriesOf(rows: readonly unknown[], as = 'BTCUSD'): Series {
  return readSeries([{ as, rows }], FEEDS).find(({ id }) => id === as)!.series!
}

test('default', () => {
  const path = createSeriesPath(
    seriesOf([
      [100, '10.5'],
      [103, '11'],
      [110, '9.25'],
    ]),
  )
  expect([99, 100, 102, 103, 109, 110, 5000].map(second => path.lastTick(second))).toEqual([
    undefined,
    100,
    100,
    103,
    103,
    110,
    110,
  ])
  expect([0, 100, 101, 104, 110, 111].map(second => path.nextTick(second))).toEqual([
    100,
    100,
    103,
    110,
    110,
    undefined,
  ])
  expect([100, 103, 110].map(tick => path.at(tick))).toEqual([10.5e8, 11e8, 9.25e8])
  expect(path.holes(90, 105)).toEqual([{ from: 90, until: 100 }])
  expect(path.holes(100, 5000)).toEqual([])
  expect(path.extremes(101, 109)).toEqual({ high: { price: 11e8, ts: 103 }, low: { price: 11e8, ts: 103 } })
  expect(path.extremes(104, 109)).toBeUndefined()
})

test('behavior: a candle ticks at each heartbeat, and the four prices have a second each', () => {
  const series = seriesOf(
    [
      [60, 10, 12, 9, 11, 5],
      [120, 11, 11, 8, 9, 7],
      // The candle of 180 is missing.
      [240, 20, 20, 20, 20, 0],
    ],
    'DOTUSD',
  )
  const path = createSeriesPath(series)
  // DOTUSD has a heartbeat of 4 seconds.
  expect(ticksOf(path, 0, 119).map(({ ts, price }) => [ts, price / 1e8])).toEqual([
    ...[60, 64, 68, 72, 76].map(ts => [ts, 10]),
    ...[80, 84, 88, 92, 96].map(ts => [ts, 9]),
    ...[100, 104, 108, 112, 116].map(ts => [ts, 12]),
    [119, 11],
  ])
  expect(path.at(path.lastTick(165)!)).toBe(8e8)
  expect(path.lastTick(239)).toBe(179)
  expect(path.nextTick(180)).toBe(240)
  expect(path.lastTick(9999)).toBe(299)
})

const heartbeats = ['BTCUSD', 'DOTUSD', 'FILUSD'] as const

/** Rows of candles with gaps, few prices so that many are equal. */
const candleRows = fc
  .record({
    width: fc.integer({ min: 4, max: 200 }),
    rows: fc.array(
      fc.record({
        gap: fc.integer({ min: 1, max: 3 }),
        open: fc.integer({ min: 3, max: 6 }),
        close: fc.integer({ min: 3, max: 6 }),
        up: fc.integer({ min: 0, max: 2 }),
        down: fc.integer({ min: 0, max: 2 }),
        volume: fc.integer({ min: 0, max: 1e6 }),
      }),
      { minLength: 3, maxLength: 60 },
    ),
  })
  .map(({ width, rows }) => {
    let time = 10_000
    return {
      width,
      rows: rows.map(({ gap, open, close, up, down, volume }, i) => {
        // The second candle follows at once, so that the interval is known.
        time += width * (i < 2 ? 1 : gap)
        return [time, open, Math.max(open, close) + up, Math.min(open, close) - down, close, volume / 1000] as const
      }),
    }
  })

const tickRows = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 400 })
  .map(steps => {
    let time = 20_000
    return steps.map(([gap, price]) => [(time += gap), price] as const)
  })

test('behavior: high and low are those of all ticks, the earliest of equal ones', () => {
  const rows = fc.oneof(
    tickRows,
    candleRows.map(({ rows }) => rows),
  )
  const part = fc.double({ min: -0.1, max: 1.1, noNaN: true })
  check(
    [rows, fc.constantFrom(...heartbeats), part, part, fc.integer({ min: -5000, max: 5000 })],
    (all, id, a, b, shift) => {
      const path = createSeriesPath({ ...seriesOf(all, id), shift })
      const [first, last] = [all[0]![0] + shift, all.at(-1)![0] + shift]
      const [from, to] = [a, b].map(share => Math.floor(first + (last - first) * share)).sort((x, y) => x - y)
      expect(path.extremes(from!, to!)).toEqual(everyTick(path, from!, to!))
    },
  )
})

test('behavior: lastTick and nextTick agree', () => {
  check(
    [
      fc.oneof(
        tickRows,
        candleRows.map(({ rows }) => rows),
      ),
      fc.constantFrom(...heartbeats),
    ],
    20,
    (rows, id) => {
      const path = createSeriesPath(seriesOf(rows, id))
      const [from, to] = [rows[0]![0] - 3, rows.at(-1)![0] + 300]
      const ticks = ticksOf(path, from, to).map(({ ts }) => ts)
      let latest: number | undefined
      for (let second = from; second <= to; second++) {
        if (ticks.includes(second)) latest = second
        if (path.lastTick(second) !== latest) expect(path.lastTick(second)).toBe(latest)
      }
    },
  )
})

test('behavior: volumes of the parts of any time add up', () => {
  const rows = Array.from({ length: 2000 }, (_, i) => [i * 60, 5, 6, 4, 5, (i * 7919) % 1013] as const)
  const volume = createSeriesVolume(seriesOf(rows))
  const total = rows.reduce((sum, row) => sum + row[5], 0)
  check([fc.integer({ min: 0, max: 120_000 }), fc.integer({ min: 0, max: 120_000 })], (a, b) => {
    const [from, to] = [Math.min(a, b), Math.max(a, b)]
    expect(volume.between(0, from) + volume.between(from, to) + volume.between(to, 120_000)).toBe(total)
  })
  expect(volume.between(60, 120)).toBe(rows[1]![5])
  // 96.6 of 828, in whole units.
  expect([volume.between(60, 67), volume.between(67, 120)]).toEqual([96, 732])
  expect(volume.between(120_000, 200_000)).toBe(0)
  expect(createSeriesVolume(seriesOf([[5, 1]])).between(0, 10)).toBe(0)
})

test('behavior: layers on a series give the extremes of all ticks', () => {
  const feed = FEEDS.find(({ id }) => id === 'BTCUSD') as Feed
  check([tickRows, fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: 400 })], (rows, after, length) => {
    const start = rows[0]![0] + after
    const series = createSeriesPath(seriesOf(rows))
    const silent = withoutTicks(series, repeatedWindows(start, [{ from: 0, until: length }]), 'carry')
    const path = overriddenPath(silent, [{ from: start + 50, factor: 0.5 }], feed)
    const [from, to] = [rows[0]![0], rows.at(-1)![0]]
    const found = path.extremes(from, to)
    const expected = everyTick(path, from, to)
    expect(found?.high.price).toBe(expected?.high?.price)
    expect(found?.low.price).toBe(expected?.low?.price)
  })
})

test('behavior: overrides of a series have ticks of their own, where there is a price', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 })
  check([tickRows, lengths, fc.nat({ max: 900 }), fc.nat({ max: 900 })], (rows, gaps, after, length) => {
    const series = seriesOf(rows)
    const start = rows[0]![0]
    let from = start - 50
    const overrides = gaps.map((gap, i) => ({ from: (from += gap), factor: [2, 0.5, 1][i % 3]! }))
    const path = overriddenPath(createSeriesPath(series), overrides, { heartbeat: 1, step: 1, series })
    const [begin, end] = [start - 60 + after, start - 60 + after + length]
    const wanted = everyTick(path, begin, end)
    const found = path.extremes(begin, end)
    expect([found?.high.price, found?.low.price]).toEqual([wanted?.high?.price, wanted?.low?.price])
    if (found) expect([path.at(found.high.ts), path.at(found.low.ts)]).toEqual([found.high.price, found.low.price])
    for (const { from: second, factor } of overrides) {
      const below = createSeriesPath(series)
      const tick = below.lastTick(second)
      expect(path.lastTick(second)).toBe(tick === undefined ? undefined : second)
      if (tick !== undefined) expect(path.at(second)).toBe(below.at(tick) * factor)
    }
  })
})
