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

/** The exact extremes of some parts, or undefined where there is none. */
export function searchExtremes(parts: readonly Part[], at: PricePath['at']): Extremes | undefined {
  return parts.length === 0 ? undefined : { high: search(parts, at, 1), low: search(parts, at, -1) }
}

/** The highest tick (sign 1) or the lowest (−1), where it can be reached looked at first. */
function search(parts: readonly Part[], at: PricePath['at'], sign: 1 | -1): TickPrice {
  const boundOf = ({ bounds }: Part): TickPrice => (sign === 1 ? bounds.high : bounds.low)
  let best: TickPrice | undefined
  const isBeaten = (part: Part): boolean => best !== undefined && sign * boundOf(part).price <= sign * best.price
  const look = (some: readonly Part[]): void => {
    for (const part of some.toSorted((a, b) => sign * (boundOf(b).price - boundOf(a).price))) {
      if (isBeaten(part)) continue
      const { ts } = boundOf(part)
      const price = at(ts)
      if (best === undefined || sign * price > sign * best.price) best = { price, ts }
      if (part.from === part.to || isBeaten(part)) continue
      look(part.split())
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
