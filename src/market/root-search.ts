// The innermost loop of the market: the search of one root of a walk for its highest points. It is a function of the module with its
// memory in typed arrays of the module. Compiled code knows their places; those of a closure cost checks at each access, and a
// function that calls itself makes an object of each number that it passes on.
import { choiceOf, LEFT_ROOT, RIGHT_ROOT, SEASON_LEVEL, SPLITS, SPREAD } from './cascade.js'
import { scatter, uniformOf } from './random.js'
import type { Reach } from './reach.js'
import type { Walk } from './walk.js'

/** The number of drivers whose data fit into the memory. The noise of more drivers is asked of the walk. */
const MAX_DRIVERS = 8
/** Levels of a tree of 32-bit seconds. */
const LEVELS = 32

/** By level, the bounds of the walk: see `reachOf`. */
const BOUNDS = new Float64Array(LEVELS * 8)
/** By level, a half that is searched after the other one: its start, its ends and its deviation. */
const HALVES = new Float64Array(LEVELS * 4)
const VOLATILITIES = new Float64Array(MAX_DRIVERS)
const KEYS = new Int32Array(MAX_DRIVERS * 2)
const TABLES = new Int32Array(SEASON_LEVEL)

/** The log prices that a point of a root needs, without growth and rounding errors: to reach the best price, and to exceed it. */
export const NEEDED = new Float64Array(2)
/** The offset of the best price from the start of the root. It may lie in another root, further away than 2^31 seconds. */
export const BEST = new Float64Array(1)

/** A walk whose roots are searched, and the part of each that is. Offsets in seconds from the start of the root. */
export interface Searched {
  readonly walk: Pick<Walk, 'rootLevel' | 'noise' | 'split' | 'reach' | 'data'>
  /** The walk's bounds, as `boundsOf` returns them. */
  readonly bounds: Float64Array
  /** The least level of a midpoint is one above. */
  readonly tickLevel: number
  /** The growth of the log price a second. */
  readonly growth: number
  /** Notes a point that may be the best, by offset and log price, and updates `NEEDED` and `BEST`. */
  offer(offset: number, log: number): void
}

/** The bounds of a walk in the order of the memory. */
export function boundsOf(
  { first, firstFall, second, secondFall, steep, tail }: Reach,
  rootLevel: number,
): Float64Array {
  const fields = [first, firstFall, second, secondFall, steep, tail]
  return Float64Array.from({ length: 8 * (rootLevel + 1) }, (_, i) => fields[i & 7]?.[i >>> 3] ?? 0)
}

const within = (offset: number, span: number): number => (offset < 0 ? 0 : offset > span ? span : offset) | 0

/** Prepares the memory for roots of a walk. */
export function loadWalk({ walk: { data }, bounds }: Searched): void {
  BOUNDS.set(bounds)
  if (data === undefined) return
  TABLES.set(data.tables)
  if (data.volatilities.length > MAX_DRIVERS) return
  VOLATILITIES.set(data.volatilities)
  KEYS.set(data.keys)
}

/**
 * Offers all points of a root that may be the highest ones of `first … last`: a node by its midpoint, then its halves.
 * @param sign −1 searches the mirrored walk
 * @param rootStart the second at which the root starts
 * @param leftEnd the log price there, times the sign
 * @param rightEnd the log price at its end, times the sign
 * @param ofRoot its deviation
 */
