// Candles of hand-made paths, so that every number can be seen to be right.
import { expect, test } from 'vitest'
import { bucketStarts, candleAt } from './candles.js'
import type { PricePath } from './path.js'
import type { Volume } from './volume.js'

/** Seven hundredths a second. */
const volume: Volume = { between: (from, to) => (to - from) * 7 }

/** The path of a list of ticks, `[second, price]` in order. */
function listPath(...ticks: readonly (readonly [ts: number, price: number])[]): PricePath {
  const within = (from: number, to: number) => ticks.filter(([ts]) => ts >= from && ts <= to)
  return {
    at: tick => ticks.find(([ts]) => ts === tick)![1],
    lastTick: second => within(-Infinity, second).at(-1)?.[0],
    nextTick: second => within(second, Infinity)[0]?.[0],
    holes(from, to) {
      const first = ticks[0]?.[0] ?? Infinity
      return from < first ? [{ from, to: Math.min(to, first - 1) }] : []
    },
    extremes(from, to) {
      const sorted = within(from, to).toSorted((a, b) => a[1] - b[1] || a[0] - b[0])
      if (sorted.length === 0) return undefined
      const [low] = sorted
      const high = sorted.find(([, price]) => price === sorted.at(-1)![1])
      return { high: { ts: high![0], price: high![1] }, low: { ts: low![0], price: low![1] } }
    },
  }
}

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

test('behavior: the price before the start is open, and counts for high and low', () => {
  expect(candleAt(TICKS, volume, 6, 4, 1000)).toMatchObject({ open: 130, high: 130, low: 90, close: 90, avg: 110 })
  expect(candleAt(TICKS, volume, 10, 4, 1000)).toMatchObject({ open: 90, high: 110, low: 90, close: 110, avg: 100 })
})

test('behavior: a candle without ticks carries the price', () => {
  const flat = { open: 90, high: 90, low: 90, close: 90, avg: 90 }
  expect(candleAt(TICKS, volume, 9, 2, 1000)).toMatchObject({ ...flat, volume: 14 })
  expect(candleAt(listPath([0, 90]), volume, 100_000, 86_400, 1e9)).toMatchObject(flat)
})

test('behavior: the open candle ends at the horizon', () => {
  expect(candleAt(TICKS, volume, 0, 60, 0)).toMatchObject({ open: 100, high: 100, close: 100, avg: 100, volume: 7 })
  expect(candleAt(TICKS, volume, 0, 60, 4)).toMatchObject({ high: 130, close: 130, avg: 106, volume: 35 })
  expect(candleAt(TICKS, volume, 0, 60, 15)).toMatchObject({ high: 130, low: 90, close: 110, volume: 112 })
  expect(candleAt(TICKS, volume, 0, 60, 59)).toEqual(candleAt(TICKS, volume, 0, 60, 1000))
})

test('behavior: without a price there is no candle', () => {
  expect(candleAt(listPath([100, 5]), volume, 0, 60, 1000)).toBeUndefined()
  expect(candleAt(listPath(), volume, 0, 60, 1000)).toBeUndefined()
})

test('behavior: extremes between the sampled prices are found', () => {
  const spiky = listPath([0, 100], [3601, 900], [3602, 100], [7001, 1], [7002, 100])
  const candle = candleAt(spiky, volume, 0, 86_400, 1e6)
  expect(candle).toMatchObject({ open: 100, high: 900, low: 1, close: 100, avg: 100 })
})

test('behavior: the open price counts for high and low of a long candle', () => {
  const calm = (open: number) => listPath([0, open], [3660, 100], [3700, 101])
  expect(candleAt(calm(900), volume, 3601, 3600, 1e6)).toMatchObject({ open: 900, high: 900, low: 100 })
  expect(candleAt(calm(1), volume, 3601, 3600, 1e6)).toMatchObject({ open: 1, high: 101, low: 1 })
})

test('behavior: extremes outside the candle do not count', () => {
  const spiky = listPath([0, 100], [3599, 900], [3600, 100], [7200, 900])
  expect(candleAt(spiky, volume, 3600, 3600, 1e6)).toMatchObject({ open: 100, high: 100, low: 100, close: 100 })
  expect(candleAt(spiky, volume, 3599, 3601, 1e6)).toMatchObject({ open: 900, high: 900, low: 100, close: 100 })
  expect(candleAt(spiky, volume, 3600, 3601, 1e6)).toMatchObject({ open: 100, high: 900, low: 100, close: 900 })
})

