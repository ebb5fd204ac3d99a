// The market as it was before it had a trading time: a Gaussian walk with even volume. A frozen copy, to compare speeds in one run.

import type { Feed } from '../src/market/feeds.js'
import { NO_HOLES, type PricePath } from '../src/market/path.js'
import { exponential, POWERS_OF_TEN } from '../src/market/pricing.js'
import { keysOf, scatter, uniformOf } from '../src/market/random.js'
import type { Volume } from '../src/market/volume.js'
import { createNoise } from '../src/market/walk.js'

/** The path of a feed. */
export function gaussianPath(seed: string, feed: Feed): PricePath {
  const walk = createWalk({ seed, span: feed.span, drivers: feed.drivers })
  const { heartbeat, step } = feed
  const search = createExtremesSearch(walk, 31 - Math.clz32(heartbeat))
  const baseSteps = (feed.base * POWERS_OF_TEN[-feed.expo]!) / step
  const toPrice = (log: number): number => Math.round(baseSteps * exponential(log)) * step
  const lastTick = (to: number): number => Math.floor(to / heartbeat) * heartbeat
  return {
    at: tick => toPrice(walk.at(tick)),
    extremes(from, to) {
      const [first, last] = [Math.ceil(from / heartbeat) * heartbeat, lastTick(to)]
      if (first > last) return undefined
      const { high, low } = search(first, last)
      return { high: { price: toPrice(high.log), ts: high.second }, low: { price: toPrice(low.log), ts: low.second } }
    },
    lastTick,
    nextTick: from => Math.ceil(from / heartbeat) * heartbeat,
    holes: () => NO_HOLES,
  }
}

/** The volume of a feed. */
export const gaussianVolume = (seed: string, feed: Feed): Volume => createVolume(seed, feed.id, feed.volume)

/** Seconds of a Julian year, the unit of annualised volatility. */
const SECONDS_PER_YEAR = 31_557_600

/**
 * The largest amount that the levels below a node can add, in units of the node's own amplitude where amplitudes fall by √2 a level:
 * the maximum of the Takagi–Landsberg function, Σ 2^(−k/2) · tent(2^k · t), reached at t = 1/3 where every tent is 2/3.
 */
const MAX_BELOW = 2 / 3 / (1 - Math.SQRT1_2)

/**
 * A log price that can be looked up at any second. It has independent anchors at multiples of `span`, so it does not wander over
 * longer times. Between two anchors the midpoint of a node is the mean of its ends plus a random displacement.
 */
interface Walk {
  /** log2 of the span: the level of a root. A node of level l is 2^l seconds long; a leaf is one second. */
  readonly rootLevel: number
  /** The log price at a second, relative to the base price. */
  at(second: number): number
  /** The log price at a multiple of the span. */
  anchor(second: number): number
  /** The random part of the midpoint of the node of `level` whose midpoint is `second`. */
  displacement(level: number, second: number): number
  /** By level, a bound on how far a point inside a node can lie above its higher end, or below its lower end. */
  readonly maxOvershoot: Float64Array
}

/** The parameters of a walk: annualised volatilities by driver name. Walks that share a driver are correlated. */
interface WalkOptions {
  readonly seed: string
  /** A power of two, in seconds. */
  readonly span: number
  readonly drivers: Readonly<Record<string, number>>
}

/** A uniform number in [−1, 1) has variance 1/3, hence the 3; the midpoint of a bridge of length L has variance L/4. */
const perRootSecond = Math.sqrt(3 / SECONDS_PER_YEAR)

