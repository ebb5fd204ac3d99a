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
   * Splits it into shorter parts with the same ticks, in order. It asks about each of them and leaves out those that are not wanted:
   * most of them, so they should cost no allocation. A single tick has no `split`.
   */
  readonly split?: Split
}

/** Whether a search needs a part with these bounds. */
export type IsWanted = (from: number, to: number, low: number, high: number) => boolean
type Split = (isWanted: IsWanted) => readonly Part[]

/** The bounds of the ticks in `from … to` under a layer, for prices from `low` to `high` below; undefined when it removes all ticks. */
export type ChangeBounds = (
  from: number,
  to: number,
  low: number,
  high: number,
) => readonly [number, number] | undefined

interface Parted {
  /** Parts of `from … to` that have all of its ticks, in order, as they are below all layers. */
  parts(from: number, to: number): readonly Part[]
  /** The bounds of a part under all layers. */
  readonly boundsOf?: ChangeBounds | undefined
  /** Called before a part is split. */
  readonly onSplit?: ((part: Part) => void) | undefined
}

type Layered = Parted & { readonly boundsOf: ChangeBounds }

/**
 * A path that can be searched in parts. Each layer changes the bounds of the parts below, so that one search goes through all
 * layers. If each layer searched the exact extremes of the one below, the cost would multiply with every layer.
 */
export interface PartedPath extends PricePath, Parted {}

/** How a path is searched: by halves with exact bounds if it has no parts. */
export function partedOf(path: PricePath): Parted {
  if (!('parts' in path)) return { parts: (from, to) => halves(path, from, to, () => true) }
  const { parts, boundsOf, onSplit } = path as PartedPath
  return { parts, boundsOf, onSplit }
}

function halves(path: PricePath, begin: number, end: number, isWanted: IsWanted): Part[] {
  const exact = begin <= end ? path.extremes(begin, end) : undefined
  if (exact === undefined) return []
  const [low, high] = [exact.low.price, exact.high.price]
  const [from, to] = [path.nextTick(begin)!, path.lastTick(end)!]
  if (!isWanted(from, to, low, high)) return []
  if (from === to) return [{ from, to, low, high }]
  const middle = Math.floor((from + to) / 2)
  const split: Split = isWanted => [...halves(path, from, middle, isWanted), ...halves(path, middle + 1, to, isWanted)]
  return [{ from, to, low, high, split }]
}

/** How a path is searched with a layer more. */
export function changeParts(path: PricePath, change: ChangeBounds): Layered {
  const { boundsOf: below, ...parted } = partedOf(path)
  if (below === undefined) return { ...parted, boundsOf: change }
  return {
    ...parted,
    boundsOf(from, to, low, high) {
      const bounds = below(from, to, low, high)
      return bounds && change(from, to, bounds[0], bounds[1])
    },
  }
}

/** The answer of a path below a layer, and what the layer does to a tick of it. */
interface Below {
  /** Often the ticks of the new extremes as well, so the search starts from them. */
  readonly extremes: Extremes
  /** The new price of a tick; undefined if the layer removes it. */
  at(tick: TickPrice): number | undefined
}

/**
 * Finds the exact extremes of `from … to`, or undefined when it has no tick.
 * @param anyTick whether any of the ticks with an extreme price will do; this is faster
 */
export function searchExtremes(
  parted: Layered,
  [from, to]: readonly [from: number, to: number],
  below: Below,
  anyTick = false,
): Extremes | undefined {
  const parts = parted.parts(from, to)
  const high = search(parts, parted, 1, below.extremes.high, below, anyTick)
  const low = high && search(parts, parted, -1, below.extremes.low, below, anyTick)
  return high && low && { high, low }
}

/** Finds the highest tick (sign 1) or the lowest (−1), the most promising part first. Of equal ticks the earliest wins. */
function search(
  top: readonly Part[],
  { boundsOf, onSplit }: Layered,
  sign: 1 | -1,
  tickBelow: TickPrice,
  below: Below,
  anyTick: boolean,
): TickPrice | undefined {
  // A good first candidate lets the search skip most parts.
  const price = below.at(tickBelow)
  let best = price === undefined ? undefined : { price, ts: tickBelow.ts }
  const wins = (bound: number, second: number): boolean => {
    const lead = best === undefined ? 1 : sign * (bound - best.price)
    return lead > 0 || (lead === 0 && !anyTick && second < best!.ts)
  }
  const visit = (split: Split): void => {
    // The bounds of the parts that are returned: most of the work is computing them.
    const bounds: number[] = []
    const parts = split((from, to, low, high) => {
      const changed = boundsOf(from, to, low, high)
      if (changed === undefined) return false
      const bound = sign === 1 ? changed[1] : changed[0]
      if (!wins(bound, from)) return false
      bounds.push(bound)
      return true
    })
    const order = [...bounds.keys()]
    if (order.length > 1) order.sort((a, b) => sign * (bounds[b]! - bounds[a]!) || a - b)
    for (const i of order) {
      const part = parts[i]!
      if (!wins(bounds[i]!, part.from)) continue
      if (part.split === undefined) best = { price: bounds[i]!, ts: part.from }
      else {
        onSplit?.(part)
        visit(part.split)
      }
    }
  }
  visit(isWanted => top.filter(({ from, to, low, high }) => isWanted(from, to, low, high)))
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
