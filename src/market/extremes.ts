// The exact highest and lowest price of a window, by branch and bound on the tree of the walk. Ticks are only a level here: a tick
// every 2^tickLevel seconds is a node of the tree, so the search stops there.
import { LEFT_ROOT, RIGHT_ROOT, SPLITS, SPREAD } from './cascade.js'
import type { Extremes, TickPrice } from './path.js'
import type { Pricing } from './pricing.js'
import { scatter } from './random.js'
import { REACH_FIELDS, reachOf } from './reach.js'
import { deviationOf, type Walk } from './walk.js'
import type { Windows } from './windows.js'
import { NODE } from './years.js'

/** The highest and the lowest tick of `from … to`, both multiples of 2^tickLevel, `from ≤ to`: of equal prices the earliest. */
type ExtremesSearch = (from: number, to: number) => Extremes

/** The number of ticks looked up first, evenly over the window: with a good incumbent the search skips most nodes. */
const PROBES = 8

/** The rise of a root above its higher end, as a part of its bound, with which the fewest nodes are searched. */
const USUAL_RISE = 0.1

/** More than the rounding error of a sum of thirty log prices. */
const ROUNDING = 1e-13

/** Maximum number of roots of a window: those of all time. */
const MAX_ROOTS = 1 << 16
/** Log prices and trading times at the ends of the roots of a window, in 1 MB that is touched only as far as it is used. */
const LOGS = new Float64Array(MAX_ROOTS + 1)
const TIMES = new Float64Array(MAX_ROOTS + 1)

/** Roots, and then smaller nodes, wait until all are known. The most promising one is searched first: after it most can be skipped. */
const STAGES = 2
/** The level of the smaller ones. */
const SMALLER = 9
/** Maximum number of nodes that wait in a stage: the roots of a year. */
const MAX_WAITING = 512

/**
 * The nodes of each stage that wait, in 20 kB. Of each node about how high its highest point is, its start, its ends and its deviation.
 * The most promising one is the first.
 */
const QUEUES = Array.from({ length: STAGES }, () => ({ nodes: new Float64Array(5 * MAX_WAITING), count: 0 }))

function addTo(queue: (typeof QUEUES)[number], expected: number, start: number, a: number, b: number, s: number): void {
  const { nodes } = queue
  let at = 5 * queue.count++
  if (at > 0 && expected > nodes[0]!) {
    nodes.copyWithin(at, 0, 5)
    at = 0
  }
  nodes[at] = expected
  nodes[at + 1] = start
  nodes[at + 2] = a
  nodes[at + 3] = b
  nodes[at + 4] = s
}

/**
 * Creates the search of one walk. The inner functions share the state of one search.
 * @param closed times without prices of the walk, in which no search starts or ends
 */