/** Creates the walk of a set of drivers. It keeps the nodes of the last look-up, because neighbouring seconds share the upper ones. */
function createWalk({ seed, span, drivers }: WalkOptions): Walk {
  const rootLevel = 31 - Math.clz32(span)
  const { at: sum, bound } = createNoise(seed, drivers)
  const noise = { at: (second: number): number => sum(scatter(second)), bound }

  const anchorScale = perRootSecond * Math.sqrt(span / 2)
  const scale = new Float64Array(rootLevel + 1)
  const maxOvershoot = new Float64Array(rootLevel + 1)
  for (let level = 1; level <= rootLevel; level++) {
    scale[level] = (perRootSecond * Math.sqrt(1 << level)) / 2
    // The last term covers the rounding error of a sum of thirty doubles of this size.
    const amplitude = noise.bound * scale[level]!
    maxOvershoot[level] = Math.min(maxOvershoot[level - 1]! + amplitude, amplitude * MAX_BELOW) + 1e-14
  }

  const anchor = (second: number): number => anchorScale * noise.at(second)
  const displacement = (level: number, second: number): number => scale[level]! * noise.at(second)

  // By level, the ends of the node that contained the last look-up; valid from the root down to `depth`.
  const left = new Float64Array(rootLevel + 1)
  const right = new Float64Array(rootLevel + 1)
  let last = 0
  let depth = rootLevel + 1

  const at = (second: number): number => {
    let level = Math.max(32 - Math.clz32(second ^ last), depth)
    if (level > rootLevel) {
      level = rootLevel
      const root = Math.floor(second / span) * span
      left[level] = anchor(root)
      right[level] = anchor(root + span)
    }
    last = second
    let half = (1 << level) >>> 1
    let rest = second & ((1 << level) - 1)
    let start = (second - rest) | 0
    let a = left[level]!
    let b = right[level]!
    while (rest !== 0) {
      const middle = (a + b) * 0.5 + displacement(level, (start + half) | 0)
      if (rest >= half) {
        a = middle
        start += half
        rest -= half
      } else {
        b = middle
      }
      half >>>= 1
      level--
      left[level] = a
      right[level] = b
    }
    depth = level
    return a
  }

  return { rootLevel, at, anchor, displacement, maxOvershoot }
}

/** A log price and the second of its tick. */
interface LogExtreme {
  readonly second: number
  readonly log: number
}

/** The earliest highest and the earliest lowest tick of `from … to`, both multiples of 2^tickLevel, `from ≤ to`. */
type ExtremesSearch = (from: number, to: number) => { high: LogExtreme; low: LogExtreme }

/** The number of ticks looked up first, evenly over the window: with a good incumbent the search skips most nodes. */
const PROBES = 128

