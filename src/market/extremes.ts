// The exact highest and lowest price of a window, by branch and bound on the tree of the walk. Ticks are only a level here: a tick
// every 2^tickLevel seconds is a node of the tree, so the search stops there.
import type { Extremes, TickPrice } from './path.js'
import type { Pricing } from './pricing.js'
import { BEST, boundsOf, loadWalk, NEEDED, searchRoot } from './root-search.js'
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
