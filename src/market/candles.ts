// Candles of a path: the prices in force in each bucket of time, up to the horizon.
import type { PricePath } from './path.js'
import type { Volume } from './volume.js'
import { outside } from './windows.js'

/** One candle. `start` in seconds, prices in units of 10^expo, `volume` in hundredths of a USD. */
export type Candle = Readonly<Record<'start' | 'open' | 'high' | 'low' | 'close' | 'avg' | 'volume', number>>

/** The buckets `[offset + k · width, offset + (k + 1) · width)`, in seconds. */
export interface Buckets {
  readonly width: number
  /** The start of bucket 0: 0, or a Monday for weeks. */
  readonly offset: number
}

/** The largest number of prices in a candle's average. */
const MAX_SAMPLES = 60

/**
 * The candle of `[start, start + width)` up to the horizon, or undefined when there is no price.
 * Open is the price in force at the start, high and low include it, close is the price in force at the last second.
 * A part of the bucket without a price is left out.
 */
export function candleAt(
  path: PricePath,
  volume: Volume,
  start: number,
  width: number,
  horizon: number,
): Candle | undefined {
  const end = Math.min(start + width - 1, horizon)
  const spans = outside(path.holes(start, end), [{ from: start, until: end + 1 }])
  if (end < start || spans.length === 0) return undefined

  let tick = path.lastTick(spans[0]!.from)!
  const open = path.at(tick)
  let price = open
  let high = open
  let low = open
  const moveTo = (second: number): void => {
    const next = path.lastTick(second)!
    if (next === tick) return
    tick = next
    price = path.at(next)
  }
  // Sample multiples of a power of two: they are high in the tree of the walk, where a look-up is cheap.
  let stride = 1
  while (stride * MAX_SAMPLES < end - start + 1) stride *= 2
  let samples = 0
  let aboveOpen = 0
  let traded = 0
  for (const { from, until } of spans) {
    moveTo(from)
    high = Math.max(high, price)
    low = Math.min(low, price)
    for (let second = Math.ceil(from / stride) * stride; second < until; second += stride) {
      moveTo(second)
      if (price > high) high = price
      if (price < low) low = price
      aboveOpen += price - open
      samples++
    }
    moveTo(until - 1)
    traded += volume.between(from, until)
  }
  const ticks = stride > 1 ? path.extremes(start, end, true) : undefined
  if (ticks) {
    high = Math.max(high, ticks.high.price)
    low = Math.min(low, ticks.low.price)
  }
  // The sum is taken over differences to the open price, because sixty prices near 2^53 would exceed a double.
  const avg = Math.min(high, Math.max(low, open + Math.round(aboveOpen / Math.max(1, samples))))
  return { start, open, high, low, close: price, avg, volume: traded }
}

/** Makes all steps of a look-up at once. */
export function finish<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The longest chart, in seconds: 68 years. A search for a high and a low takes the longer the wider a candle is. */
const MAX_CHART = 2_147_483_648

/** The starts of the newest `count` buckets that start at or before the horizon, oldest first; none before 1970. */
export function bucketStarts({ width, offset }: Buckets, horizon: number, count: number): number[] {
  const newest = Math.floor((horizon - offset) / width)
  const oldest = Math.max(newest - count + 1, Math.ceil((Math.max(0, horizon - MAX_CHART) - offset) / width))
  return Array.from({ length: newest - oldest + 1 }, (_, i) => offset + (oldest + i) * width)
}
