// The exact highest and lowest log price of a window, by branch and bound on the tree of the walk. Ticks are
// only a level here: a tick every 2^tickLevel seconds is a node of the tree, so the search stops there.
import type { Walk } from './walk.js'

/** A log price and the second of its tick. */
export interface LogExtreme {
  readonly second: number
  readonly log: number
}

/** The earliest highest and the earliest lowest tick of `from … to`, both multiples of 2^tickLevel, `from ≤ to`. */
export type ExtremesSearch = (from: number, to: number) => { high: LogExtreme; low: LogExtreme }

/** The number of ticks looked up first, evenly over the window: with a good incumbent the search skips most nodes. */
const PROBES = 128

/** Creates the search of one walk. The inner functions share the state of one search, so that a node costs no allocation. */
export function createExtremesSearch(walk: Walk, tickLevel: number): ExtremesSearch {
  const { rootLevel, maxOvershoot, displacement } = walk
  const heartbeat = 1 << tickLevel
  const span = 1 << rootLevel

  // Offsets count from `rootStart`, the start of the root being searched, so that they stay small integers.
  let sign = 1 // −1 searches the low as the high of the mirrored walk: negation is exact
  let rootStart = 0
  let from = 0
  let to = 0
  let best = 0
  let bestOffset = 0

  const offer = (offset: number, log: number): void => {
    if (log > best || (log === best && offset < bestOffset)) {
      best = log
      bestOffset = offset
    }
  }

  /** Searches a node that lies inside the window, with ends a and b. */
  const inside = (level: number, start: number, a: number, b: number): void => {
    const half = 1 << (level - 1)
    const middle = start + half
    const m = (a + b) * 0.5 + sign * displacement(level, (rootStart + middle) | 0)
    if (m > best || (m === best && middle < bestOffset)) {
      best = m
      bestOffset = middle
    }
    const below = level - 1
    if (below === tickLevel) return
    const slack = maxOvershoot[below]!
    if (a >= b) {
      if (Math.max(a, m) + slack >= best) inside(below, start, a, m)
      if (Math.max(b, m) + slack >= best) inside(below, middle, m, b)
    } else {
      if (Math.max(b, m) + slack >= best) inside(below, middle, m, b)
      if (Math.max(a, m) + slack >= best) inside(below, start, a, m)
    }
  }

  /** Searches a node that may cross an edge of the window. */
  const crossing = (level: number, start: number, a: number, b: number): void => {
    const end = start + (1 << level)
    if (start + heartbeat > to || end - heartbeat < from) return
    if (Math.max(a, b) + maxOvershoot[level]! < best) return
    if (start + heartbeat >= from && end - heartbeat <= to) {
      inside(level, start, a, b)
      return
    }
    const middle = start + (1 << (level - 1))
    const m = (a + b) * 0.5 + sign * displacement(level, (rootStart + middle) | 0)
    if (middle >= from && middle <= to) offer(middle, m)
    const below = level - 1
    if (below === tickLevel) return
    if (a >= b) {
      crossing(below, start, a, m)
      crossing(below, middle, m, b)
    } else {
      crossing(below, middle, m, b)
      crossing(below, start, a, m)
    }
  }

  const searchFrom = (first: number, last: number, incumbent: LogExtreme): LogExtreme => {
    best = sign * incumbent.log
    let bestSecond = incumbent.second
    const start = Math.floor(first / span) * span
    let a = sign * walk.anchor(start)
    for (let root = start; root <= last; root += span) {
      const b = sign * walk.anchor(root + span)
      rootStart = root
      from = first - root
      to = last - root
      bestOffset = bestSecond - root
      if (from <= 0) offer(0, a)
      if (rootLevel > tickLevel) crossing(rootLevel, 0, a, b)
      bestSecond = root + bestOffset
      a = b
    }
    return { second: bestSecond, log: sign * best }
  }

  return (first, last) => {
    // Probe odd multiples of a power of two: they are high in the tree, where a look-up is cheap, but are no anchors, which vary least.
    let stride = heartbeat
    while (stride * PROBES < last - first) stride *= 2
    const offset = stride > heartbeat ? stride / 2 : 0
    const log = walk.at(first)
    let high: LogExtreme = { second: first, log }
    let low = high
    for (let second = Math.ceil((first - offset) / stride) * stride + offset; second <= last; second += stride) {
      const log = walk.at(second)
      if (log > high.log) high = { second, log }
      if (log < low.log) low = { second, log }
    }
    sign = 1
    high = searchFrom(first, last, high)
    sign = -1
    low = searchFrom(first, last, low)
    return { high, low }
  }
}
