// A path moved by constant factors from some seconds on: "BTC is 50,000 now" while the market lives on.
import type { Extremes, PricePath, TickPrice } from './path.js'

/** From the tick at second `from` on, prices are multiplied by `factor`; 1 lets go. */
export interface PriceOverride {
  readonly from: number
  readonly factor: number
}

/**
 * Wraps a path. Times before the first override are as they were.
 * @param overrides ordered by `from`
 * @param step the price step, in units of 10^expo
 */
export function overriddenPath(path: PricePath, overrides: readonly PriceOverride[], step: number): PricePath {
  const scale = (price: number, factor: number): number =>
    factor === 1 ? price : Math.round((price * factor) / step) * step

  const factorAt = (second: number): number => {
    let factor = 1
    for (const override of overrides) if (override.from <= second) factor = override.factor
    return factor
  }

  return {
    at: tick => scale(path.at(tick), factorAt(tick)),
    lastTick: path.lastTick,
    nextTick: path.nextTick,
    holes: path.holes,
    extremes(from, to) {
      // Scaling keeps the order of prices, so each stretch of one factor has its extremes where the path has them.
      const starts = [from, ...overrides.map(override => override.from).filter(start => start > from && start <= to)]
      let found: Extremes | undefined
      for (const [i, start] of starts.entries()) {
        const stretch = path.extremes(start, (starts[i + 1] ?? to + 1) - 1)
        if (stretch === undefined) continue
        const factor = factorAt(start)
        const high: TickPrice = { price: scale(stretch.high.price, factor), ts: stretch.high.ts }
        const low: TickPrice = { price: scale(stretch.low.price, factor), ts: stretch.low.ts }
        found = {
          high: found && found.high.price >= high.price ? found.high : high,
          low: found && found.low.price <= low.price ? found.low : low,
        }
      }
      return found
    },
  }
}

/** PriceOverrides with one more from second `from` on; those that began later are forgotten. */
export function addOverride(overrides: readonly PriceOverride[], next: PriceOverride): PriceOverride[] {
  return [...overrides.filter(({ from }) => from < next.from), next]
}
