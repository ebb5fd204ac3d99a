// Candles of a path: prices in force, folded over buckets of time. It looks no further than the horizon.
import type { PricePath } from './path.js'
import type { Volume } from './volume.js'

/** One candle. `start` in seconds, prices in units of 10^expo, `volume` in hundredths of a USD. */
export interface Candle {
  readonly start: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly avg: number
  readonly volume: number
}

/** The buckets `[offset + k · width, offset + (k + 1) · width)`, in seconds. */
export interface Buckets {
  readonly width: number
  /** 0, the epoch; weeks start on a Monday. */
  readonly offset: number
}

/** Prices that a candle's average is taken of, at most. */
const SAMPLES = 60

/**
 * The candle of `[start, start + width)` as far as the horizon, or undefined where there is no price.
 * Open is the price in force at the start, high and low include it, close is the price in force at the last second.
 */
export function candleAt(
  path: PricePath,
  volume: Volume,
  start: number,
  width: number,
  horizon: number,
): Candle | undefined {
  const end = Math.min(start + width - 1, horizon)
  const openTick = path.lastTick(start)
  if (openTick === undefined) return undefined
  const open = path.at(openTick)

  let high = open
  let low = open
  let aboveOpen = 0
  let tick = openTick
  let price = open
  const moveTo = (second: number): void => {
    const next = path.lastTick(second)!
    if (next === tick) return
    tick = next
    price = path.at(next)
  }
  // Multiples of a power of two are high in the tree of the walk, where a look-up is cheap.
  let stride = 1
  while (stride * SAMPLES < end - start + 1) stride *= 2
  let samples = 0
  for (let second = Math.ceil(start / stride) * stride; second <= end; second += stride) {
    moveTo(second)
    if (price > high) high = price
    if (price < low) low = price
    aboveOpen += price - open
    samples++
  }
  moveTo(end)
  if (stride > 1) {
    const ticks = path.extremes(start, end)
    if (ticks) {
      high = Math.max(open, ticks.high.price)
      low = Math.min(open, ticks.low.price)
    }
  }
  // Summed as differences to the open price: sixty prices near 2^53 would not fit.
  const avg = Math.min(high, Math.max(low, open + Math.round(aboveOpen / samples)))
  return { start, open, high, low, close: price, avg, volume: volume.between(start, end + 1) }
}

/** The starts of the newest `count` buckets that have begun at the horizon, oldest first; none before 1970. */
export function bucketStarts({ width, offset }: Buckets, horizon: number, count: number): number[] {
  const newest = Math.floor((horizon - offset) / width)
  const oldest = Math.max(newest - count + 1, Math.ceil(-offset / width))
  const starts: number[] = []
  for (let k = oldest; k <= newest; k++) starts.push(offset + k * width)
  return starts
}
