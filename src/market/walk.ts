// The random walk as a function: Brownian motion by midpoint displacement (Lévy's construction) on a dyadic grid of seconds.
// It works on log prices and seconds only; rounding, ticks and feeds are elsewhere.
import { createNoise } from './drivers.js'

/** Seconds of a Julian year, the unit of annualised volatility. */
export const SECONDS_PER_YEAR = 31_557_600

/**
 * The largest amount that the levels below a node can add, in units of the node's own amplitude where amplitudes fall by √2 a level:
 * the maximum of the Takagi–Landsberg function, Σ 2^(−k/2) · tent(2^k · t), reached at t = 1/3 where every tent is 2/3.
 */
const MAX_BELOW = 2 / 3 / (1 - Math.SQRT1_2)

/**
 * A log price that can be looked up at any second. It has independent anchors at multiples of `span`, so it does not wander over
 * longer times. Between two anchors the midpoint of a node is the mean of its ends plus a random displacement.
 */
export interface Walk {
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
export interface WalkOptions {
  readonly seed: string
  /** A power of two, in seconds. */
  readonly span: number
  readonly drivers: Readonly<Record<string, number>>
}

/** A uniform number in [−1, 1) has variance 1/3, hence the 3; the midpoint of a bridge of length L has variance L/4. */
const perRootSecond = Math.sqrt(3 / SECONDS_PER_YEAR)

/** A bound on the distance of a log price from 0: an anchor plus everything the levels below can add. */
export function maxAbsLog({ span, drivers }: Omit<WalkOptions, 'seed'>): number {
  const volatility = Object.values(drivers).reduce((sum, vol) => sum + Math.abs(vol), 0)
  return volatility * perRootSecond * (Math.sqrt(span / 2) + (Math.sqrt(span) / 2) * MAX_BELOW)
}

/** Creates the walk of a set of drivers. It keeps the nodes of the last look-up, because neighbouring seconds share the upper ones. */
export function createWalk({ seed, span, drivers }: WalkOptions): Walk {
  const rootLevel = 31 - Math.clz32(span)
  const noise = createNoise(seed, drivers)

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
