// The random walk as a function: Brownian motion in a random trading time, by midpoint displacement on a dyadic grid of seconds.
// It works on log prices and seconds only; rounding, ticks and feeds are elsewhere.
import {
  aheadOf,
  type Cascade,
  createCascade,
  LEFT_ROOT,
  placeOf,
  RIGHT_ROOT,
  SEASON_LEVEL,
  SECONDS_PER_YEAR,
  SPLITS,
  SPREAD,
  SQRT_3,
} from './cascade.js'
import type { FeedGroup } from './groups.js'
import { keysOf, scatter, uniformOf } from './random.js'
import { createReach, maxDuration, type Reach, reachOf } from './reach.js'

/**
 * A log price that can be looked up at any second. It has independent anchors at multiples of `span`, so it does not wander over
 * longer times. Between two anchors, a node with ends a and b and standard deviation s has a split w, its left half's share of the
 * variance. Its midpoint is a + (b − a) · w + s · √(3 w (1 − w)) · noise, and its halves have s · √w and s · √(1 − w). With w = ½
 * everywhere this is Lévy's construction of Brownian motion.
 */
export interface Walk {
  /** log2 of the span: the level of a root. A node of level l is 2^l seconds long; a leaf is one second. */
  readonly rootLevel: number
  /** The log price at a second, relative to the base price. */
  at(second: number): number
  /** The log price at a multiple of the span. */
  anchor(second: number): number
  /** The standard deviation of the root that starts at a second, for a volatility of 1. */
  rootDeviation(start: number): number
  /** The sum of the drivers, for a scattered second. */
  noise(scattered: number): number
  /** The index in `SPLITS` of the split of a node: see `Cascade`. */
  readonly split: Cascade['split']
  /** Bounds on how far a point inside a node can lie above its higher end or below its lower end. */
  readonly reach: Reach
  /** The data of `noise` and of lower splits, for a search that reads them itself. */
  readonly data?: Pick<Noise, 'volatilities' | 'keys'> & Pick<Cascade, 'tables' | 'k1' | 'k2'>
}

/** The parameters of a walk: annualised volatilities by driver name. Walks that share a driver are correlated. */
export interface WalkOptions {
  readonly seed: string
  /** Walks of one group have the same trading time. */
  readonly group: FeedGroup
  /** A power of two, in seconds. */
  readonly span: number
  readonly drivers: Readonly<Record<string, number>>
}

/** A uniform number in [−1, 1) has variance 1/3; two anchors differ by the variance of a span. */
const anchorScaleOf = (span: number): number => Math.sqrt((3 * span) / 2 / SECONDS_PER_YEAR)

/** The bounds of a walk whose noise is at most 1: each feed is checked with them, once for each mock. */
const UNIT_REACH = createReach(1)

/** A bound on the distance of a log price from 0: an anchor plus everything the levels below can add. */
export function maxAbsLog({ group, span, drivers }: Omit<WalkOptions, 'seed'>): number {
  const rootLevel = 31 - Math.clz32(span)
  const volatility = Object.values(drivers).reduce((sum, vol) => sum + Math.abs(vol), 0)
  const deviation = Math.sqrt(maxDuration(group, rootLevel) / SECONDS_PER_YEAR)
  return volatility * (anchorScaleOf(span) + reachOf(UNIT_REACH, rootLevel, 0, deviation))
}