test('behavior: the average of a steady rise is its midpoint, at any width', () => {
  const slope: PricePath = {
    at: tick => 1_000_000 + tick,
    lastTick: second => second,
    nextTick: second => second,
    holes: () => [],
    extremes: (from, to) => ({ high: { ts: to, price: 1_000_000 + to }, low: { ts: from, price: 1_000_000 + from } }),
  }
  for (const width of [1, 2, 59, 60, 61, 100, 119, 121, 3600, 86_400, 604_800]) {
    const candle = candleAt(slope, volume, 0, width, 1e9)!
    // At least thirty even samples: the mean of them is at most one step of the samples off.
    expect(Math.abs(candle.avg - (1_000_000 + (width - 1) / 2))).toBeLessThanOrEqual(Math.max(0.5, width / 30))
  }
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

/** A path that is void in some seconds, and until the first tick after them. */
function withHoles(path: PricePath, ...holes: readonly { from: number; to: number }[]): PricePath {
  const isVoid = (second: number) => holes.some(({ from, to }) => second >= from && second <= to)
  return {
    ...path,
    lastTick: second => (isVoid(second) ? undefined : path.lastTick(second)),
    holes: (from, to) =>
      holes
        .filter(hole => hole.to >= from && hole.from <= to)
        .map(hole => ({ from: Math.max(from, hole.from), to: Math.min(to, hole.to) })),
  }
}
const RISING = listPath([0, 100], [10, 110], [20, 120], [30, 130], [40, 140])

test('behavior: a hole in the middle: open before it, close after it, volume of the rest', () => {
  const path = withHoles(RISING, { from: 13, to: 29 })
  expect(candleAt(path, volume, 10, 25, 1000)).toEqual({
    start: 10,
    open: 110,
    high: 130,
    low: 110,
    close: 130,
    // Three seconds at 110, five at 130.
    avg: Math.round((3 * 110 + 5 * 130) / 8),
    volume: 8 * 7,
  })
})

test('behavior: a hole at the start: open is the first price after it', () => {
  const path = withHoles(RISING, { from: 5, to: 19 })
  expect(candleAt(path, volume, 5, 20, 1000)).toMatchObject({
    open: 120,
    high: 120,
    low: 120,
    close: 120,
    volume: 5 * 7,
  })
})

test('behavior: a hole at the end: close is the last price before it', () => {
  const path = withHoles(RISING, { from: 15, to: 39 })
  expect(candleAt(path, volume, 10, 20, 1000)).toMatchObject({
    open: 110,
    high: 110,
    low: 110,
    close: 110,
    volume: 5 * 7,
  })
  // The horizon is inside of the hole.
  expect(candleAt(path, volume, 10, 60, 20)).toMatchObject({ close: 110, volume: 5 * 7 })
})

test('behavior: a bucket without any price has no candle', () => {
  const path = withHoles(RISING, { from: 15, to: 39 })
  expect(candleAt(path, volume, 15, 25, 1000)).toBeUndefined()
  expect(candleAt(path, volume, 15, 60, 39)).toBeUndefined()
  expect(candleAt(path, volume, 15, 60, 40)).toMatchObject({ open: 140, close: 140, volume: 7 })
})

test('behavior: several holes, and wide candles whose prices are sampled', () => {
  const spiky = listPath([0, 100], [501, 100], [1000, 5], [1001, 100], [2001, 100])
  const path = withHoles(spiky, { from: 499, to: 500 }, { from: 1500, to: 2000 })
  expect(candleAt(path, volume, 0, 3600, 1e6)).toMatchObject({
    open: 100,
    high: 100,
    low: 5,
    close: 100,
    volume: (3600 - 2 - 501) * 7,
  })
})

test('behavior: candles with holes add up to wider ones', () => {
  const path = withHoles(RISING, { from: 3, to: 9 }, { from: 22, to: 29 }, { from: 41, to: 44 })
  const fine = Array.from({ length: 12 }, (_, i) => candleAt(path, volume, i * 5, 5, 1000)).filter(
    candle => candle !== undefined,
  )
  const coarse = candleAt(path, volume, 0, 60, 1000)!
  expect(fine).toHaveLength(10)
  expect({ ...coarse, avg: 0 }).toEqual({
    start: 0,
    open: fine[0]!.open,
    high: Math.max(...fine.map(({ high }) => high)),
    low: Math.min(...fine.map(({ low }) => low)),
    close: fine.at(-1)!.close,
    avg: 0,
    volume: fine.reduce((sum, candle) => sum + candle.volume, 0),
  })
})