export function searchRoot(
  { walk, tickLevel, growth, offer }: Searched,
  sign: 1 | -1,
  rootStart: number,
  first: number,
  last: number,
  leftEnd: number,
  rightEnd: number,
  ofRoot: number,
): void {
  const { rootLevel, noise, split, data } = walk
  const { steepest } = walk.reach
  const k1 = data === undefined ? 0 : data.k1
  const k2 = data === undefined ? 0 : data.k2
  const tabled = data === undefined ? 0 : SEASON_LEVEL
  const drivers = data === undefined || data.volatilities.length > MAX_DRIVERS ? 0 : data.volatilities.length
  const heartbeat = 1 << tickLevel
  const span = 1 << rootLevel
  // The growth to the end of a node is less than to that of the root.
  const fall = 0.99 * growth
  const origin = rootStart | 0
  let toReach = NEEDED[0]!
  let toExceed = NEEDED[1]!
  // Small integers, which may lie in other roots.
  const from = within(first, span)
  const to = within(last, span)
  let best = within(BEST[0]!, span)
  let level = rootLevel
  let start = 0
  // By way of the array, so that they are plain numbers in the loop.
  HALVES[1] = leftEnd
  HALVES[2] = rightEnd
  HALVES[3] = ofRoot
  let a = HALVES[1]!
  let b = HALVES[2]!
  let s = HALVES[3]!
  // Bits of levels: those with a half to search, and those whose halves lie inside the window.
  let waiting = 0
  let inside = 0
  for (;;) {
    const length = 1 << level
    let isInside = (inside >>> level) & 1
    let isWanted = true
    if (isInside === 0) {
      // Whether it can cross an edge of the window.
      const end = start + length - heartbeat
      isWanted = start + heartbeat <= to && end >= from
      if (start + heartbeat >= from && end <= to) isInside = 1
    }
    if (isWanted) {
      // Whether it can have a higher price than the best, or the same one earlier.
      let missing = (start < best ? toReach : toExceed) - (a > b ? a : b)
      if (fall !== 0) missing += fall * (sign === 1 ? span - start - length : start)
      if (missing > 0) {
        // As in `reachOf`.
        const at = 8 * level
        const distance = a > b ? a - b : b - a
        isWanted =
          distance >= steepest * s
            ? missing <= s * BOUNDS[at + 4]! && missing * distance <= s * s * BOUNDS[at + 5]!
            : missing <= s * BOUNDS[at]! - BOUNDS[at + 1]! * distance ||
              missing <= s * BOUNDS[at + 2]! - BOUNDS[at + 3]! * distance
      }
    }
    if (isWanted) {
      const middle = start + (length >>> 1)
      const second = (origin + middle) | 0
      const scattered = scatter(second)
      const index = level < tabled ? choiceOf(TABLES[level]!, k1, k2, scattered) : split(level, second, scattered)
      let sum = 0
      if (drivers === 0) sum = noise(scattered)
      for (let i = 0; i < drivers; i++) sum += VOLATILITIES[i]! * uniformOf(KEYS[2 * i]!, KEYS[2 * i + 1]!, scattered)
      const m = a + (b - a) * SPLITS[index]! + sign * (s * SPLITS[index + SPREAD]! * sum)
      if (m >= toReach && (isInside === 1 || (middle >= from && middle <= to))) {
        offer(middle, m)
        toReach = NEEDED[0]!
        toExceed = NEEDED[1]!
        best = within(BEST[0]!, span)
      }
      level--
      if (level > tickLevel) {
        const bit = 1 << level
        waiting |= bit
        inside = isInside === 1 ? inside | bit : inside & ~bit
        const at = 4 * level
        // First the half at the higher end.
        if (a >= b) {
          HALVES[at] = middle
          HALVES[at + 1] = m
          HALVES[at + 2] = b
          HALVES[at + 3] = s * SPLITS[index + RIGHT_ROOT]!
          b = m
          s *= SPLITS[index + LEFT_ROOT]!
        } else {
          HALVES[at] = start
          HALVES[at + 1] = a
          HALVES[at + 2] = m
          HALVES[at + 3] = s * SPLITS[index + LEFT_ROOT]!
          start = middle
          a = m
          s *= SPLITS[index + RIGHT_ROOT]!
        }
        continue
      }
    }
    if (waiting === 0) return
    // The lowest level has the other half of the smallest node.
    level = 31 - Math.clz32(waiting & -waiting)
    waiting &= waiting - 1
    const at = 4 * level
    start = HALVES[at]! | 0
    a = HALVES[at + 1]!
    b = HALVES[at + 2]!
    s = HALVES[at + 3]!
  }
}
