// A path with price overrides: from some second on, prices are scaled by a constant factor and keep moving.
import { ancestorsOf, type Feed } from './feeds.js'
import { createPriceTree, firstIndex } from './lookups.js'
import type { PricePath } from './path.js'
import { applyTransform, type TransformedPath } from './price-transform.js'
import { merge } from './search.js'
import { EVER, repeatedWindows } from './windows.js'

/**
 * From second `from` on, which is that of the change less the lag of the feed, prices are multiplied by `factor`; 1 removes the
 * override. The tick in force then has it already.
 */
export interface PriceOverride {
  readonly from: number
  readonly factor: number
  /** Derived feeds do not follow: they stay where they are, and follow later overrides from there. */
  readonly alone?: true | undefined
}

/** Price overrides by feed id. */
export type PriceOverrides = Readonly<Record<string, readonly PriceOverride[]>>

/**
 * Wraps a path. Prices before the first override do not change.
 * @param overrides ordered by `from`, at least one, each at a tick; those of a series at any second
 */
export function overriddenPath(
  path: PricePath,
  overrides: readonly PriceOverride[],
  feed: TransformedPath['feed'],
): PricePath {
  const untilNext = overrides.map(({ from }, i) => ({ from, until: overrides[i + 1]?.from ?? EVER }))
  /** The index of the override in force; -1 before the first one. */
  const indexAt = (second: number): number => firstIndex(overrides, ({ from }) => from > second) - 1
  const factorOf = (index: number): number => overrides[index]?.factor ?? 1
  const tree = createPriceTree(Float64Array.from(overrides, ({ factor }) => factor))
  return applyTransform(
    // The last row of a series may be hours old: the price changes with a tick of its own, not for all that time.
    feed.series === undefined
      ? path
      : withTicksAt(
          path,
          overrides.filter(({ factor }, i) => factor !== factorOf(i - 1)),
        ),
    { windows: repeatedWindows(0, untilNext), appliedAt: 0, feed },
    {
      in({ from }) {
        const factor = factorOf(indexAt(from))
        return { at: price => price * factor, bounds: (low, high) => [low * factor, high * factor] }
      },
      // Scaling keeps the order of prices, so the bounds have the least and the greatest factor in force.
      bounds(low, high, _latest, { from, to }) {
        const [first, last] = [indexAt(from), indexAt(to)]
        const second = Math.max(0, first)
        return [
          low * Math.min(factorOf(first), factorOf(tree.lowest(second, last))),
          high * Math.max(factorOf(first), factorOf(tree.highest(second, last))),
        ]
      },
    },
  )
}

/** A path with further ticks, which repeat the price in force. */
function withTicksAt(path: PricePath, seconds: readonly { readonly from: number }[]): PricePath {
  const countUntil = (second: number): number => firstIndex(seconds, ({ from }) => from > second)
  const next = (second: number): number => seconds[countUntil(second - 1)]?.from ?? EVER
  return {
    ...path,
    hasFastSearch: true,
    at: tick => path.at(path.lastTick(tick)!),
    lastTick(second) {
      const tick = path.lastTick(second)
      return tick === undefined ? undefined : Math.max(tick, seconds[countUntil(second) - 1]?.from ?? tick)
    },
    nextTick(second) {
      const [tick, added] = [path.nextTick(second) ?? EVER, next(second)]
      const first = added < tick && path.lastTick(added) !== undefined ? added : tick
      return first < EVER ? first : undefined
    },
    extremes(from, to, anyTick) {
      const below = path.extremes(from, to, anyTick)
      // Only the first one can have a price that no tick of the path below has here.
      const ts = next(from)
      const tick = ts > to ? undefined : path.lastTick(ts)
      if (tick === undefined || tick >= from) return below
      const still = { price: path.at(tick), ts }
      return merge({ high: still, low: still }, below)
    },
  }
}

/** Overrides at the ticks of a feed, those of a series at any second. Of several at one tick the last one counts. */
function atTicks({ heartbeat, series }: Feed, overrides: readonly PriceOverride[]): readonly PriceOverride[] {
  const isAtTicks = heartbeat === 1 || series !== undefined
  const moved = isAtTicks
    ? overrides
    : overrides.map(({ from, factor }) => ({ from: Math.floor(from / heartbeat) * heartbeat, factor }))
  const isLast = ({ from }: PriceOverride, i: number): boolean => moved[i + 1]?.from !== from
  return moved.every(isLast) ? moved : moved.filter(isLast)
}

/**
 * The overrides in force on a feed: its own ones times those of the feeds that it follows, each from the tick on that is in force
 * when the price is set, so that an answer shows both or neither and no earlier tick changes.
 */
export function overridesInForce(
  feeds: readonly Feed[],
  overrides: PriceOverrides,
  feed: Feed,
): readonly PriceOverride[] {
  return productOf(followedOverrides(feeds, overrides, feed), atTicks(feed, ownOverrides(overrides, feed.id)))
}

/** Those of a feed, which may have the name of a method of all objects. */
export const ownOverrides = (overrides: PriceOverrides, id: string): readonly PriceOverride[] =>
  Object.hasOwn(overrides, id) ? overrides[id]! : []

/** The overrides that a feed follows. */
export function followedOverrides(
  feeds: readonly Feed[],
  overrides: PriceOverrides,
  feed: Feed,
): readonly PriceOverride[] {
  return ancestorsOf(feeds, feed).reduce<readonly PriceOverride[]>((product, { id, lag }) => {
    const own = ownOverrides(overrides, id)
    if (own.length === 0) return product
    let factor = 1
    /** The followed factor per factor of the ancestor: what it did alone stays out of later changes. */
    let share = 1
    const followed = own.map(override => {
      if (override.alone) share = factor / override.factor
      else if (override.factor === 1) share = 1
      factor = override.factor * share
      return { from: Math.max(0, override.from + lag - feed.lag), factor }
    })
    return productOf(product, atTicks(feed, followed))
  }, [])
}

function productOf(some: readonly PriceOverride[], others: readonly PriceOverride[]): readonly PriceOverride[] {
  if (some.length === 0) return others
  if (others.length === 0) return some
  const product: PriceOverride[] = []
  let [i, j] = [0, 0]
  while (i < some.length || j < others.length) {
    const from = Math.min(some[i]?.from ?? EVER, others[j]?.from ?? EVER)
    if (some[i]?.from === from) i++
    if (others[j]?.from === from) j++
    const factor = (some[i - 1]?.factor ?? 1) * (others[j - 1]?.factor ?? 1)
    product.push({ from, factor })
  }
  return product
}

/** Adds an override and drops those that start at the same second or later. */
export function addOverride(overrides: readonly PriceOverride[], next: PriceOverride): PriceOverride[] {
  const count = overrides.findLastIndex(({ from }) => from <= next.from) + 1
  const last = overrides[count - 1]
  // In one second, one that derived feeds follow and one that they do not both count.
  const isReplaced = last?.from === next.from && last.alone === next.alone
  return [...overrides.slice(0, isReplaced ? count - 1 : count), next]
}
