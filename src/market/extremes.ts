// The exact highest and lowest price of a window, by branch and bound on the tree of the walk. Ticks are only a level here: a tick
// every 2^tickLevel seconds is a node of the tree, so the search stops there.
import { LEFT_ROOT, RIGHT_ROOT, SPLITS, SPREAD } from './cascade.js'
import type { Extremes, TickPrice } from './path.js'
import type { Pricing } from './pricing.js'
import { scatter } from './random.js'
import type { Walk } from './walk.js'

/** The highest and the lowest tick of `from … to`, both multiples of 2^tickLevel, `from ≤ to`: of equal prices the earliest. */
export type ExtremesSearch = (from: number, to: number) => Extremes

/** The number of ticks looked up first, evenly over the window: with a good incumbent the search skips most nodes. */
const PROBES = 128

/** More than the rounding error of a sum of thirty log prices. */
const ROUNDING = 1e-13

/** Creates the search of one walk. The inner functions share the state of one search, so that a node costs no allocation. */
export function createExtremesSearch(walk: Walk, tickLevel: number, pricing: Pricing): ExtremesSearch {
  const { rootLevel, reach, slopeReach, noise, split } = walk
  const { toPrice, widthOf, growth } = pricing
  const heartbeat = 1 << tickLevel
  const span = 1 << rootLevel

  // Offsets count from `rootStart`, the start of the root being searched, so that they stay small integers.
  let sign = 1 // −1 searches the low as the high of the mirrored walk: negation is exact
  let rootStart = 0
  let from = 0
  let to = 0
  let bestPrice = 0
  let bestOffset = 0
  // No log price with the best price is below `floor`, and the known ones are at most `best`.
  let best = 0
  let floor = 0
  // The second to which `best` and `floor` belong, and the growth from there to the end of the root where it is largest.
  let bestTime = 0
  let mostGrowth = 0
  // What an end of a node lacks, without growth and rounding errors: to reach `floor`, and to be above `best`.
  const needed = new Float64Array(2)

  const setNeeded = (): void => {
    if (growth !== 0) {
      const gained = sign * growth * (rootStart + (sign === 1 ? span : 0) - bestTime)
      // A hundredth covers that the exponential is only close to one.
      mostGrowth = gained + Math.abs(gained) / 100
    }
    needed[0] = floor - mostGrowth - ROUNDING
    needed[1] = best - mostGrowth - ROUNDING
  }
  const offer = (offset: number, log: number): void => {
    const price = sign * toPrice(sign * log, rootStart + offset)
    if (price > bestPrice) {
      bestPrice = price
      bestOffset = offset
      bestTime = rootStart + offset
      best = log
      floor = log - widthOf(sign * price)
      setNeeded()
    } else if (price === bestPrice) {
      if (offset < bestOffset) bestOffset = offset
      if (log > best && growth === 0) best = log
      setNeeded()
    }
  }

  /** Whether a node can have a higher price than the best, or the same one earlier. */
  const isWanted = (level: number, start: number, a: number, b: number, s: number): boolean => {
    const threshold = needed[start < bestOffset ? 0 : 1]!
    if (a > b) {
      const missing = threshold - a
      return missing <= 0 || (missing <= s * reach[level]! && (a - b) * missing <= s * s * slopeReach[level]!)
    }
    const missing = threshold - b
    return missing <= 0 || (missing <= s * reach[level]! && (b - a) * missing <= s * s * slopeReach[level]!)
  }

  /** Searches a node that lies inside the window, with ends a and b and deviation s. */
  const inside = (level: number, start: number, a: number, b: number, s: number): void => {
    const middle = start + (1 << (level - 1))
    const second = (rootStart + middle) | 0
    const scattered = scatter(second)
    const index = split(level, second, scattered)
    const m = a + (b - a) * SPLITS[index]! + sign * (s * SPLITS[index + SPREAD]! * noise(scattered))
    if (m >= needed[0]!) offer(middle, m)
    const below = level - 1
    if (below === tickLevel) return
    const ofLeft = s * SPLITS[index + LEFT_ROOT]!
    const ofRight = s * SPLITS[index + RIGHT_ROOT]!
    if (a >= b) {
      if (isWanted(below, start, a, m, ofLeft)) inside(below, start, a, m, ofLeft)
      if (isWanted(below, middle, m, b, ofRight)) inside(below, middle, m, b, ofRight)
    } else {
      if (isWanted(below, middle, m, b, ofRight)) inside(below, middle, m, b, ofRight)
      if (isWanted(below, start, a, m, ofLeft)) inside(below, start, a, m, ofLeft)
    }
  }

  /** Searches a node that may cross an edge of the window. */
  const crossing = (level: number, start: number, a: number, b: number, s: number): void => {
    const end = start + (1 << level)
    if (start + heartbeat > to || end - heartbeat < from) return
    if (!isWanted(level, start, a, b, s)) return
    if (start + heartbeat >= from && end - heartbeat <= to) {
      inside(level, start, a, b, s)
      return
    }
    const middle = start + (1 << (level - 1))
    const second = (rootStart + middle) | 0
    const scattered = scatter(second)
    const index = split(level, second, scattered)
    const m = a + (b - a) * SPLITS[index]! + sign * (s * SPLITS[index + SPREAD]! * noise(scattered))
    if (middle >= from && middle <= to) offer(middle, m)
    const below = level - 1
    if (below === tickLevel) return
    const ofLeft = s * SPLITS[index + LEFT_ROOT]!
    const ofRight = s * SPLITS[index + RIGHT_ROOT]!
    if (a >= b) {
      crossing(below, start, a, m, ofLeft)
      crossing(below, middle, m, b, ofRight)
    } else {
      crossing(below, middle, m, b, ofRight)
      crossing(below, start, a, m, ofLeft)
    }
  }

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
      from = first - root
      to = last - root
      setNeeded()
      bestOffset = bestSecond - root
      if (from <= 0) offer(0, a)
      if (rootLevel > tickLevel) crossing(rootLevel, 0, a, b, walk.rootDeviation(root))
      bestSecond = root + bestOffset
      a = b
    }
    return { price: sign * bestPrice, ts: bestSecond }
  }

  return (first, last) => {
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
