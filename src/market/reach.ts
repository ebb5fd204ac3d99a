// Bounds of the cascade of each group, as numbers: how far the levels below a node can reach, and how long a root can last.
// test/support/reach.ts computes them from the activity of the groups; the test beside this file compares them with what it
// computes, and with displacements that are really possible.
import type { FeedGroup } from './groups.js'

/** The bounds of a group, for a standard deviation of 1 and a noise of at most 1. */
export interface Reach {
  /** By level, how far a point inside a node can lie above its higher end. */
  readonly reach: readonly number[]
  /** By level, the same times the distance of the ends, where that is less. */
  readonly slopeReach: readonly number[]
  /** By level from 16 on, the longest trading time of a root, as a multiple of its seconds. */
  readonly duration: readonly number[]
}

const CRYPTO: Reach = {
  reach: [
    0, 0.867, 1.047, 1.39, 1.651, 1.83, 2.033, 2.167, 2.313, 2.415, 2.52, 2.598, 2.673, 2.837, 2.964, 3.071, 3.2, 3.305,
    3.414, 3.48, 3.487, 3.5, 3.499, 3.348, 3.254, 3.154, 3.09,
  ],
  slopeReach: [
    0, 0.38, 1.1, 1.84, 2.59, 3.34, 4.08, 4.87, 5.58, 6.33, 7.01, 7.78, 8.48, 9.55, 10.41, 11.22, 12.03, 12.84, 13.64,
    14.27, 14.82, 15.47, 16.24, 16.8, 17.44, 18.19, 18.93,
  ],
  duration: [3.653, 3.438, 2.957, 2.591, 2.563, 2.165, 1.85, 1.847, 1.846, 1.842, 1.839],
}
const FX: Reach = {
  reach: [
    0, 0.867, 1.047, 1.39, 1.651, 1.83, 2.027, 2.159, 2.298, 2.398, 2.496, 2.57, 2.64, 2.819, 2.966, 3.133, 3.283,
    3.416, 3.548, 3.624, 3.457, 3.374, 3.234, 3.17, 3.085, 3.039, 2.982,
  ],
  slopeReach: [
    0, 0.38, 1.1, 1.84, 2.59, 3.34, 4.07, 4.87, 5.58, 6.32, 7, 7.76, 8.44, 10.46, 12.15, 13.93, 16.02, 18.02, 20.23,
    20.93, 21.24, 21.56, 21.85, 22.16, 22.48, 22.79, 23.11,
  ],
  duration: [4.019, 3.623, 2.647, 1.991, 1.974, 1.885, 1.863, 1.862, 1.861, 1.849, 1.84],
}

/** The bounds of each group. Stablecoins have the hours of coins. */
export const REACH: Readonly<Record<FeedGroup, Reach>> = { crypto: CRYPTO, fx: FX, stable: CRYPTO }

/** The least level of a root: a span of 65,536 seconds. */
const LEAST_ROOT_LEVEL = 16

/** The longest trading time of a root of a level, in seconds. */
export function maxDuration(group: FeedGroup, rootLevel: number): number {
  return 2 ** rootLevel * REACH[group].duration[rootLevel - LEAST_ROOT_LEVEL]!
}
