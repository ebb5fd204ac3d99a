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
  const { rootLevel, noise, split } = walk
  const { first, firstFall, second, secondFall, steepest, steep, tail } = walk.reach
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
  // The log prices that a point of a node needs, without growth and rounding errors: to reach `floor`, and to be above `best`.
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

  // By level, the ends and the deviation of the node that is searched. As arguments of these functions, which call themselves, each
  // number would be an object.
  const lefts = new Float64Array(rootLevel + 1)
  const rights = new Float64Array(rootLevel + 1)
  const deviations = new Float64Array(rootLevel + 1)

  /** Whether the node of a level can have a higher price than the best, or the same one earlier. */
  const isWanted = (level: number, start: number): boolean => {
    const a = lefts[level]!
    const b = rights[level]!
    let missing = needed[start < bestOffset ? 0 : 1]! - (a > b ? a : b)
    // The growth to the end of the node is less than to that of the root.
    if (growth !== 0) missing += 0.99 * growth * (sign === 1 ? span - start - (1 << level) : start)
    if (missing <= 0) return true
    // As in `reachOf`.
    const distance = a > b ? a - b : b - a
    const s = deviations[level]!
    if (distance >= steepest * s) return missing <= s * steep[level]! && missing * distance <= s * s * tail[level]!
    return (
      missing <= s * first[level]! - firstFall[level]! * distance ||
      missing <= s * second[level]! - secondFall[level]! * distance
    )
  }

  /** Searches the node of a level, if it may cross an edge of the window. */
  const crossing = (level: number, start: number): void => {
    const end = start + (1 << level)
    if (start + heartbeat > to || end - heartbeat < from || !isWanted(level, start)) return
    divide(level, start, start + heartbeat >= from && end - heartbeat <= to)
  }

  /** Searches the node of a level by its midpoint and its halves. */
  const divide = (level: number, start: number, isInside: boolean): void => {
    const a = lefts[level]!
    const b = rights[level]!
    const s = deviations[level]!
    const middle = start + (1 << (level - 1))
    const second = (rootStart + middle) | 0
    const scattered = scatter(second)
    const index = split(level, second, scattered)
    const m = a + (b - a) * SPLITS[index]! + sign * (s * SPLITS[index + SPREAD]! * noise(scattered))
    if (m >= needed[0]! && (isInside || (middle >= from && middle <= to))) offer(middle, m)
    const below = level - 1
    if (below === tickLevel) return
    const ofLeft = s * SPLITS[index + LEFT_ROOT]!
    const ofRight = s * SPLITS[index + RIGHT_ROOT]!
    // First the half at the higher end.
    for (let k = 0; k < 2; k++) {
      const isLeft = a >= b === (k === 0)
      lefts[below] = isLeft ? a : m
      rights[below] = isLeft ? m : b
      deviations[below] = isLeft ? ofLeft : ofRight
      const from = isLeft ? start : middle
      if (!isInside) crossing(below, from)
      else if (isWanted(below, from)) divide(below, from, true)
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
      if (rootLevel > tickLevel) {
        lefts[rootLevel] = a
        rights[rootLevel] = b
        deviations[rootLevel] = walk.rootDeviation(root)
        crossing(rootLevel, 0)
      }
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
