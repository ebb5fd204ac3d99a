// The random walk as a function: Brownian motion in a random trading time, by midpoint displacement on a dyadic grid of seconds.
// It works on log prices and seconds only; rounding and ticks are elsewhere.
import {
  aheadOf,
  createCascade,
  LEAF,
  LEAF_SPAN,
  LEFT_ROOT,
  placeOf,
  RIGHT_ROOT,
  SEASON_LEVEL,
  SECONDS_PER_YEAR,
  SPLITS,
  SPREAD,
  SQRT_3,
} from './cascade.js'
import type { Feed } from './feeds.js'
import { keysOf, scatter, uniformOf } from './random.js'
import { createReach } from './reach.js'
import { createYears, NODE } from './years.js'

/**
 * A log price that can be looked up at any second. A node with ends a and b and standard deviation s has a split w, its left half's
 * share of the variance. Its midpoint is a + (b − a) · w + s · √(3 w (1 − w)) · noise, and its halves have s · √w and s · √(1 − w).
 * With w = ½ everywhere this is Lévy's construction of Brownian motion. The nodes above the roots are those of years.ts.
 */
export type Walk = ReturnType<typeof createWalk>

/** The parameters of a walk: those of its feed, and a seed. Walks that share a driver are correlated. */
export type WalkOptions = Pick<Feed, 'group' | 'span' | 'drivers' | 'trend'> & { readonly seed: string }

/** The standard deviation of a node that lasts so long in trading time, for an annual one of 1. */
export const deviationOf = (from: number, until: number): number => Math.sqrt((until - from) / SECONDS_PER_YEAR)

/** Creates the walk of a set of drivers. It keeps the nodes of the last look-up, because neighbouring seconds share the upper ones. */
export function createWalk(options: WalkOptions) {
  const { seed, group, drivers } = options
  const { at: noise, bound, volatilities, keys } = createNoise(seed, drivers)
  const { split, lowerSplit, share } = createCascade(seed, group)
  const load = createYears(options, { volatilities, keys })
  const ahead = aheadOf(group)

  // By level, the ends and the deviation of the node that contained the last look-up; valid from the root down to `depth`.
  const left = new Float64Array(LEAF + 1)
  const right = new Float64Array(LEAF + 1)
  const deviation = new Float64Array(LEAF + 1)
  let last = 0
  let depth = LEAF + 1

  /** The log price at a second, relative to the base price. */
  const at = (second: number): number => {
    let rest = second & (LEAF_SPAN - 1)
    if (rest === 0) {
      load(second)
      return NODE[0]!
    }
    let level = Math.max(32 - Math.clz32(second ^ last), depth)
    if (level > LEAF) {
      level = LEAF
      load(second - rest)
      left[level] = NODE[0]!
      right[level] = NODE[2]!
      deviation[level] = deviationOf(NODE[1]!, NODE[3]!)
    }
    last = second
    let half = (1 << level) >>> 1
    rest &= (1 << level) - 1
    let start = (second - rest) | 0
    let a = left[level]!
    let b = right[level]!
    let s = deviation[level]!
    // At the upper levels a half begins where the other one ends, also in the hours of the week.
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

  return {
    /** The level of a root. A node of level l is 2^l seconds long; a leaf is one second. */
    rootLevel: LEAF,
    at,
    /** Writes the root that starts at a second to `NODE`. */
    load,
    noise,
    split,
    /** Bounds on how far a point inside a node can lie above its higher end or below its lower end. */
    reach: createReach(bound),
  }
}

/** The sum of a feed's drivers as a function of time. */
export type Noise = ReturnType<typeof createNoise>

/**
 * Creates the noise of some drivers.
 * @param drivers annualised volatility by name, at least one; negative moves against the driver
 */
export function createNoise(seed: string, drivers: Readonly<Record<string, number>>) {
  const names = Object.keys(drivers)
  const count = names.length
  /** Two keys of each driver, as `uniformOf` takes them. */
  // Typed arrays keep the numbers unboxed: this is the innermost loop of the market.
  const keys = Int32Array.from(
    names.flatMap(name => {
      const { k1, k2 } = keysOf(seed, name)
      return [k1, k2]
    }),
  )
  const volatilities = Float64Array.from(names, name => drivers[name]!)
  /** The bound of `at`: no value exceeds it, nor falls below its negative. */
  const bound = volatilities.reduce((sum, share) => sum + Math.abs(share), 0)
  /** The sum over the drivers of volatility × a uniform number in [−1, 1), for a scattered second. */
  const at = (scattered: number): number => {
    let sum = 0
    for (let i = 0; i < count; i++) sum += volatilities[i]! * uniformOf(keys[2 * i]!, keys[2 * i + 1]!, scattered)
    return sum
  }
  return { at, bound, volatilities, keys }
}
