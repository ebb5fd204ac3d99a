// The path of a feed: its walk, rounded to published prices and stopped at its ticks.
import { exponential, POWERS_OF_TEN } from './exponential.js'
import { createExtremesSearch } from './extremes.js'
import type { Feed } from './feeds.js'
import { NO_HOLES, type PricePath } from './path.js'
import { createWalk } from './walk.js'

/** Creates the price path of a feed under a seed, without faults. No tick lies before 1970. */
export function createFeedPath(seed: string, feed: Feed): PricePath {
  const walk = createWalk({ seed, span: feed.span, drivers: feed.drivers })
  const { heartbeat, step } = feed
  const search = createExtremesSearch(walk, 31 - Math.clz32(heartbeat))
  // Only an exact power of ten and one division, so that every engine gets the same double.
  const baseSteps = (feed.base * POWERS_OF_TEN[-feed.expo]!) / step
  const toPrice = (log: number): number => Math.round(baseSteps * exponential(log)) * step

  return {
    at: tick => toPrice(walk.at(tick)),
    extremes(from, to) {
      const first = Math.max(0, Math.ceil(from / heartbeat) * heartbeat)
      const last = Math.floor(to / heartbeat) * heartbeat
      if (first > last) return undefined
      const { high, low } = search(first, last)
      return {
        high: { price: toPrice(high.log), ts: high.second },
        low: { price: toPrice(low.log), ts: low.second },
      }
    },
    lastTick: second => (second < 0 ? undefined : Math.floor(second / heartbeat) * heartbeat),
    nextTick: second => Math.max(0, Math.ceil(second / heartbeat) * heartbeat),
    holes: (from, to) => (from < 0 ? [{ from, to: Math.min(to, -1) }] : NO_HOLES),
  }
}
