// The exact highest and lowest tick of a path that only knows bounds: branch and bound over parts of time.
import type { Extremes, PricePath, TickPrice } from './path.js'

/** A part of time that has ticks. */
export interface Part {
  readonly from: number
  readonly to: number
  /** No tick of it is above or below; `ts` is a tick of it that may well be there. */
  readonly bounds: Extremes
  /** The same ticks in parts that are shorter, as long as it is longer than a second. */
  split(): readonly Part[]
}

/**
 * A path that says cheaply what it cannot exceed: exact extremes of each layer, asked for by the one above it, would cost
 * a multiple for each of them.
 */
export interface BoundedPath extends PricePath {
  /** Prices that no tick of `from … to` is above or below; `ts` is a tick that may well have them. */
  bounds(from: number, to: number): Extremes | undefined
}

/** The bounds of any path; where it has none, its extremes. */
export function boundsOf(path: PricePath, from: number, to: number): Extremes | undefined {
  return 'bounds' in path ? (path as BoundedPath).bounds(from, to) : path.extremes(from, to)
}

/**
 * The exact extremes of some parts, or undefined where there is none.
 * @param below extremes of the path below: a layer that leaves them as they are answers with the very same ticks
 * @param isLeft whether a tick of the path below is left as it is
 */
export function searchExtremes(
  parts: readonly Part[],
  at: PricePath['at'],
  below: Extremes | undefined,
  isLeft: (tick: number) => boolean,
): Extremes | undefined {
  if (parts.length === 0) return undefined
  const left = (tick: TickPrice | undefined) => (tick !== undefined && isLeft(tick.ts) ? tick : undefined)
  return { high: search(parts, at, 1, left(below?.high)), low: search(parts, at, -1, left(below?.low)) }
}

/**
 * The highest tick (sign 1) or the lowest (−1), where it can be reached looked at first; of equal ones the earliest, but for the
 * one that is known from below.
 */
function search(parts: readonly Part[], at: PricePath['at'], sign: 1 | -1, known: TickPrice | undefined): TickPrice {
  const boundOf = ({ bounds }: Part): TickPrice => (sign === 1 ? bounds.high : bounds.low)
  let best = known
  const wins = (price: number, second: number): boolean => {
    const by = best === undefined ? 1 : sign * (price - best.price)
    return by > 0 || (by === 0 && best !== known && second < best!.ts)
  }
  const look = (some: readonly Part[]): void => {
    for (const part of some.toSorted((a, b) => sign * (boundOf(b).price - boundOf(a).price) || a.from - b.from)) {
      const { ts, price: bound } = boundOf(part)
      if (!wins(bound, part.from)) continue
      const price = at(ts)
      if (wins(price, ts)) best = { price, ts }
      if (part.from < part.to && wins(bound, part.from)) look(part.split())
    }
  }
  look(parts)
  return best!
}

/** The extremes of two stretches of time, the earlier first. */
export function merge(earlier: Extremes | undefined, later: Extremes | undefined): Extremes | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later
  return {
    high: later.high.price > earlier.high.price ? later.high : earlier.high,
    low: later.low.price < earlier.low.price ? later.low : earlier.low,
  }
}
