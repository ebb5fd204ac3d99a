// The path of a feed: its walk, rounded to published prices and stopped at its ticks.
import { createExtremesSearch } from './extremes.js'
import type { Feed } from './feeds.js'
import { ACTIVITY } from './groups.js'
import { type Extremes, NO_HOLES } from './path.js'
import { createPricing, maxLogOf } from './pricing.js'
import { type ChangeBounds, merge, type PartedPath } from './search.js'
import { createWalk } from './walk.js'
import { createWalkParts } from './walk-parts.js'
import { EVER } from './windows.js'

const MAX_CACHED_SPANS = 32

/**
 * Creates the price path of a feed under a seed, without faults. No tick lies before 1970. While a market is closed, ticks have the
 * price of the last one before.
 */
export function createFeedPath(seed: string, feed: Feed): PartedPath {
  const walk = createWalk({ seed, ...feed })
  const { heartbeat } = feed
  const tickLevel = 31 - Math.clz32(heartbeat)
  const pricing = createPricing(feed, maxLogOf(feed))
  const { toPrice } = pricing
  const { closed } = ACTIVITY[feed.group]
  const search = createExtremesSearch(walk, tickLevel, pricing, closed)
  const parts = createWalkParts(walk, tickLevel, pricing)
  const known = new Map<string, Extremes>()
  const firstTick = (from: number): number => Math.max(0, Math.ceil(from / heartbeat) * heartbeat)
  const lastTick = (to: number): number => Math.floor(to / heartbeat) * heartbeat
  const at = (tick: number): number => {
    const window = closed?.at(tick)
    const second = window === undefined ? tick : lastTick(window.from - 1)
    return toPrice(walk.at(second), second)
  }
  /** The bounds of parts in which the market is closed. */
  const change: ChangeBounds = (from, to, low, high) => {
    const window = closed?.first(from, to)
    if (window === undefined) return [low, high]
    const price = at(window.from)
    return window.from <= from && window.until > to ? [price, price] : [Math.min(low, price), Math.max(high, price)]
  }
  const extremes = (from: number, to: number): Extremes => {
    const [before, after] = [closed?.at(from), closed?.at(to)]
    const price = at(from)
    const still = before && { high: { price, ts: from }, low: { price, ts: from } }
    const [first, last] = [firstTick(before?.until ?? from), after === undefined ? to : lastTick(after.from - 1)]
    return (first > last ? still : merge(still, search(first, last)))!
  }

  return {
    cycle: { seconds: heartbeat, from: 0, until: EVER },
    at,
    extremes(from, to) {
      const [first, last] = [firstTick(from), lastTick(to)]
      if (first > last) return undefined
      // The layers of a scenario ask for the same few spans, one after the other.
      const key = `${first} ${last}`
      let found = known.get(key)
      if (found !== undefined) return found
      found = extremes(first, last)
      if (known.size === MAX_CACHED_SPANS) known.clear()
      known.set(key, found)
      return found
    },
    hasFastSearch: true,
    parts: (from, to) => parts(firstTick(from), lastTick(to)),
    ...(closed && { boundsOf: change }),
    lastTick: second => (second < 0 ? undefined : lastTick(second)),
    nextTick: firstTick,
    holes: (from, to) => (from < 0 ? [{ from, to: Math.min(to, -1) }] : NO_HOLES),
  }
}
