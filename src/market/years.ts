// The walk above 2^16 seconds: Brownian motion in the trading time of a clock, between the ends of long blocks.
import { aheadOf, clockOf, LEAF, SECONDS_PER_YEAR, usualShare } from './cascade.js'
import { keysOf, scatter, uniformOf } from './random.js'
import type { Noise, WalkOptions } from './walk.js'

/** 2025-07-22T21:17:52Z, a multiple of 2^22 s: a block ends there, near `base`, and prices wander from there both ways. */
const REFERENCE = 1_753_219_072
/** The longest span that the deviation at the reference belongs to. */
const REFERENCE_SPAN = 1_048_576

/** The level of the largest nodes, whose ends are kept: their halves are roots. */
const KEPT = 17
/** Above this level derived feeds move as their parents do. */
const LAST_OWN = 18
/** The level of the end of a block. */
const ALL = 32

/** Part of the nodes in which coins draw the number of the dollar: the news of the whole world. */
const WORLD = 0.4
/** How much the wilder half of a node of coins falls, in units of its noise: in six days at most, over weeks falls and rises look alike. */
const FALL = 0.5
const LAST_FALL = 19
/** The mean square of the excess of a left half, measured. The fall has a variance of its own, so the rest of the noise gets less. */
const MEAN_SQUARE = 0.108
const FALL_SCALE = 1 / Math.sqrt(1 + 3 * FALL * FALL * MEAN_SQUARE)

/** The last root that was loaded: the log price and the trading time at its start, and at its end. */
export const NODE = new Float64Array(4)

/** The least number of nodes that are kept together. */
const NODES_IN_PAGE = 64
/** Maximum number of pages in memory, of 8 kB at most: 32 of them are all time of a coin. */
const MAX_PAGES = 1024
/** The pages in memory, of all walks, in a ring: a new one takes the place of the oldest. */
const ring: { readonly pages: (Float64Array | undefined)[]; readonly index: number }[] = []
let next = 0

/** Creates the nodes of a walk above its roots: a function that writes the root of 2^16 s that starts at a second to `NODE`. */
export function createYears(
  { seed, group, span, drivers, trend = drivers }: WalkOptions,
  { volatilities, keys }: Pick<Noise, 'volatilities' | 'keys'>,
): (start: number) => void {
  const clock = clockOf(seed, group)
  const ahead = aheadOf(group)
  const names = Object.keys(drivers)
  const isTrend = names.map(name => Object.hasOwn(trend, name))
  const market = group === 'crypto' ? names.indexOf(group) : -1
  const [dollar, world] = [keysOf(seed, 'usd'), keysOf(seed, 'news')]
  const top = Math.min(KEPT, 31 - Math.clz32(span))
  const size = 1 << top
  const count = span / size

  /** The noise of a node, by how much more trading time its left half has than usual. */
  const noise = (level: number, scattered: number, excess: number): number => {
    let sum = 0
    for (let i = 0; i < volatilities.length; i++) {
      if (level > LAST_OWN && !isTrend[i]) continue
      const isWorld = i === market && uniformOf(world.k1, world.k2, scattered) < 2 * WORLD - 1
      let u = isWorld
        ? uniformOf(dollar.k1, dollar.k2, scattered)
        : uniformOf(keys[2 * i]!, keys[2 * i + 1]!, scattered)
      if (i === market && level <= LAST_FALL) u = (u - FALL * excess) * FALL_SCALE
      sum += volatilities[i]! * u
    }
    return sum
  }
  /** Twice the part of the trading time by which the left half of a node exceeds its usual one, given its share. */
  const excessOf = (level: number, middle: number, share: number): number => {
    if (market < 0 || level > LAST_FALL) return 0
    return Math.max(-1, Math.min(1, 2 * (share - usualShare(ahead, level, middle))))
  }
  /** The log price at a midpoint, given those and the trading times at both ends. */
  const between = (level: number, middle: number, time: number, a: number, from: number, b: number, until: number) => {
    const w = (time - from) / (until - from)
    const spread = Math.sqrt((3 / SECONDS_PER_YEAR) * w * (until - time))
    return a + (b - a) * w + spread * noise(level, scatter(middle | 0), excessOf(level, middle, w))
  }

  /** Log prices at the ends of blocks do not depend on each other, so prices return: two differ by the variance of a block. */
  const endOf = (second: number): number => {
    const near = second === REFERENCE ? Math.min(span, REFERENCE_SPAN) : span
    const passed = clock(second + near) - clock(second - near)
    return Math.sqrt(((3 / 4) * passed) / SECONDS_PER_YEAR) * noise(ALL, scatter(second | 0), 0)
  }
  // Pages of log prices at multiples of `size`, each once it is known. Pages begin at an end of a block.
  const pageSpan = Math.max(span, NODES_IN_PAGE * size)
  const complete = (known: Float64Array, start: number, i: number): void => {
    if (!Number.isNaN(known[i])) return
    const second = start + i * size
    if (i % count === 0) {
      known[i] = endOf(second)
      return
    }
    const step = i & -i
    complete(known, start, i - step)
    complete(known, start, i + step)
    const [from, until] = [clock(second - step * size), clock(second + step * size)]
    const level = top + 32 - Math.clz32(step)
    known[i] = between(level, second, clock(second), known[i - step]!, from, known[i + step]!, until)
  }
  // The first page may begin before 1970, so that one begins at the reference.
  const origin = REFERENCE - Math.ceil(REFERENCE / pageSpan) * pageSpan
  const pages: (Float64Array | undefined)[] = []
  const newPage = (index: number): Float64Array => {
    const oldest = ring[next]
    if (oldest !== undefined) oldest.pages[oldest.index] = undefined
    ring[next] = { pages, index }
    next = (next + 1) % MAX_PAGES
    return (pages[index] = new Float64Array(pageSpan / size + 1).fill(Number.NaN))
  }
  // The largest node of the last look-up: neighbouring seconds share it.
  const last = new Float64Array(4)
  let lastStart = Number.POSITIVE_INFINITY
  const load = (second: number): void => {
    const index = Math.floor((second - origin) / pageSpan)
    const known = pages[index] ?? newPage(index)
    const start = origin + index * pageSpan
    const i = (second - start) >>> top
    complete(known, start, i)
    complete(known, start, i + 1)
    last[0] = known[i]!
    last[1] = clock(second)
    last[2] = known[i + 1]!
    last[3] = clock(second + size)
    lastStart = second
  }

  return second => {
    if (second < lastStart || second - lastStart >= size) load(second - (second & (size - 1)))
    NODE.set(last)
    if (top === LEAF) return
    const middle = lastStart + size / 2
    const time = clock(middle)
    const at = second < middle ? 2 : 0
    NODE[at] = between(top, middle, time, last[0]!, last[1]!, last[2]!, last[3]!)
    NODE[at + 1] = time
  }
}
