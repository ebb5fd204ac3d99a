// A path with price overrides: from some second on, prices are scaled by a constant factor and keep moving.
import type { Extremes, PricePath, TickPrice } from './path.js'
import { changeParts, merge, type PartedPath, partsOf } from './search.js'

/** From the tick at second `from` on, prices are multiplied by `factor`; 1 removes the override. */
export interface PriceOverride {
  readonly from: number
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
  const spansOf = (from: number, to: number) => {
    const starts = [from, ...overrides.slice(countUntil(from), countUntil(to)).map(override => override.from)]
    return starts.map((start, i) => ({ from: start, to: (starts[i + 1] ?? to + 1) - 1, factor: factorAt(start) }))
  }

  return {
    at: tick => scale(path.at(tick), factorAt(tick)),
    lastTick: path.lastTick,
    nextTick: path.nextTick,
    holes: path.holes,
    extremes(from, to) {
      // Scaling keeps the order of prices, so within one factor the extremes are at the same ticks as on the path below.
      let found: Extremes | undefined
      for (const { from: start, to: end, factor } of spansOf(from, to)) {
        const span = path.extremes(start, end)
        if (span === undefined) continue
        const high: TickPrice = { price: scale(span.high.price, factor), ts: span.high.ts }
        const low: TickPrice = { price: scale(span.low.price, factor), ts: span.low.ts }
        found = merge(found, { high, low })
      }
      return found
    },
    parts: (from, to) =>
      spansOf(from, to).flatMap(({ from: start, to: end, factor }) =>
        changeParts(partsOf(path, start, end), (_from, _to, low, high) => [scale(low, factor), scale(high, factor)]),
      ),
  }
}

/** Adds an override and drops those that start at the same second or later. */
export function addOverride(overrides: readonly PriceOverride[], next: PriceOverride): PriceOverride[] {
  return [...overrides.filter(({ from }) => from < next.from), next]
}
