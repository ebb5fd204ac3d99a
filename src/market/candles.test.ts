// Candles of hand-made paths, so that every number can be seen to be right.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listPath } from '../../test/support/paths.js'
import { check } from '../../test/support/seed.js'
import { bucketStarts, candleAt } from './candles.js'
import type { PricePath } from './path.js'
import type { Volume } from './volume.js'
import type { Window } from './windows.js'

/** Seven hundredths a second. */
const volume: Volume = { between: (from, to) => (to - from) * 7 }

const TICKS = listPath([0, 100], [4, 130], [8, 90], [12, 110], [16, 120])

test('default', () => {
  // In force from 8 on: 90 (4 times), 110 (4 times), 120 (twice).
  expect(candleAt(TICKS, volume, 8, 10, 1000)).toEqual({
    start: 8,
    open: 90,
    high: 120,
    low: 90,
    close: 120,
    avg: 104,
    volume: 70,
  })
})

test.each([
  [1, 0],
  [60, 29.5],
  // At most sixty samples, at multiples of a power of two: the last ones are at 60, 118, 120, 236 and 589,824.
  [61, 30],
  [120, 59],
  [121, 60],
  [240, 118],
  [604_800, 294_912],
])('behavior: the average of a steady rise of %i seconds is the middle of its samples', (width, middle) => {
  const slope: PricePath = {
    at: tick => 1_000_000 + 2 * tick,
    lastTick: second => second,
    nextTick: second => second,
    holes: () => [],
    extremes: (from, to) => ({ high: { ts: to, price: slope.at(to) }, low: { ts: from, price: slope.at(from) } }),
  }
  expect(candleAt(slope, volume, 0, width, 1e9)!.avg).toBe(1_000_000 + 2 * middle)
})

test('behavior: the average of huge prices is exact', () => {
  const huge = 2 ** 52
  const path = listPath(...Array.from({ length: 60 }, (_, i) => [i, huge + (i % 2) * 2] as const))
  expect(candleAt(path, volume, 0, 60, 1000)!.avg).toBe(huge + 1)
})

test('args: buckets: the newest that have started, oldest first', () => {
  expect(bucketStarts({ width: 60, offset: 0 }, 1000, 3)).toEqual([840, 900, 960])
  expect(bucketStarts({ width: 60, offset: 0 }, 959, 3)).toEqual([780, 840, 900])
  expect(bucketStarts({ width: 60, offset: 0 }, 960, 1)).toEqual([960])
})

test('args: buckets: none starts before 1970', () => {
  expect(bucketStarts({ width: 60, offset: 0 }, 130, 300)).toEqual([0, 60, 120])
  expect(bucketStarts({ width: 60, offset: 0 }, -1, 300)).toEqual([])
  expect(bucketStarts({ width: 604_800, offset: 345_600 }, 345_599, 300)).toEqual([])
  expect(bucketStarts({ width: 604_800, offset: 345_600 }, 345_600, 300)).toEqual([345_600])
  // The offset is longer than the width: buckets of a day that count from a Monday.
  expect(bucketStarts({ width: 86_400, offset: 345_600 }, 90_000, 300)).toEqual([0, 86_400])
})

test('args: buckets: none starts 2^31 s before the horizon', () => {
  const day = 86_400
  const horizon = 4_000_000_000
  expect(bucketStarts({ width: 40 * day, offset: 0 }, horizon, 2000)[0]).toBe(
    Math.ceil((horizon - 2 ** 31) / (40 * day)) * 40 * day,
  )
  expect(bucketStarts({ width: 40 * day, offset: 0 }, 2 ** 31, 2000)[0]).toBe(0)
})

/** A path that is void in some seconds, each time until a tick. */
function withHoles(ticks: readonly (readonly [ts: number, price: number])[], holes: readonly Window[]): PricePath {
  const isVoid = (second: number) => holes.some(({ from, until }) => second >= from && second < until)
  const path = listPath(...ticks.filter(([ts]) => !isVoid(ts)))
  return {
    ...path,
    lastTick: second => (isVoid(second) ? undefined : path.lastTick(second)),
    holes: (from, to) =>
      holes
        .filter(hole => hole.until > from && hole.from <= to)
        .map(hole => ({ from: Math.max(from, hole.from), until: Math.min(to + 1, hole.until) })),
  }
}

test('behavior: a candle has the prices in force at each of its seconds up to the horizon', () => {
  // Few prices, some of them spikes of a second; a wide candle looks at samples and at the extremes of its ticks.
  const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom(1, 40, 41, 43, 900)), {
    maxLength: 40,
  })
  const voids = fc.array(fc.tuple(fc.nat({ max: 40 }), fc.integer({ min: 1, max: 80 })), { maxLength: 3 })
  const width = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 61, max: 2000 }))
  const span = fc.tuple(fc.nat({ max: 1500 }), width, fc.nat({ max: 2500 }))
  check([steps, voids, span], 300, (steps, voids, [start, width, horizon]) => {
    const ticks: [number, number][] = [[0, 42]]
    for (const [gap, price] of steps) ticks.push([ticks.at(-1)![0] + gap, price])
    const ends = voids.map(([i]) => ticks[i % ticks.length]![0]).toSorted((a, b) => a - b)
    const holes = ends
      .map((until, i) => ({ from: Math.max(until - voids[i]![1], (ends[i - 1] ?? 0) + 1), until }))
      .filter(({ from, until }) => from < until)
    const path = withHoles(ticks, holes)
    const prices: number[] = []
    for (let second = start; second < start + width && second <= horizon; second++) {
      const tick = path.lastTick(second)
      if (tick !== undefined) prices.push(path.at(tick))
    }
    const candle = candleAt(path, volume, start, width, horizon)
    if (candle === undefined || prices.length === 0) return void expect([candle, ...prices]).toEqual([undefined])
    const [low, high] = [Math.min(...prices), Math.max(...prices)]
    const mean = prices.reduce((sum, price) => sum + price, 0) / prices.length
    const avg = width <= 60 ? Math.round(mean) : candle.avg
    const [open, close] = [prices[0], prices.at(-1)]
    expect(candle).toEqual({ start, open, high, low, close, avg, volume: prices.length * 7 })
    expect(avg >= low && avg <= high).toBe(true)
  })
})
