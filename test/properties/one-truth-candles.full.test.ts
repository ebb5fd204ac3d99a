// Candles are made of the prices in force: checked tick by tick.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Feed } from '../../src/market/feeds.js'
import type { Candle, Chart } from '../support/ask.js'
import { check } from '../support/seed.js'
import { type Ask, anyFeed, anySecond, LATEST, marketOf, NOW, read, travelling } from './markets.js'

const seed = fc.integer({ min: 0, max: 9 }).map(String)
const UNITS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
const widthOf = (interval: string): number =>
  Number.parseInt(interval, 10) * UNITS[interval.at(-1) as keyof typeof UNITS]

/** Intervals short enough to visit every tick, some of them no divisor of an hour. */
const anyInterval = fc.constantFrom('1s', '2s', '7s', '30s', '60s', '61s', '1m', '90s', '5m', '1000s', '1h', '3h')

function candlesOf(ask: Ask, id: string, now: number, interval: string): readonly Candle[] {
  const target = `/charting/feeds-data?feedids=${id}&feed=${id}&type=1&interval=${interval}`
  const { data } = read<Chart>(ask(now, target))
  expect(data).toMatchObject({ queryType: '1', interval })
  return data.result
}

/** The prices in force over `[start, end]`, second by second, in quote units. */
function inForce({ heartbeat, expo }: Feed, priceAt: (tick: number) => number, start: number, end: number): number[] {
  const prices: number[] = []
  const unit = Number(`1e${-expo}`)
  for (let tick = start - (start % heartbeat); tick <= end; tick += heartbeat) {
    const price = priceAt(tick) / unit
    const seconds = Math.min(end, tick + heartbeat - 1) - Math.max(start, tick) + 1
    prices.push(...Array<number>(seconds).fill(price))
  }
  return prices
}

function checkCandle(candle: Candle, feed: Feed, priceAt: (tick: number) => number, now: number, width: number): void {
  const start = candle.time / 1000
  const prices = inForce(feed, priceAt, start, Math.min(start + width - 1, now - feed.lag))
  const [high, low] = [Math.max(...prices), Math.min(...prices)]
  expect(candle).toMatchObject({ open: prices[0], high, low, close: prices.at(-1) })
  expect(candle.avg).toBeGreaterThanOrEqual(low)
  expect(candle.avg).toBeLessThanOrEqual(high)
  if (prices.length <= 60) {
    const mean = prices.reduce((sum, price) => sum + price, 0) / prices.length
    expect(Math.abs(candle.avg - mean)).toBeLessThanOrEqual(10 ** feed.expo + mean * 1e-12)
  }
}

test('behavior: open, high, low and close are of the prices in force', () => {
  check([anyFeed, seed, anySecond, anyInterval], 400, (definition, seed, now, interval) => {
    const { options, feed, priceAt } = marketOf(definition, seed)
    const ask = travelling({ ...options, policy: { candles: 4 } })
    const width = widthOf(interval)
    const candles = candlesOf(ask, feed.id, now, interval)
    const newest = Math.floor((now - feed.lag) / width)
    expect(candles.map(({ time }) => time)).toEqual(
      [3, 2, 1, 0].map(back => (newest - back) * width * 1000).filter(time => time >= 0),
    )
    for (const candle of candles) checkCandle(candle, feed, priceAt, now, width)
  })
})

/** Fine candles folded into the coarse ones that hold them, by the start of these. */
function fold(fine: readonly Candle[], startOf: (time: number) => number) {
  const folded = new Map<number, { open: number; high: number; low: number; close: number; hundredths: number }>()
  for (const { time, open, high, low, close, volume } of fine) {
    const before = folded.get(startOf(time))
    const hundredths = Math.round(volume * 100)
    folded.set(
      startOf(time),
      before
        ? {
            open: before.open,
            high: Math.max(before.high, high),
            low: Math.min(before.low, low),
            close,
            hundredths: before.hundredths + hundredths,
          }
        : { open, high, low, close, hundredths },
    )
  }
  return folded
}

