// The exact highest and lowest tick of a path with bounds, by branch and bound over parts of time.
import type { Extremes, PricePath, TickPrice } from './path.js'

/** A part of time with at least one tick. */
export interface Part {
  readonly from: number
  readonly to: number
  /** Bounds of its ticks; each `ts` is a tick of the part that probably reaches the bound. */
  readonly bounds: Extremes
  /** Splits it into shorter parts with the same ticks. Called only when it is longer than a second. */
  split(): readonly Part[]
}

/**
 * A path with cheap bounds. If each layer searched the exact extremes of the one below, the cost would multiply with every layer.
 */
export interface BoundedPath extends PricePath {
  /** Bounds of the ticks in `from … to`; each `ts` is a tick that probably reaches the bound. */
  bounds(from: number, to: number): Extremes | undefined
}

/** The bounds of a path, or its extremes if it has no bounds. */
export function boundsOf(path: PricePath, from: number, to: number): Extremes | undefined {
  return 'bounds' in path ? (path as BoundedPath).bounds(from, to) : path.extremes(from, to)
}

/**
 * Finds the exact extremes of some parts, or undefined when there are no parts.
 * @param below extremes of the path below; a layer that does not change them must answer with the same ticks
 * @param isUnchanged whether the layer leaves a tick of the path below as it is
 */
export function searchExtremes(
  parts: readonly Part[],
  at: PricePath['at'],
  below: Extremes | undefined,
  isUnchanged: (tick: number) => boolean,
): Extremes | undefined {
  if (parts.length === 0) return undefined
  const unchanged = (tick: TickPrice | undefined) => (tick !== undefined && isUnchanged(tick.ts) ? tick : undefined)
  return { high: search(parts, at, 1, unchanged(below?.high)), low: search(parts, at, -1, unchanged(below?.low)) }
}

/**
 * Finds the highest tick (sign 1) or the lowest (−1), the most promising part first. Of equal ticks the earliest wins, except that
 * the tick known from below wins over all equal ones.
 */
function search(parts: readonly Part[], at: PricePath['at'], sign: 1 | -1, known: TickPrice | undefined): TickPrice {
  const boundOf = ({ bounds }: Part): TickPrice => (sign === 1 ? bounds.high : bounds.low)
  let best = known
  const wins = (price: number, second: number): boolean => {
    const lead = best === undefined ? 1 : sign * (price - best.price)
    return lead > 0 || (lead === 0 && best !== known && second < best!.ts)
  }
  const visit = (some: readonly Part[]): void => {
    for (const part of some.toSorted((a, b) => sign * (boundOf(b).price - boundOf(a).price) || a.from - b.from)) {
      const { ts, price: bound } = boundOf(part)
      if (!wins(bound, part.from)) continue
      const price = at(ts)
      if (wins(price, ts)) best = { price, ts }
      if (part.from < part.to && wins(bound, part.from)) visit(part.split())
    }
  }
  visit(parts)
  return best!
}

/** Merges the extremes of two spans of time, the earlier span first. */
export function merge(earlier: Extremes | undefined, later: Extremes | undefined): Extremes | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later
  return {
    high: later.high.price > earlier.high.price ? later.high : earlier.high,
    low: later.low.price < earlier.low.price ? later.low : earlier.low,
  }
}