export function createExtremesSearch(
  walk: Walk,
  tickLevel: number,
  pricing: Pricing,
  closed?: Windows,
): ExtremesSearch {
  const { rootLevel, reach, load } = walk
  const { toPrice, widthOf, away, growth } = pricing
  const heartbeat = 1 << tickLevel
  const span = 1 << rootLevel

  let sign: 1 | -1 = 1 // −1 searches the low as the high of the mirrored walk: negation is exact
  let first = 0
  let last = 0
  // Offsets count from the start of the node being searched, so that they stay small integers.
  let nodeStart = 0
  let nodeLength = 0
  let bestPrice = 0
  let bestSecond = 0
  // The known log prices with the best price are at most `best`, at this second.
  let best = 0
  let bestTime = 0
  // The start of the first root, and their number.
  let origin = 0
  let count = 0

  const setNeeded = (): void => {
    let mostGrowth = 0
    if (growth !== 0) {
      const gained = sign * growth * (nodeStart + (sign === 1 ? nodeLength : 0) - bestTime)
      // A hundredth covers that the exponential is only close to one.
      mostGrowth = gained + Math.abs(gained) / 100
    }
    const log = sign * best
    NEEDED[0] = sign * away(log, sign, widthOf(sign * bestPrice) + mostGrowth) - ROUNDING
    NEEDED[1] = sign * away(log, sign, mostGrowth) - ROUNDING
  }
  const offer = (offset: number, log: number): void => {
    const second = nodeStart + offset
    const price = sign * toPrice(sign * log, second)
    if (price < bestPrice || closed?.at(second) !== undefined) return
    if (price > bestPrice) {
      bestPrice = price
      bestSecond = bestTime = second
      best = log
    } else {
      if (second < bestSecond) bestSecond = second
      if (log > best && growth === 0) best = log
    }
    BEST[0] = bestSecond - nodeStart
    setNeeded()
  }
  const enter = (start: number, level: number): void => {
    nodeStart = start
    nodeLength = 1 << level
    BEST[0] = bestSecond - start
    WINDOW[0] = first - start
    WINDOW[1] = last - start
    if (growth !== 0) setNeeded()
    // Closed times are longer than a root, and so is the time between two. Smaller nodes wait only where it is open.
    if (closed === undefined || level !== rootLevel) return
    const rest = closed.first(start, start + nodeLength - 1)
    if (rest === undefined) return
    if (rest.from <= start) WINDOW[0] = Math.max(first, rest.until) - start
    else WINDOW[1] = Math.min(last, rest.from - 1) - start
  }

  const searched = { walk, tickLevel, growth, offer, enter }

  /** Adds a root, given the trading time in it. */
  const addRoot = (start: number, a: number, b: number, s: number): void => {
    if (start >= last || start + span <= first || rootLevel <= tickLevel) return
    const higher = a > b ? a : b
    const missing = NEEDED[start < bestSecond ? 0 : 1]! - higher
    if (missing > 0 && missing > reachOf(reach, rootLevel, a > b ? a - b : b - a, s)) return
    const queue = QUEUES[0]!
    if (queue.count === MAX_WAITING) searchWaiting()
    const usual = higher + USUAL_RISE * s * reach.bounds[REACH_FIELDS * rootLevel]!
    addTo(queue, usual + sign * growth * start, start, a, b, s)
  }
  const searchWaiting = (): void => {
    for (let stage = 0; stage < STAGES; stage++) searchStage(searched, sign, stage)
  }

  /** Searches the high (sign 1) or the low (−1), from a known tick and its log price. */
  const searchAll = (towards: 1 | -1, known: number, log: number): TickPrice => {
    sign = towards
    bestPrice = sign * toPrice(log, known)
    bestSecond = bestTime = known
    best = sign * log
    setNeeded()
    for (let i = 0; i < count; i++) {
      const start = origin + i * span
      const a = sign * LOGS[i]!
      const b = sign * LOGS[i + 1]!
      if (growth !== 0 || a >= NEEDED[0]!) enter(start, rootLevel)
      if (start >= first && a >= NEEDED[0]!) offer(0, a)
      addRoot(start, a, b, deviationOf(TIMES[i]!, TIMES[i + 1]!))
    }
    searchWaiting()
    return { price: sign * bestPrice, ts: bestSecond }
  }

  /** Loads the roots of the window, for both searches. */
  const loadRoots = (): void => {
    origin = Math.floor(first / span) * span
    count = Math.floor((last - origin) / span) + 1
    for (let i = 0; i < count; i++) {
      load(origin + i * span)
      LOGS[i] = NODE[0]!
      TIMES[i] = NODE[1]!
    }
    LOGS[count] = NODE[2]!
    TIMES[count] = NODE[3]!
  }

  return (from, to) => {
    first = from
    last = to
    loadRoots()
    // Probe odd multiples of a power of two: they are high in the tree, where a look-up is cheap, but are no anchors, which vary least.
    let stride = heartbeat
    while (stride * PROBES < last - first) stride *= 2
    const offset = stride > heartbeat ? stride / 2 : 0
    let highest = walk.at(first)
    let lowest = highest
    let high = first
    let low = first
    for (let second = Math.ceil((first - offset) / stride) * stride + offset; second <= last; second += stride) {
      if (closed?.at(second) !== undefined) continue
      const log = walk.at(second)
      if (log > highest) [high, highest] = [second, log]
      if (log < lowest) [low, lowest] = [second, log]
    }
    return { high: searchAll(1, high, highest), low: searchAll(-1, low, lowest) }
  }
}