test.each([
  ['1s', '1m', 240, 4],
  ['1m', '1h', 180, 3],
  ['7m', '35m', 15, 3],
  ['1h', '1d', 96, 4],
  ['1d', '1w', 28, 4],
  ['1w', '4w', 12, 3],
] as const)('behavior: %s candles fold to the candles of %s, volume to the hundredth', (fine, coarse, many, few) => {
  const now = fc.oneof(anySecond, fc.integer({ min: 0, max: 30 * 86_400 }))
  const offset = coarse.endsWith('w') ? 345_600_000 : 0
  check([anyFeed, seed, now], 60, (definition, seed, at) => {
    const { options, feed } = marketOf(definition, seed)
    const fineOnes = candlesOf(travelling({ ...options, policy: { candles: many } }), feed.id, at, fine)
    const coarseOnes = candlesOf(travelling({ ...options, policy: { candles: few } }), feed.id, at, coarse)
    const width = widthOf(coarse) * 1000
    const folded = fold(fineOnes, time => Math.floor((time - offset) / width) * width + offset)
    // The fine ones begin inside their first coarse one, and before the first Monday there are no weeks.
    for (const candle of coarseOnes.filter(({ time }) => time >= fineOnes[0]!.time)) {
      const { open, high, low, close } = candle
      const hundredths = Math.round(candle.volume * 100)
      expect({ open, high, low, close, hundredths }).toEqual(folded.get(candle.time))
    }
    expect(coarseOnes.filter(({ time }) => time >= (fineOnes[0]?.time ?? 0)).length).toBeGreaterThanOrEqual(
      (at - feed.lag) * 1000 < offset ? 0 : 1,
    )
  })
})

test('behavior: weeks begin on a Monday, days at midnight', () => {
  const ask = travelling()
  for (const now of [NOW, 345_600 + 5, 2_147_483_648, LATEST]) {
    const weeks = candlesOf(ask, 'btcusd', now, '1w')
    expect(new Set(weeks.map(({ time }) => new Date(time).getUTCDay()))).toEqual(new Set([1]))
    for (const { time } of candlesOf(ask, 'btcusd', now, '1d')) expect(time % 86_400_000).toBe(0)
  }
})

test('behavior: as the horizon passes, the open candle grows and a closed one never changes', () => {
  check([anyFeed, seed, anySecond, fc.constantFrom('5s', '20s', '1m', '90s')], 50, (definition, seed, at, interval) => {
    const { options, feed, priceAt } = marketOf(definition, seed)
    const ask = travelling({ ...options, policy: { candles: 3 } })
    const width = widthOf(interval)
    const closed = new Map<number, Candle>()
    const from = Math.max(feed.lag, Math.min(at, LATEST - width - 3))
    for (let now = from; now <= from + width + 2; now++) {
      const candles = candlesOf(ask, feed.id, now, interval)
      for (const candle of candles.slice(0, -1)) {
        expect(candle).toEqual(closed.get(candle.time) ?? candle)
        closed.set(candle.time, candle)
      }
      const open = candles.at(-1)!
      expect(open.time / 1000).toBe(now - feed.lag - ((now - feed.lag) % width))
      checkCandle(open, feed, priceAt, now, width)
      if (now - feed.lag === open.time / 1000 + width - 1) closed.set(open.time, open)
    }
  })
})

test('behavior: before the first second of 1970 is published there are no candles', () => {
  const { options } = marketOf({ id: 'ACMEUSD', base: 100, drivers: { a: 0.5 }, heartbeat: 1, lag: 2 }, '42')
  const ask = travelling(options)
  for (const interval of ['1s', '1m', '52w']) {
    expect(candlesOf(ask, 'ACMEUSD', 0, interval)).toEqual([])
    expect(candlesOf(ask, 'ACMEUSD', 1, interval)).toEqual([])
  }
  expect(candlesOf(ask, 'ACMEUSD', 2, '1m').map(({ time }) => time)).toEqual([0])
  expect(candlesOf(ask, 'ACMEUSD', 5, '1s').map(({ time }) => time)).toEqual([0, 1000, 2000, 3000])
})
