// The market stage: the path of each feed with price overrides and market faults. All endpoints read prices here.
import type { MarketContext, MarketFault } from '../faults/fault.js'
import type { Feed } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import { overriddenPath } from '../market/overridden.js'
import type { PricePath } from '../market/path.js'
import { earlierWindows } from '../market/windows.js'
import type { ActiveFault, ActiveScenario } from '../scenario/scenario.js'
import type { PriceOverrides } from './price-overrides.js'
import { createWorkMeter, meteredPath } from './work-limit.js'

/** The market of a session. */
export interface MarketStage {
  /** The path of a feed, as all endpoints read it. */
  path(feed: Feed): PricePath
  /** The last second whose price is published at second `now`. */
  horizon(feed: Feed, now: number): number
  /**
   * Runs the look-ups of one request, and returns their result with the indices of the faults that changed it.
   * @throws PriceFeedMockError SCENARIO_TOO_COSTLY if the faults make them too costly
   */
  track<T>(lookUp: (markApplied: MarkApplied) => T): { readonly result: T; readonly applied: readonly number[] }
}

/** Records the index of a fault that has changed an answer. */
export type MarkApplied = (index: number) => void

interface View {
  readonly path: PricePath
  horizon(second: number): number
}

/** Creates the market stage of a session: the walk, price overrides, then market faults in the order of the scenario. */
export function createMarketStage(market: Market, scenario: ActiveScenario, overrides: PriceOverrides): MarketStage {
  const faults = scenario.faults.filter(({ fault }) => 'path' in fault)
  /** The faults of the look-ups in progress. Paths are shared by all requests, so they cannot hold a set of their own. */
  let applied = new Set<number>()
  const markApplied: MarkApplied = index => void applied.add(index)
  const meter = createWorkMeter(faults.length)
  const views = new Map<Feed, View>()

  const makeView = (feed: Feed): View => {
    const selected = faults.filter(({ feeds }) => feeds === undefined || feeds.has(feed.id))
    const layers = selected.map(active => ({
      fault: active.fault as MarketFault,
      context: contextOf(active, scenario.appliedAt, feed, markApplied),
    }))
    const own = overrides[feed.id]
    const calm = own ? overriddenPath(market.path(feed), own, feed.step) : market.path(feed)
    return {
      path: layers.reduce(
        (path, { fault, context }) => fault.path(path, context),
        layers.length > 0 ? meteredPath(calm, layers.length, meter) : calm,
      ),
      // Of several faults the earliest horizon counts.
      horizon(second) {
        let earliest = second
        let earliestContext: MarketContext<never> | undefined
        for (const { fault, context } of layers) {
          const own = fault.horizon?.(second, context) ?? second
          if (own >= earliest) continue
          earliest = own
          earliestContext = context
        }
        earliestContext?.markApplied()
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
    track(lookUp) {
      applied = new Set()
      meter.start()
      try {
        const result = lookUp(markApplied)
        return { result, applied: [...applied] }
      } finally {
        meter.stop()
      }
    },
  }
}

function contextOf(
  { index, options, windows }: ActiveFault,
  origin: number,
  feed: Feed,
  markApplied: MarkApplied,
): MarketContext<never> {
  // Windows are in seconds of answers. A tick answered at `now` is from `now - lag`, so windows move back by the lag.
  return {
    options,
    feed,
    windows: earlierWindows(windows, feed.lag),
    appliedAt: origin - feed.lag,
    markApplied: () => markApplied(index),
  }
}