// The innermost loop of the market, `searchStage`, is a function of the module with its memory in typed arrays of the module. Compiled
// code knows their places; those of a closure cost checks at each access, and a function that calls itself makes an object of each
// number that it passes on.

/** Levels of a tree of 32-bit seconds. */
const LEVELS = 32

/** By level, a half that is searched after the other one: its start, its ends and its deviation. */
const HALVES = new Float64Array(LEVELS * 4)

/** The log prices that a point of a root needs, without growth and rounding errors: to reach the best price, and to exceed it. */
const NEEDED = new Float64Array(2)
/** The offset of the best price from the start of the node. It may lie in another node, further away than 2^31 seconds. */
const BEST = new Float64Array(1)
/** The offsets of the window, of which a node sees its part. */
const WINDOW = new Float64Array(2)

/** A walk whose roots are searched, and the part of each that is. Offsets in seconds from the start of the root. */
interface Searched {
  readonly walk: Pick<Walk, 'rootLevel' | 'noise' | 'split' | 'reach'>
  /** The least level of a midpoint is one above. */
  readonly tickLevel: number
  /** The growth of the log price a second. */
  readonly growth: number
  /** Notes a point of the node that was entered, which may be the best, by offset and log price, and updates `NEEDED` and `BEST`. */
  offer(offset: number, log: number): void
  /** Updates `NEEDED`, `BEST` and `WINDOW` for the node of a level that starts at a second. */
  enter(start: number, level: number): void
}

const within = (offset: number, span: number): number => (offset < 0 ? 0 : offset > span ? span : offset) | 0

/**
 * Offers all points of the waiting nodes of a stage that may be the highest ones: of each by its midpoint, then its halves. Those of
 * the next stage wait.
 * @param sign −1 searches the mirrored walk
 */
function searchStage({ walk, tickLevel, growth, offer, enter }: Searched, sign: 1 | -1, stage: number): void {
  const { noise, split } = walk
  const top = stage === 0 ? walk.rootLevel : SMALLER
  // No node is as small as a tick.
  const next = stage === 0 && walk.rootLevel > SMALLER ? SMALLER : tickLevel
  const queue = QUEUES[stage + 1] ?? QUEUES[stage]!
  const { bounds, steepest } = walk.reach
  const heartbeat = 1 << tickLevel
  const span = 1 << top
  // The growth to the end of a half is less than to that of the node.
  const fall = 0.99 * growth
  const { nodes, count } = QUEUES[stage]!
  for (let node = 0; node < count; node++) {
    const nodeAt = 5 * node
    const nodeStart = nodes[nodeAt + 1]!
    const origin = nodeStart | 0
    enter(nodeStart, top)
    let toReach = NEEDED[0]!
    let toExceed = NEEDED[1]!
    // Small integers, which may lie in other nodes.
    const from = within(WINDOW[0]!, span)
    const to = within(WINDOW[1]!, span)
    let best = within(BEST[0]!, span)
    let level = top
    let start = 0
    let a = nodes[nodeAt + 2]!
    let b = nodes[nodeAt + 3]!
    let s = nodes[nodeAt + 4]!
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
          const at = REACH_FIELDS * level
          const distance = a > b ? a - b : b - a
          isWanted =
            distance >= steepest * s
              ? missing <= s * bounds[at + 4]! && missing * distance <= s * s * bounds[at + 5]!
              : missing <= s * bounds[at]! - bounds[at + 1]! * distance ||
                missing <= s * bounds[at + 2]! - bounds[at + 3]! * distance
        }
      }
      if (isWanted && level === next && queue.count < MAX_WAITING) {
        const expected =
          (a > b ? a : b) + USUAL_RISE * s * bounds[REACH_FIELDS * level]! + sign * growth * (nodeStart + start)
        addTo(queue, expected, nodeStart + start, a, b, s)
      } else if (isWanted) {
        const middle = start + (length >>> 1)
        const second = (origin + middle) | 0
        const scattered = scatter(second)
        const index = split(level, second, scattered)
        const m = a + (b - a) * SPLITS[index]! + sign * (s * SPLITS[index + SPREAD]! * noise(scattered))
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
      if (waiting === 0) break
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
  QUEUES[stage]!.count = 0
}
