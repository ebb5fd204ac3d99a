// The path of a feed: its walk, rounded to published prices and stopped at its ticks; and its tree as parts of time, for searches under
// layers.
import { createBoundedCache, getOrCreate } from '../caches.js'
import { LEFT_ROOT, RIGHT_ROOT, SPLITS, SPREAD } from './cascade.js'
import { createExtremesSearch } from './extremes.js'
import type { Feed } from './feeds.js'
import { ACTIVITY } from './groups.js'
import { type Extremes, NO_HOLES } from './path.js'
import { createPricing, maxLogOf, type Pricing } from './pricing.js'
import { scatter } from './random.js'
import { reachOf } from './reach.js'
import { type ChangeBounds, type IsWanted, merge, type Part, type PartedPath } from './search.js'
import { createWalk, deviationOf, type Walk } from './walk.js'
import { EVER } from './windows.js'
import { NODE } from './years.js'

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
  const known = createBoundedCache<string, Extremes>(MAX_CACHED_SPANS)
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
      return getOrCreate(known, `${first} ${last}`, () => extremes(first, last))
    },
    hasFastSearch: true,
    parts: (from, to) => parts(firstTick(from), lastTick(to)),
    ...(closed && { boundsOf: change }),
    lastTick: second => (second < 0 ? undefined : lastTick(second)),
    nextTick: firstTick,
    holes: (from, to) => (from < 0 ? [{ from, until: Math.min(to + 1, 0) }] : NO_HOLES),
  }
}

const ALL: IsWanted = () => true

/** The number of roots in a part of a long window. */
const RUN = 128

/** A node of the tree: its start, its ends and its deviation. */
type WalkNode = Readonly<Record<'level' | 'start' | 'a' | 'b' | 's', number>>

/** Creates the parts of `from … to` of a walk, both multiples of 2^tickLevel, `0 ≤ from ≤ to`. */
function createWalkParts(
  walk: Walk,
  tickLevel: number,
  { toPrice }: Pricing,
): (from: number, to: number) => readonly Part[] {
  const { rootLevel, load, reach, split, noise } = walk
  const heartbeat = 1 << tickLevel
  const span = 1 << rootLevel

  const halvesOf = ({ level, start, a, b, s }: WalkNode): readonly [WalkNode, WalkNode] => {
    const middle = start + (1 << (level - 1))
    const scattered = scatter(middle | 0)
    const index = split(level, middle | 0, scattered)
    const m = a + (b - a) * SPLITS[index]! + s * SPLITS[index + SPREAD]! * noise(scattered)
    return [
      { level: level - 1, start, a, b: m, s: s * SPLITS[index + LEFT_ROOT]! },
      { level: level - 1, start: middle, a: m, b, s: s * SPLITS[index + RIGHT_ROOT]! },
    ]
  }
  const addTick = (parts: Part[], second: number, log: number, isWanted: IsWanted): void => {
    const price = toPrice(log, second)
    if (isWanted(second, second, price, price)) parts.push({ from: second, to: second, low: price, high: price })
  }

  const rootAt = (start: number): WalkNode => {
    load(start)
    return { level: rootLevel, start, a: NODE[0]!, b: NODE[2]!, s: deviationOf(NODE[1]!, NODE[3]!) }
  }
  const slackOf = ({ level, a, b, s }: WalkNode): number => reachOf(reach, level, Math.abs(b - a), s) + 1e-13
  /** Bounds of the log prices of the roots that start in `first … last`. */
  const boundsOf = (first: number, last: number): readonly [low: number, high: number] => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let start = first; start <= last; start += span) {
      const root = rootAt(start)
      const slack = slackOf(root)
      low = Math.min(low, root.a - slack, root.b - slack)
      high = Math.max(high, root.a + slack, root.b + slack)
    }
    return [low, high]
  }

  return (from, to) => {
    /** Adds a node, without the ticks at its ends. */
    const addNode = (parts: Part[], node: WalkNode, isWanted: IsWanted): void => {
      const { level, start, a, b } = node
      const first = Math.max(from, start + heartbeat)
      const last = Math.min(to, start + (1 << level) - heartbeat)
      if (first > last) return
      if (level - 1 > tickLevel) {
        // A node much longer than the part that is left of it would only be split again and again.
        const middle = start + (1 << (level - 1))
        if (first > middle || last < middle) {
          addNode(parts, halvesOf(node)[first > middle ? 1 : 0], isWanted)
          return
        }
      }
      const slack = slackOf(node)
      const low = toPrice(Math.min(a, b) - slack, first)
      const high = toPrice(Math.max(a, b) + slack, last)
      if (!isWanted(first, last, low, high)) return
      const split = (isWanted: IsWanted): Part[] => {
        const halves = halvesOf(node)
        const middle = halves[1].start
        const children: Part[] = []
        addNode(children, halves[0], isWanted)
        if (middle >= from && middle <= to) addTick(children, middle, halves[1].a, isWanted)
        addNode(children, halves[1], isWanted)
        return children
      }
      parts.push({ from: first, to: last, low, high, split })
    }
    const addRoots = (parts: Part[], first: number, last: number, isWanted: IsWanted): Part[] => {
      for (let start = first; start <= last; start += span) {
        const root = rootAt(start)
        if (start >= from) addTick(parts, start, root.a, isWanted)
        addNode(parts, root, isWanted)
      }
      return parts
    }
    const first = Math.floor(from / span) * span
    if (to - first < RUN * span) return addRoots([], first, to, ALL)
    // A window of decades has thousands of roots, so it has runs of them.
    const parts: Part[] = []
    for (let start = first; start <= to; start += RUN * span) {
      const last = Math.min(to, start + RUN * span - 1)
      const [low, high] = boundsOf(start, last)
      const since = Math.max(from, start)
      const split = (isWanted: IsWanted) => addRoots([], start, last, isWanted)
      parts.push({ from: since, to: last, low: toPrice(low, since), high: toPrice(high, last), split })
    }
    return parts
  }
}
