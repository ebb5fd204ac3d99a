// The path of a feed: its walk, rounded to published prices and stopped at its ticks.
import { exponential, POWERS_OF_TEN } from './exponential.js'
import { createExtremesSearch } from './extremes.js'
import type { Feed } from './feeds.js'
import { type Extremes, NO_HOLES } from './path.js'
import type { PartedPath } from './search.js'
import { createWalk } from './walk.js'
import { createWalkParts } from './walk-parts.js'

/** The number of spans whose extremes are cached. */
const MAX_CACHED_SPANS = 32

/** Creates the price path of a feed under a seed, without faults. No tick lies before 1970. */
export function createFeedPath(seed: string, feed: Feed): PartedPath {
  const walk = createWalk({ seed, span: feed.span, drivers: feed.drivers })
  const { heartbeat, step } = feed
  const tickLevel = 31 - Math.clz32(heartbeat)
  const search = createExtremesSearch(walk, tickLevel)
  // Only an exact power of ten and one division, so that every engine gets the same double.
  const baseSteps = (feed.base * POWERS_OF_TEN[-feed.expo]!) / step
  const toPrice = (log: number): number => Math.round(baseSteps * exponential(log)) * step
  const known = new Map<string, Extremes>()
  const parts = createWalkParts(walk, tickLevel, toPrice)
  const firstTick = (from: number): number => Math.max(0, Math.ceil(from / heartbeat) * heartbeat)
  const lastTick = (to: number): number => Math.floor(to / heartbeat) * heartbeat

  return {
    at: tick => toPrice(walk.at(tick)),
    extremes(from, to) {
      const [first, last] = [firstTick(from), lastTick(to)]
      if (first > last) return undefined
      // The layers of a scenario ask for the same few spans, one after the other.
      const key = `${first} ${last}`
      let found = known.get(key)
      if (found !== undefined) return found
      const { high, low } = search(first, last)
      found = {
        high: { price: toPrice(high.log), ts: high.second },
        low: { price: toPrice(low.log), ts: low.second },
      }
      if (known.size === MAX_CACHED_SPANS) known.clear()
      known.set(key, found)
      return found
    },
    hasFastSearch: true,
    parts: (from, to) => parts(firstTick(from), lastTick(to)),
    lastTick: second => (second < 0 ? undefined : lastTick(second)),
    nextTick: firstTick,
    holes: (from, to) => (from < 0 ? [{ from, to: Math.min(to, -1) }] : NO_HOLES),
  }
}
