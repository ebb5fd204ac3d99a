// Bounds of the cascades, as numbers: how far the levels below a node can reach, and how long a root can last.
// test/support/reach.ts computes them from the activity of the groups; the test beside this file compares them with displacements
// that are really possible.
import type { FeedGroup } from './groups.js'

/** The slopes of RISE. A slope is the distance of the ends of a node, for a standard deviation of 1 and a noise of at most 1. */
export const SLOPES = [0, 1.5, 3] as const

/** By slope and by level, how far a point inside a node can lie above its higher end. It is a convex function of the slope. */
export const RISE: readonly (readonly number[])[] = [
  [
    0, 0.867, 1.047, 1.39, 1.651, 1.83, 2.033, 2.167, 2.313, 2.415, 2.52, 2.598, 2.673, 2.837, 2.966, 3.133, 3.283,
    3.416, 3.548, 3.624, 3.487, 3.5, 3.499, 3.348, 3.254, 3.154, 3.09,
  ],
  [
    0, 0.118, 0.672, 0.828, 1.067, 1.272, 1.435, 1.592, 1.722, 1.837, 1.932, 2.016, 2.087, 2.223, 2.37, 2.521, 2.665,
    2.8, 2.925, 2.991, 2.905, 2.892, 2.896, 2.794, 2.676, 2.597, 2.52,
  ],
  [
    0, 0.001, 0.297, 0.583, 0.746, 0.892, 1.052, 1.188, 1.317, 1.432, 1.527, 1.611, 1.681, 1.802, 1.934, 2.057, 2.189,
    2.313, 2.431, 2.499, 2.487, 2.457, 2.467, 2.393, 2.309, 2.212, 2.146,
  ],
]

/** By level, a bound of that times the slope, for all slopes. */
export const TAIL: readonly number[] = [
  0, 0.38, 1.1, 1.84, 2.59, 3.34, 4.08, 4.87, 5.58, 6.33, 7.01, 7.78, 8.48, 10.46, 12.15, 13.93, 16.02, 18.02, 20.23,
  20.93, 21.24, 21.56, 21.85, 22.16, 22.48, 22.79, 23.11,
]

/** The least level of a root: a span of 65,536 seconds. */
const LEAST_ROOT_LEVEL = 16

/** By level of a root, its longest trading time as a multiple of its seconds. Stablecoins have the hours of coins. */
const COIN_DURATIONS = [3.653, 3.438, 2.957, 2.591, 2.563, 2.165, 1.85, 1.847, 1.846, 1.842, 1.839]
const FX_DURATIONS = [4.019, 3.623, 2.647, 1.991, 1.974, 1.885, 1.863, 1.862, 1.861, 1.849, 1.84]
const DURATIONS: Readonly<Record<FeedGroup, readonly number[]>> = {
  crypto: COIN_DURATIONS,
  fx: FX_DURATIONS,
  stable: COIN_DURATIONS,
}

/** The longest trading time of a root of a level, in seconds. */
export function maxDuration(group: FeedGroup, rootLevel: number): number {
  return (1 << rootLevel) * DURATIONS[group][rootLevel - LEAST_ROOT_LEVEL]!
}

/**
 * The bounds of walks whose noise is at most some number. A convex function is below its chords, so up to a slope of `steepest` a
 * point is at most `s · first − firstFall · distance` above the higher end, or `s · second − secondFall · distance` if that is more.
 */
export interface Reach {
  readonly first: Float64Array
  readonly firstFall: Float64Array
  readonly second: Float64Array
  readonly secondFall: Float64Array
  readonly steepest: number
  /** Beyond: at most `s · steep`, and at most `s² · tail / distance`. */
  readonly steep: Float64Array
  readonly tail: Float64Array
}

/** Creates the bounds of walks whose noise is at most `bound`. */
export function createReach(bound: number): Reach {
  const [flat, middle, steep] = RISE.map(rises => Float64Array.from(rises, rise => rise * bound)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  const [, half, last] = SLOPES
  const firstFall = flat.map((rise, level) => (rise - middle[level]!) / (half * bound))
  const secondFall = middle.map((rise, level) => (rise - steep[level]!) / ((last - half) * bound))
  return {
    first: flat,
    firstFall,
    second: middle.map((rise, level) => rise + secondFall[level]! * half * bound),
    secondFall,
    steepest: last * bound,
    steep,
    tail: Float64Array.from(TAIL, product => product * bound * bound),
  }
}

/**
 * How far a point inside a node can lie above its higher end, or below its lower one.
 * @param distance of its ends
 * @param s its standard deviation
 */
export function reachOf(reach: Reach, level: number, distance: number, s: number): number {
  if (distance >= reach.steepest * s) return Math.min(s * reach.steep[level]!, (s * s * reach.tail[level]!) / distance)
  const first = s * reach.first[level]! - reach.firstFall[level]! * distance
  const second = s * reach.second[level]! - reach.secondFall[level]! * distance
  return first > second ? first : second
}
