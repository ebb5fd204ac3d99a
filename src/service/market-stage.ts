// The market stage: the path of each feed with held prices and the faults of the market laid over it. All endpoints read it.
import type { MarketContext, MarketFault } from '../faults/fault.js'
import type { Feed } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import { overriddenPath } from '../market/overridden.js'
import type { PricePath } from '../market/path.js'
import { earlierWindows } from '../market/windows.js'
import type { ActiveFault, ActiveScenario } from '../scenario/active.js'
import type { PriceOverrides } from './prices.js'

/** The market of a world. */
export interface MarketStage {
  /** The path of a feed, as all endpoints read it. */
  path(feed: Feed): PricePath
  /** The last second whose price is published, `now` being the present. */
  horizon(feed: Feed, now: number): number
  /** Indices of the faults that have changed something since this was last emptied. */
  readonly touched: Set<number>
}

interface View {
  readonly path: PricePath
  horizon(second: number): number
}

/** Creates the market stage of a world: the walk, held prices, and over them faults in the order of the scenario. */
export function createMarketStage(market: Market, scenario: ActiveScenario, overrides: PriceOverrides): MarketStage {
  const faults = scenario.faults.filter(({ fault }) => 'path' in fault)
  const touched = new Set<number>()
  const views = new Map<Feed, View>()

  const makeView = (feed: Feed): View => {
    const selected = faults.filter(({ feeds }) => feeds === undefined || feeds.has(feed.id))
    const layers = selected.map(active => ({
      fault: active.fault as MarketFault,
      context: contextOf(active, scenario.origin, feed, touched),
    }))
    const held = overrides[feed.id]
    const calm = held ? overriddenPath(market.path(feed), held, feed.step) : market.path(feed)
    return {
      path: layers.reduce((path, { fault, context }) => fault.path(path, context), calm),
      // Of several the earliest counts: what one holds back, another does not publish.
      horizon(second) {
        let earliest = second
        let touch: (() => void) | undefined
        for (const { fault, context } of layers) {
          const own = fault.horizon?.(second, context) ?? second
          if (own >= earliest) continue
          earliest = own
          touch = context.touch
        }
        touch?.()
        return earliest
      },
    }
  }
  const viewOf = (feed: Feed): View => {
    let view = views.get(feed)
    if (view === undefined) views.set(feed, (view = makeView(feed)))
    return view
  }

  return {
    path: feed => viewOf(feed).path,
    horizon: (feed, now) => viewOf(feed).horizon(now - feed.lag),
    touched,
  }
}

function contextOf(
  { index, options, windows }: ActiveFault,
  origin: number,
  feed: Feed,
  touched: Set<number>,
): MarketContext<never> {
  const touch = (): void => void touched.add(index)
  // A fault is seen from the second on that its window names: what is answered then was published `lag` before.
  return { options, feed, windows: earlierWindows(windows, feed.lag), origin: origin - feed.lag, touch }
}
