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
 * Beyond, it is at most `s · steep`, and at most `s² · tail / distance`.
 */
export interface Reach {
  /** By level, `REACH_FIELDS` numbers: first, firstFall, second, secondFall, steep, tail. */
  readonly bounds: Float64Array
  readonly steepest: number
}

/** The numbers of a level. */
export const REACH_FIELDS = 6

/** Creates the bounds of walks whose noise is at most `bound`. */
export function createReach(bound: number): Reach {
  const [, half, last] = SLOPES
  const bounds = TAIL.flatMap((tail, level) => {
    const [flat, middle, steep] = RISE.map(rises => rises[level]! * bound) as [number, number, number]
    const firstFall = (flat - middle) / (half * bound)
    const secondFall = (middle - steep) / ((last - half) * bound)
    return [flat, firstFall, middle + secondFall * half * bound, secondFall, steep, tail * bound * bound]
  })
  return { bounds: Float64Array.from(bounds), steepest: last * bound }
}

/**
 * How far a point inside a node can lie above its higher end, or below its lower one.
 * @param distance of its ends
 * @param s its standard deviation
 */
export function reachOf({ bounds, steepest }: Reach, level: number, distance: number, s: number): number {
  const at = REACH_FIELDS * level
  if (distance >= steepest * s) return Math.min(s * bounds[at + 4]!, (s * s * bounds[at + 5]!) / distance)
  const first = s * bounds[at]! - bounds[at + 1]! * distance
  const second = s * bounds[at + 2]! - bounds[at + 3]! * distance
  return first > second ? first : second
}
