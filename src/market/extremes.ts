// The exact highest and lowest price of a window, by branch and bound on the tree of the walk. Ticks are only a level here: a tick
// every 2^tickLevel seconds is a node of the tree, so the search stops there.
import { choiceOf, LEFT_ROOT, RIGHT_ROOT, SEASON_LEVEL, SPLITS, SPREAD } from './cascade.js'
import type { Extremes, TickPrice } from './path.js'
import type { Pricing } from './pricing.js'
import { scatter, uniformOf } from './random.js'
import type { Reach } from './reach.js'
import type { Walk } from './walk.js'

/** The highest and the lowest tick of `from … to`, both multiples of 2^tickLevel, `from ≤ to`: of equal prices the earliest. */
export type ExtremesSearch = (from: number, to: number) => Extremes

/** The number of ticks looked up first, evenly over the window: with a good incumbent the search skips most nodes. */
const PROBES = 128

/** More than the rounding error of a sum of thirty log prices. */
const ROUNDING = 1e-13

/** Creates the search of one walk. The inner functions share the state of one search. */
export function createExtremesSearch(walk: Walk, tickLevel: number, pricing: Pricing): ExtremesSearch {
  const { rootLevel } = walk
  const { toPrice, widthOf, growth } = pricing
  const heartbeat = 1 << tickLevel
  const span = 1 << rootLevel

  // Offsets count from `rootStart`, the start of the root being searched, so that they stay small integers.
  let sign: 1 | -1 = 1 // −1 searches the low as the high of the mirrored walk: negation is exact
  let rootStart = 0
  let bestPrice = 0
  // No log price with the best price is below `floor`, and the known ones are at most `best`.
  let best = 0
  let floor = 0
  // The second to which `best` and `floor` belong, and the growth from there to the end of the root where it is largest.
  let bestTime = 0
  let mostGrowth = 0

  const setNeeded = (): void => {
    if (growth !== 0) {
      const gained = sign * growth * (rootStart + (sign === 1 ? span : 0) - bestTime)
      // A hundredth covers that the exponential is only close to one.
      mostGrowth = gained + Math.abs(gained) / 100
    }
    NEEDED[0] = floor - mostGrowth - ROUNDING
    NEEDED[1] = best - mostGrowth - ROUNDING
  }
  const offer = (offset: number, log: number): void => {
    const price = sign * toPrice(sign * log, rootStart + offset)
    if (price > bestPrice) {
      bestPrice = price
      BEST[0] = offset
      bestTime = rootStart + offset
      best = log
      floor = log - widthOf(sign * price)
      setNeeded()
    } else if (price === bestPrice) {
      if (offset < BEST[0]!) BEST[0] = offset
      if (log > best && growth === 0) best = log
      setNeeded()
    }
  }

  const searched = { walk, bounds: boundsOf(walk.reach, rootLevel), tickLevel, growth, offer }

  /** Searches the high (sign 1) or the low (−1), from a known tick and its log price. */
  const search = (towards: 1 | -1, first: number, last: number, known: number, log: number): TickPrice => {
    sign = towards
    bestPrice = sign * toPrice(log, known)
    bestTime = known
    best = sign * log
    floor = best - widthOf(sign * bestPrice)
    let bestSecond = known
    const start = Math.floor(first / span) * span
    let a = sign * walk.anchor(start)
    for (let root = start; root <= last; root += span) {
      const b = sign * walk.anchor(root + span)
      rootStart = root
      setNeeded()
      BEST[0] = bestSecond - root
      if (first <= root) offer(0, a)
      if (rootLevel > tickLevel)
        searchRoot(searched, sign, rootStart, first - root, last - root, a, b, walk.rootDeviation(root))
      bestSecond = root + BEST[0]!
      a = b
    }
    return { price: sign * bestPrice, ts: bestSecond }
  }

  return (first, last) => {
    loadWalk(searched)
    // Probe odd multiples of a power of two: they are high in the tree, where a look-up is cheap, but are no anchors, which vary least.
    let stride = heartbeat
    while (stride * PROBES < last - first) stride *= 2
    const offset = stride > heartbeat ? stride / 2 : 0
    let highest = walk.at(first)
    let lowest = highest
    let high = first
    let low = first
    for (let second = Math.ceil((first - offset) / stride) * stride + offset; second <= last; second += stride) {
      const log = walk.at(second)
      if (log > highest) [high, highest] = [second, log]
      if (log < lowest) [low, lowest] = [second, log]
    }
    return { high: search(1, first, last, high, highest), low: search(-1, first, last, low, lowest) }
  }
}

// The innermost loop of the market, `searchRoot`, is a function of the module with its memory in typed arrays of the module. Compiled
// code knows their places; those of a closure cost checks at each access, and a function that calls itself makes an object of each
// number that it passes on.

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
const NEEDED = new Float64Array(2)
/** The offset of the best price from the start of the root. It may lie in another root, further away than 2^31 seconds. */
const BEST = new Float64Array(1)

/** A walk whose roots are searched, and the part of each that is. Offsets in seconds from the start of the root. */
interface Searched {
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
function boundsOf({ first, firstFall, second, secondFall, steep, tail }: Reach, rootLevel: number): Float64Array {
  const fields = [first, firstFall, second, secondFall, steep, tail]
  return Float64Array.from({ length: 8 * (rootLevel + 1) }, (_, i) => fields[i & 7]?.[i >>> 3] ?? 0)
}

const within = (offset: number, span: number): number => (offset < 0 ? 0 : offset > span ? span : offset) | 0

/** Prepares the memory for roots of a walk. */
function loadWalk({ walk: { data }, bounds }: Searched): void {
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
function searchRoot(
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
