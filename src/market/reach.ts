// Bounds of the walks, as numbers: how far the levels below a node can reach, up to a root.
// test/support/reach.ts computes them from the activity of the groups; the test beside this file compares them with displacements
// that are really possible.

/** The slopes of RISE. A slope is the distance of the ends of a node, for a standard deviation of 1 and a noise of at most 1. */
export const SLOPES = [0, 1.5, 3] as const

/** By slope and by level, how far a point inside a node can lie above its higher end. It is a convex function of the slope. */
export const RISE: readonly (readonly number[])[] = [
  [0, 0.867, 1.047, 1.39, 1.651, 1.83, 2.033, 2.167, 2.313, 2.415, 2.52, 2.598, 2.673, 2.837, 2.964, 3.123, 3.27],
  [0, 0.118, 0.672, 0.828, 1.067, 1.272, 1.435, 1.592, 1.722, 1.837, 1.932, 2.016, 2.087, 2.22, 2.363, 2.51, 2.652],
  [0, 0.001, 0.297, 0.583, 0.746, 0.892, 1.052, 1.188, 1.317, 1.432, 1.527, 1.611, 1.681, 1.798, 1.925, 2.046, 2.176],
]

/** By level, a bound of that times the slope, for all slopes. */
export const TAIL: readonly number[] = [
  0, 0.38, 1.1, 1.84, 2.59, 3.34, 4.08, 4.87, 5.58, 6.33, 7.01, 7.78, 8.48, 10.17, 11.54, 12.95, 14.53,
]

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
