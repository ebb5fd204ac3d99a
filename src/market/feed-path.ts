// The path of a feed: its walk, rounded to published prices and stopped at its ticks.
import { createExtremesSearch } from './extremes.js'
import type { Feed } from './feeds.js'
import { type Extremes, NO_HOLES } from './path.js'
import { createPricing, maxLogOf } from './pricing.js'
import type { PartedPath } from './search.js'
import { createWalk } from './walk.js'
import { createWalkParts } from './walk-parts.js'

/** The number of spans whose extremes are cached. */
const MAX_CACHED_SPANS = 32

/** Creates the price path of a feed under a seed, without faults. No tick lies before 1970. */
export function createFeedPath(seed: string, feed: Feed): PartedPath {
  const walk = createWalk({ seed, ...feed })
  const { heartbeat } = feed
  const tickLevel = 31 - Math.clz32(heartbeat)
  const pricing = createPricing(feed, maxLogOf(feed))
  const { toPrice } = pricing
  const search = createExtremesSearch(walk, tickLevel, pricing)
  const parts = createWalkParts(walk, tickLevel, pricing)
  const known = new Map<string, Extremes>()
  const firstTick = (from: number): number => Math.max(0, Math.ceil(from / heartbeat) * heartbeat)
  const lastTick = (to: number): number => Math.floor(to / heartbeat) * heartbeat

  return {
    cycle: { seconds: heartbeat, from: 0, until: Number.POSITIVE_INFINITY },
    at: tick => toPrice(walk.at(tick), tick),
    extremes(from, to) {
      const [first, last] = [firstTick(from), lastTick(to)]
      if (first > last) return undefined
      // The layers of a scenario ask for the same few spans, one after the other.
      const key = `${first} ${last}`
      let found = known.get(key)
      if (found !== undefined) return found
      found = search(first, last)
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
