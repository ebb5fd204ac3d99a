// The exact highest and lowest tick of a path with bounds, by branch and bound over parts of time.
import type { Extremes, PricePath, TickPrice } from './path.js'

/** A part of time with the bounds of its ticks. */
export interface Part {
  /** The first and the last second that can have a tick. */
  readonly from: number
  readonly to: number
  /** No price of a tick is lower, none is higher. Of a single tick both are its price. */
  readonly low: number
  readonly high: number
  /**
   * Splits it into shorter parts with the same ticks, and leaves out those that are not wanted: most of them, so they should cost no
   * allocation. A single tick has no `split`.
   */
  readonly split?: (isWanted: IsWanted) => readonly Part[]
}

/** Whether a search needs a part with these bounds. */
export type IsWanted = (from: number, to: number, low: number, high: number) => boolean

/**
 * A path that can be searched in parts. Each layer changes the bounds of the parts below, so that one search goes through all
 * layers. If each layer searched the exact extremes of the one below, the cost would multiply with every layer.
 */
export interface PartedPath extends PricePath {
  /** Parts of `from … to` that have all of its ticks, in order. */
  parts(from: number, to: number): readonly Part[]
}

/** The parts of a path; halves with exact bounds if it has none. */
export function partsOf(path: PricePath, from: number, to: number): readonly Part[] {
  return 'parts' in path ? (path as PartedPath).parts(from, to) : halves(path, from, to)
}

function halves(path: PricePath, begin: number, end: number): Part[] {
  const exact = begin <= end ? path.extremes(begin, end) : undefined
  if (exact === undefined) return []
  const [low, high] = [exact.low.price, exact.high.price]
  const [from, to] = [path.nextTick(begin)!, path.lastTick(end)!]
  if (from === to) return [{ from, to, low, high }]
  const middle = Math.floor((from + to) / 2)
  return [{ from, to, low, high, split: () => [...halves(path, from, middle), ...halves(path, middle + 1, to)] }]
}

/** The bounds of the ticks in `from … to` under a layer, for prices from `low` to `high` below; undefined when it removes all ticks. */
export type ChangeBounds = (
  from: number,
  to: number,
  low: number,
  high: number,
) => readonly [number, number] | undefined

/** Changes the bounds of parts. Parts without ticks are dropped. */
export function changeParts(parts: readonly Part[], change: ChangeBounds): readonly Part[] {
  const changed: Part[] = []
  for (const { from, to, low, high, split } of parts) {
    const bounds = change(from, to, low, high)
    if (bounds === undefined) continue
    const [least, most] = bounds
    changed.push(
      split === undefined
        ? { from, to, low: least, high: most }
        : {
            from,
            to,
            low: least,
            high: most,
            split: isWanted => changeParts(split(through(change, isWanted)), change),
          },
    )
  }
  return changed
}

/** Asks about the bounds below a layer what is asked about its own. */
const through =
  (change: ChangeBounds, isWanted: IsWanted): IsWanted =>
  (from, to, low, high) => {
    const bounds = change(from, to, low, high)
    return bounds !== undefined && isWanted(from, to, bounds[0], bounds[1])
  }

/** The answer of a path below a layer, and what the layer does to a tick of it. */
export interface Below {
  /** Often the ticks of the new extremes as well, so the search starts from them. */
  readonly extremes: Extremes
  /** The new price of a tick; undefined if the layer removes it. */
  at(tick: TickPrice): number | undefined
}

/**
 * Finds the exact extremes of some parts, or undefined when they have no tick.
 * @param anyTick whether any of the ticks with an extreme price will do; this is faster
 */
export function searchExtremes(parts: readonly Part[], below: Below, anyTick = false): Extremes | undefined {
  const high = search(parts, 1, below.extremes.high, below, anyTick)
  const low = high && search(parts, -1, below.extremes.low, below, anyTick)
  return high && low && { high, low }
}

/** Finds the highest tick (sign 1) or the lowest (−1), the most promising part first. Of equal ticks the earliest wins. */
function search(
  parts: readonly Part[],
  sign: 1 | -1,
  tickBelow: TickPrice,
  below: Below,
  anyTick: boolean,
): TickPrice | undefined {
  const boundOf = ({ low, high }: Part): number => (sign === 1 ? high : low)
  // A good first candidate lets the search skip most parts.
  const price = below.at(tickBelow)
  let best = price === undefined ? undefined : { price, ts: tickBelow.ts }
  const wins = (bound: number, second: number): boolean => {
    const lead = best === undefined ? 1 : sign * (bound - best.price)
    return lead > 0 || (lead === 0 && !anyTick && second < best!.ts)
  }
  const isWanted: IsWanted = (from, _to, low, high) => wins(sign === 1 ? high : low, from)
  const visit = (some: readonly Part[]): void => {
    const ordered =
      some.length > 1 ? some.toSorted((a, b) => sign * (boundOf(b) - boundOf(a)) || a.from - b.from) : some
    for (const part of ordered) {
      if (!wins(boundOf(part), part.from)) continue
      if (part.split === undefined) best = { price: boundOf(part), ts: part.from }
      else visit(part.split(isWanted))
    }
  }
  visit(parts)
  return best
}

/** Merges the extremes of two spans of time, the earlier span first. */
export function merge(earlier: Extremes | undefined, later: Extremes | undefined): Extremes | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later
  return {
    high: later.high.price > earlier.high.price ? later.high : earlier.high,
    low: later.low.price < earlier.low.price ? later.low : earlier.low,
  }
}
