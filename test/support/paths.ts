// Price paths tick by tick, to compare with, and the path of known ticks.
import type { Extremes, PricePath, TickPrice } from '../../src/market/path.js'

/** Every tick of a path in `from … to`, one by one. */
export function ticksOf(path: PricePath, from: number, to: number): TickPrice[] {
  const ticks: TickPrice[] = []
  for (let ts = path.nextTick(from); ts !== undefined && ts <= to; ts = path.nextTick(ts + 1))
    ticks.push({ ts, price: path.at(ts) })
  return ticks
}

/** The earliest of the highest and of the lowest ticks. */
export function extremesOf(ticks: readonly TickPrice[]): Extremes | undefined {
  let [high, low] = [ticks[0], ticks[0]]
  for (const tick of ticks) {
    if (tick.price > high!.price) high = tick
    if (tick.price < low!.price) low = tick
  }
  return high && low && { high, low }
}

/** The extremes of a path by a look at every tick. */
export const everyTick = (path: PricePath, from: number, to: number): Extremes | undefined =>
  extremesOf(ticksOf(path, from, to))

/** The path of a list of ticks, `[second, price]` in order. */
export function listPath(...ticks: readonly (readonly [ts: number, price: number])[]): PricePath {
  const within = (from: number, to: number) => ticks.filter(([ts]) => ts >= from && ts <= to)
  return {
    at: tick => ticks.find(([ts]) => ts === tick)![1],
    lastTick: second => within(-Infinity, second).at(-1)?.[0],
    nextTick: second => within(second, Infinity)[0]?.[0],
    holes(from, to) {
      const first = ticks[0]?.[0] ?? Infinity
      return from < first ? [{ from, until: Math.min(to + 1, first) }] : []
    },
    extremes: (from, to) => extremesOf(within(from, to).map(([ts, price]) => ({ ts, price }))),
  }
}