/** Creates the search of one walk. The inner functions share the state of one search, so that a node costs no allocation. */
function createExtremesSearch(walk: Walk, tickLevel: number): ExtremesSearch {
  const { rootLevel, maxOvershoot, displacement } = walk
  const heartbeat = 1 << tickLevel
  const span = 1 << rootLevel

  // Offsets count from `rootStart`, the start of the root being searched, so that they stay small integers.
  let sign = 1 // −1 searches the low as the high of the mirrored walk: negation is exact
  let rootStart = 0
  let from = 0
  let to = 0
  let best = 0
  let bestOffset = 0

  const offer = (offset: number, log: number): void => {
    if (log > best || (log === best && offset < bestOffset)) {
      best = log
      bestOffset = offset
    }
  }

  /** Searches a node that lies inside the window, with ends a and b. */
  const inside = (level: number, start: number, a: number, b: number): void => {
    const half = 1 << (level - 1)
    const middle = start + half
    const m = (a + b) * 0.5 + sign * displacement(level, (rootStart + middle) | 0)
    if (m > best || (m === best && middle < bestOffset)) {
      best = m
      bestOffset = middle
    }
    const below = level - 1
    if (below === tickLevel) return
    const slack = maxOvershoot[below]!
    if (a >= b) {
      if (Math.max(a, m) + slack >= best) inside(below, start, a, m)
      if (Math.max(b, m) + slack >= best) inside(below, middle, m, b)
    } else {
      if (Math.max(b, m) + slack >= best) inside(below, middle, m, b)
      if (Math.max(a, m) + slack >= best) inside(below, start, a, m)
    }
  }

  /** Searches a node that may cross an edge of the window. */
  const crossing = (level: number, start: number, a: number, b: number): void => {
    const end = start + (1 << level)
    if (start + heartbeat > to || end - heartbeat < from) return
    if (Math.max(a, b) + maxOvershoot[level]! < best) return
    if (start + heartbeat >= from && end - heartbeat <= to) {
      inside(level, start, a, b)
      return
    }
    const middle = start + (1 << (level - 1))
    const m = (a + b) * 0.5 + sign * displacement(level, (rootStart + middle) | 0)
    if (middle >= from && middle <= to) offer(middle, m)
    const below = level - 1
    if (below === tickLevel) return
    if (a >= b) {
      crossing(below, start, a, m)
      crossing(below, middle, m, b)
    } else {
      crossing(below, middle, m, b)
      crossing(below, start, a, m)
    }
  }

  const searchFrom = (first: number, last: number, incumbent: LogExtreme): LogExtreme => {
    best = sign * incumbent.log
    let bestSecond = incumbent.second
    const start = Math.floor(first / span) * span
    let a = sign * walk.anchor(start)
    for (let root = start; root <= last; root += span) {
      const b = sign * walk.anchor(root + span)
      rootStart = root
      from = first - root
      to = last - root
      bestOffset = bestSecond - root
      if (from <= 0) offer(0, a)
      if (rootLevel > tickLevel) crossing(rootLevel, 0, a, b)
      bestSecond = root + bestOffset
      a = b
    }
    return { second: bestSecond, log: sign * best }
  }

  return (first, last) => {
    // Probe odd multiples of a power of two: they are high in the tree, where a look-up is cheap, but are no anchors, which vary least.
    let stride = heartbeat
    while (stride * PROBES < last - first) stride *= 2
    const offset = stride > heartbeat ? stride / 2 : 0
    const log = walk.at(first)
    let high: LogExtreme = { second: first, log }
    let low = high
    for (let second = Math.ceil((first - offset) / stride) * stride + offset; second <= last; second += stride) {
      const log = walk.at(second)
      if (log > high.log) high = { second, log }
      if (log < low.log) low = { second, log }
    }
    sign = 1
    high = searchFrom(first, last, high)
    sign = -1
    low = searchFrom(first, last, low)
    return { high, low }
  }
}

/** The length of a cascade in seconds, about 48 days: long enough for days to differ. Every cascade has the same total. */
const VOLUME_ROOT = 4_194_304
const SECONDS_PER_DAY = 86_400

/**
 * Creates the volume of a feed as an integer cascade on a dyadic grid: each node gives 0.35 to 0.65 of its volume to its left half.
 * @param daily mean volume of a day, in USD
 */
function createVolume(seed: string, feedId: string, daily: number): Volume {
  const { k1, k2 } = keysOf(seed, `volume:${feedId}`)
  const total = Math.round((daily * 100 * VOLUME_ROOT) / SECONDS_PER_DAY)

  /** The volume traded since the start of the root that contains `second`. */
  const sinceRoot = (second: number): number => {
    const start = Math.floor(second / VOLUME_ROOT) * VOLUME_ROOT
    let rest = second - start
    let volume = total
    let sum = 0
    let offset = 0
    for (let half = VOLUME_ROOT / 2; rest > 0; half /= 2) {
      const share = 0.5 + 0.15 * uniformOf(k1, k2, scatter((start + offset + half) | 0))
      const left = Math.floor(volume * share + 0.5)
      if (rest >= half) {
        sum += left
        volume -= left
        rest -= half
        offset += half
      } else {
        volume = left
      }
    }
    return sum
  }

  return {
    between: (from, to) =>
      (Math.floor(to / VOLUME_ROOT) - Math.floor(from / VOLUME_ROOT)) * total + (sinceRoot(to) - sinceRoot(from)),
  }
}
