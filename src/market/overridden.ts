// A path with price overrides: from some second on, prices are scaled by a constant factor and keep moving.
import { ancestorsOf, type Feed } from './feeds.js'
import { createPriceTree, firstIndex } from './lookups.js'
import { type Extremes, extremesOf, type PricePath } from './path.js'
import { type ChangeBounds, changeParts, merge, type Part, type PartedPath, partsOf, searchExtremes } from './search.js'

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

/** The number of spans that are searched one by one. */
const MAX_SPANS = 8

/**
 * Wraps a path. Prices before the first override do not change.
 * @param overrides ordered by `from`
 * @param step the price step, in units of 10^expo
 */
export function overriddenPath(path: PricePath, overrides: readonly PriceOverride[], step: number): PartedPath {
  const scale = (price: number, factor: number): number =>
    factor === 1 ? price : Math.round((price * factor) / step) * step

  /** The index of the override in force; -1 before the first one. */
  const indexAt = (second: number): number => firstIndex(overrides, ({ from }) => from > second) - 1
  const factorOf = (index: number): number => overrides[index]?.factor ?? 1
  const factorAt = (second: number): number => factorOf(indexAt(second))
  const tree = createPriceTree(Float64Array.from(overrides, ({ factor }) => factor))

  /** Scaling keeps the order of prices, so the bounds have the least and the greatest factor in force. */
  const change: ChangeBounds = (from, to, low, high) => {
    const [first, last] = [indexAt(from), indexAt(to)]
    if (first === last) return [scale(low, factorOf(first)), scale(high, factorOf(first))]
    const second = first + 1
    const least = Math.min(factorOf(first), factorOf(tree.lowest(second, last)))
    const most = Math.max(factorOf(first), factorOf(tree.highest(second, last)))
    return [scale(low, least), scale(high, most)]
  }
  const parts = (from: number, to: number): readonly Part[] => changeParts(partsOf(path, from, to), change)

  /** The spans of `from … to` with one factor, in order; undefined if there are many. */
  const spansOf = (from: number, to: number): Span[] | undefined => {
    const [first, last] = [indexAt(from), indexAt(to)]
    if (last - first >= MAX_SPANS) return undefined
    const starts = [from, ...overrides.slice(first + 1, last + 1).map(override => override.from)]
    return starts.map((start, i) => ({ from: start, to: (starts[i + 1] ?? to + 1) - 1, factor: factorOf(first + i) }))
  }
  const searchParts = (from: number, to: number, below: Extremes, anyTick: boolean): Extremes | undefined =>
    searchExtremes(parts(from, to), { extremes: below, at: ({ price, ts }) => scale(price, factorAt(ts)) }, anyTick)
  const spanExtremes = ({ from, to, factor }: Span, below: Extremes, anyTick: boolean): Extremes | undefined => {
    const { high, low } = below
    const scaled = (price: number): number => scale(price, factor)
    // The extremes are at the same ticks as on the path below, unless a neighbouring price falls together with an extreme one: then
    // an earlier tick may have it.
    const isApart =
      anyTick || (scaled(high.price - step) < scaled(high.price) && scaled(low.price + step) > scaled(low.price))
    if (!isApart) return searchParts(from, to, below, false)
    return { high: { price: scaled(high.price), ts: high.ts }, low: { price: scaled(low.price), ts: low.ts } }
  }
  const extremesFrom = (from: number, to: number, anyTick: boolean): Extremes | undefined => {
    const spans = spansOf(from, to)
    if (spans === undefined) {
      const below = extremesOf(path, from, to, anyTick)
      return below && searchParts(from, to, below, anyTick)
    }
    return spans
      .map(span => {
        const below = extremesOf(path, span.from, span.to, anyTick)
        return below && spanExtremes(span, below, anyTick)
      })
      .reduce(merge, undefined)
  }

  return {
    cycle: path.cycle,
    at: tick => scale(path.at(tick), factorAt(tick)),
    lastTick: path.lastTick,
    nextTick: path.nextTick,
    holes: path.holes,
    extremes: (from, to) => extremesFrom(from, to, false),
    range: (from, to) => extremesFrom(from, to, true),
    parts,
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
  return productOf(followedOverrides(feeds, overrides, feed), ownOverrides(overrides, feed.id))
}

/** Those of a feed, which may have the name of a method of all objects. */
export const ownOverrides = (
  overrides: Readonly<Record<string, readonly PriceOverride[]>>,
  id: string,
): readonly PriceOverride[] => (Object.hasOwn(overrides, id) ? overrides[id]! : [])

/** The overrides that a feed follows. */
export function followedOverrides(
  feeds: readonly Feed[],
  overrides: Readonly<Record<string, readonly PriceOverride[]>>,
  feed: Feed,
): readonly PriceOverride[] {
  return ancestorsOf(feeds, feed).reduce<readonly PriceOverride[]>((product, { id, lag }) => {
    const own = ownOverrides(overrides, id)
    if (own.length === 0) return product
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
