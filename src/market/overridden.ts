// A path with price overrides: from some second on, prices are scaled by a constant factor and keep moving.
import { ancestorsOf } from './derived.js'
import type { Feed } from './feeds.js'
import { type Extremes, extremesOf, type PricePath } from './path.js'
import { changeParts, merge, type Part, type PartedPath, partsOf, searchExtremes } from './search.js'

/** From the tick at second `from` on, prices are multiplied by `factor`; 1 removes the override. */
export interface PriceOverride {
  readonly from: number
  readonly factor: number
  /** Derived feeds do not follow: they keep the factor of the last override that they do follow. */
  readonly alone?: true | undefined
}

/** A part of time with one factor. */
interface Span {
  readonly from: number
  readonly to: number
  readonly factor: number
}

/**
 * Wraps a path. Prices before the first override do not change.
 * @param overrides ordered by `from`
 * @param step the price step, in units of 10^expo
 */
export function overriddenPath(path: PricePath, overrides: readonly PriceOverride[], step: number): PartedPath {
  const scale = (price: number, factor: number): number =>
    factor === 1 ? price : Math.round((price * factor) / step) * step

  /** Number of overrides that start at `second` or before. A binary search, since there can be thousands. */
  const countUntil = (second: number): number => {
    let least = 0
    let most = overrides.length
    while (least < most) {
      const middle = (least + most) >> 1
      if (overrides[middle]!.from <= second) least = middle + 1
      else most = middle
    }
    return least
  }
  const factorAt = (second: number): number => overrides[countUntil(second) - 1]?.factor ?? 1

  /** The spans of `from … to` with one factor, in order. */
  const spansOf = (from: number, to: number): Span[] => {
    const starts = [from, ...overrides.slice(countUntil(from), countUntil(to)).map(override => override.from)]
    return starts.map((start, i) => ({ from: start, to: (starts[i + 1] ?? to + 1) - 1, factor: factorAt(start) }))
  }

  const scaledParts = ({ from, to, factor }: Span): readonly Part[] =>
    changeParts(partsOf(path, from, to), (_from, _to, low, high) => [scale(low, factor), scale(high, factor)])
  const scaledExtremes = (span: Span, below: Extremes, anyTick: boolean): Extremes | undefined => {
    const { high, low } = below
    const scaled = ({ price }: { price: number }): number => scale(price, span.factor)
    // Scaling keeps the order of prices, so the extremes are at the same ticks as on the path below, unless a neighbouring price
    // falls together with an extreme one: then an earlier tick may have it.
    const isApart =
      anyTick ||
      (scaled({ price: high.price - step }) < scaled(high) && scaled({ price: low.price + step }) > scaled(low))
    if (!isApart) return searchExtremes(scaledParts(span), { extremes: below, at: scaled }, false)
    return { high: { price: scaled(high), ts: high.ts }, low: { price: scaled(low), ts: low.ts } }
  }
  const extremesFrom = (from: number, to: number, anyTick: boolean): Extremes | undefined => {
    let found: Extremes | undefined
    for (const span of spansOf(from, to)) {
      const below = extremesOf(path, span.from, span.to, anyTick)
      if (below !== undefined) found = merge(found, scaledExtremes(span, below, anyTick))
    }
    return found
  }

  return {
    cycle: path.cycle,
    at: tick => scale(path.at(tick), factorAt(tick)),
    lastTick: path.lastTick,
    nextTick: path.nextTick,
    holes: path.holes,
    extremes: (from, to) => extremesFrom(from, to, false),
    range: (from, to) => extremesFrom(from, to, true),
    parts: (from, to) => spansOf(from, to).flatMap(scaledParts),
  }
}

/**
 * The overrides in force on a feed: its own ones times those of the feeds that it follows. `from` of the latter becomes the tick of
 * this feed that is published at the same time, so that an answer shows both or neither.
 */
export function overridesInForce(
  feeds: readonly Feed[],
  overrides: Readonly<Record<string, readonly PriceOverride[]>>,
  feed: Feed,
): readonly PriceOverride[] {
  return productOf(followedOverrides(feeds, overrides, feed), overrides[feed.id] ?? [])
}

/** The overrides that a feed follows. */
export function followedOverrides(
  feeds: readonly Feed[],
  overrides: Readonly<Record<string, readonly PriceOverride[]>>,
  feed: Feed,
): readonly PriceOverride[] {
  return ancestorsOf(feeds, feed).reduce<readonly PriceOverride[]>((product, { id, lag }) => {
    const own = overrides[id]
    if (own === undefined) return product
    let factor = 1
    const followed = own.map(override => {
      if (!override.alone) factor = override.factor
      const second = Math.max(0, override.from + lag - feed.lag)
      return { from: Math.floor(second / feed.heartbeat) * feed.heartbeat, factor }
    })
    // Of several at one tick the last one counts.
    return productOf(
      product,
      followed.filter(({ from }, i) => followed[i + 1]?.from !== from),
    )
  }, [])
}

/** The factors of two lists, multiplied. */
function productOf(some: readonly PriceOverride[], others: readonly PriceOverride[]): readonly PriceOverride[] {
  if (some.length === 0) return others
  if (others.length === 0) return some
  const product: PriceOverride[] = []
  let [i, j] = [0, 0]
  while (i < some.length || j < others.length) {
    const from = Math.min(some[i]?.from ?? Number.POSITIVE_INFINITY, others[j]?.from ?? Number.POSITIVE_INFINITY)
    if (some[i]?.from === from) i++
    if (others[j]?.from === from) j++
    const factor = (some[i - 1]?.factor ?? 1) * (others[j - 1]?.factor ?? 1)
    product.push({ from, factor })
  }
  return product
}

/** Adds an override and drops those that start at the same second or later. */
export function addOverride(overrides: readonly PriceOverride[], next: PriceOverride): PriceOverride[] {
  return [...overrides.filter(({ from }) => from < next.from), next]
}