/** Creates the walk of a set of drivers. It keeps the nodes of the last look-up, because neighbouring seconds share the upper ones. */
export function createWalk({ seed, group, span, drivers }: WalkOptions): Walk {
  const rootLevel = 31 - Math.clz32(span)
  const { at: noise, bound, volatilities, keys } = createNoise(seed, drivers)
  const { tables, k1, k2, split, lowerSplit, share, deviation: deviationOf } = createCascade(seed, group)
  const ahead = aheadOf(group)

  const anchorScale = anchorScaleOf(span)
  const anchor = (second: number): number => anchorScale * noise(scatter(second | 0))
  const rootDeviation = (start: number): number => deviationOf(rootLevel, start)

  // By level, the ends and the deviation of the node that contained the last look-up; valid from the root down to `depth`.
  const left = new Float64Array(rootLevel + 1)
  const right = new Float64Array(rootLevel + 1)
  const deviation = new Float64Array(rootLevel + 1)
  let last = 0
  let depth = rootLevel + 1

  const at = (second: number): number => {
    let level = Math.max(32 - Math.clz32(second ^ last), depth)
    if (level > rootLevel) {
      level = rootLevel
      const root = Math.floor(second / span) * span
      left[level] = anchor(root)
      right[level] = anchor(root + span)
      deviation[level] = rootDeviation(root)
    }
    last = second
    let half = (1 << level) >>> 1
    let rest = second & ((1 << level) - 1)
    let start = (second - rest) | 0
    let a = left[level]!
    let b = right[level]!
    let s = deviation[level]!
    // The upper levels, without the memory of splits: look-ups anywhere would only push each other out of it.
    if (rest !== 0 && level >= SEASON_LEVEL) {
      let from = ahead[placeOf(start)]!
      let until = ahead[placeOf(start + 2 * half)]!
      do {
        const middle = (start + half) | 0
        const scattered = scatter(middle)
        const at = ahead[placeOf(middle)]!
        const w = share(level, (half + (at - from)) / (2 * half + (until - from)), scattered)
        const leftRoot = Math.sqrt(w)
        const rightRoot = Math.sqrt(1 - w)
        const m = a + (b - a) * w + s * (SQRT_3 * leftRoot * rightRoot) * noise(scattered)
        if (rest >= half) {
          a = m
          s *= rightRoot
          from = at
          start = middle
          rest -= half
        } else {
          b = m
          s *= leftRoot
          until = at
        }
        half >>>= 1
        level--
        left[level] = a
        right[level] = b
        deviation[level] = s
      } while (rest !== 0 && level >= SEASON_LEVEL)
    }
    while (rest !== 0) {
      const middle = (start + half) | 0
      const scattered = scatter(middle)
      const index = lowerSplit(level, scattered)
      const m = a + (b - a) * SPLITS[index]! + s * SPLITS[index + SPREAD]! * noise(scattered)
      if (rest >= half) {
        a = m
        s *= SPLITS[index + RIGHT_ROOT]!
        start = middle
        rest -= half
      } else {
        b = m
        s *= SPLITS[index + LEFT_ROOT]!
      }
      half >>>= 1
      level--
      left[level] = a
      right[level] = b
      deviation[level] = s
    }
    depth = level
    return a
  }

  const data = { volatilities, keys, tables, k1, k2 }
  return { rootLevel, at, anchor, rootDeviation, noise, split, reach: createReach(bound), data }
}

/** The sum of a feed's drivers as a function of time. */
export interface Noise {
  /** The sum over the drivers of volatility × a uniform number in [−1, 1), for a scattered second. */
  at(scattered: number): number
  /** The bound of `at`: no value exceeds it, nor falls below its negative. */
  readonly bound: number
  /** The volatility of each driver. */
  readonly volatilities: Float64Array
  /** Two keys of each driver, as `uniformOf` takes them. */
  readonly keys: Int32Array
}

/**
 * Creates the noise of some drivers.
 * @param drivers annualised volatility by name, at least one; negative moves against the driver
 */
export function createNoise(seed: string, drivers: Readonly<Record<string, number>>): Noise {
  const names = Object.keys(drivers)
  const count = names.length
  // Typed arrays keep the numbers unboxed: this is the innermost loop of the market.
  const keys = Int32Array.from(
    names.flatMap(name => {
      const { k1, k2 } = keysOf(seed, name)
      return [k1, k2]
    }),
  )
  const volatilities = Float64Array.from(names, name => drivers[name]!)
  const bound = volatilities.reduce((sum, share) => sum + Math.abs(share), 0)
  const at = (scattered: number): number => {
    let sum = 0
    for (let i = 0; i < count; i++) sum += volatilities[i]! * uniformOf(keys[2 * i]!, keys[2 * i + 1]!, scattered)
    return sum
  }
  return { at, bound, volatilities, keys }
}
