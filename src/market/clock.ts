// The trading time of a group of feeds over all time: first the hours of the week, then calm and wild times, from a day to a century.
// The cascade goes on where it ends, inside 2^16 seconds.
import { createBoundedCache } from '../caches.js'
import { aheadOf, chooseOf, DISTANCES, usualAt } from './cascade.js'
import { ACTIVITY, type FeedGroup } from './groups.js'
import { keysOf, scatter } from './random.js'

/** The trading time of a group under a seed, as a function of the second. It always rises. */
export type Clock = (second: number) => number

/** The level of the nodes inside which trading time passes evenly. */
export const LEAF = 16
/** The length of one in seconds. */
export const LEAF_SPAN = 1 << LEAF
/** The level of all time. It begins again after that, where nobody looks. */
const ALL = 32
const ALL_SPAN = 4_294_967_296
/** The time at multiples of 2^18 s is kept, by pages of 2^22 s: 8 kB, and 300 bytes for each page that is asked for. */
const KNOT = 18
const KNOT_SPAN = 1 << KNOT
const PAGE = 22
const PAGES = 1 << (ALL - PAGE)
const KNOTS_IN_PAGE = 1 << (PAGE - KNOT)

/**
 * Times at multiples of 2^18 s, of all clocks: every look-up of a price asks for the ends of a node of that length, and all feeds of a
 * group have the same ones.
 */
const SLOTS = 1 << 15
const KEPT = new Float64Array(SLOTS)
const KEPT_FOR = new Float64Array(SLOTS)
let lastNumber = 0

const clocks = createBoundedCache<string, Clock>(16)

/** The clock of a group under a seed. */
export function clockOf(seed: string, group: FeedGroup): Clock {
  const key = `${group} ${seed}`
  let clock = clocks.get(key)
  if (clock === undefined) clocks.set(key, (clock = createClock(seed, group)))
  return clock
}

function createClock(seed: string, group: FeedGroup): Clock {
  const { k1, k2 } = keysOf(seed, `waves:${group}`)
  const odd = k2 | 1
  // A random offset, so that no second is at a border of many levels: no power of two is special.
  const offset = (1 << 28) + (keysOf(seed, `waves offset:${group}`).k1 >>> 1)
  const ahead = aheadOf(group)
  const sharesOf = (level: number): Float64Array =>
    DISTANCES.map(distance => 0.5 + ACTIVITY[group].unevenness(level) * distance)
  /** The share of the left half of a node, by its middle in units of 2^16 s. */
  const share = (shares: Float64Array, middle: number): number => shares[chooseOf(k1, odd, scatter(middle))]!

  /** Divides the time of some nodes into that of nodes of a lower level, from one of them on. */
  const divide = (knots: Float64Array, level: number, first: number): Float64Array => {
    for (let step = knots.length - 1; step > 1; step /= 2) {
      const shares = sharesOf(level + 31 - Math.clz32(step))
      for (let i = 0; i < knots.length - 1; i += step) {
        const middle = i + step / 2
        const end = knots[i + step]!
        knots[middle] = knots[i]! + (end - knots[i]!) * share(shares, (first + middle) << (level - LEAF))
      }
    }
    return knots
  }
  const ends = new Float64Array(PAGES + 1)
  ends[PAGES] = ALL_SPAN
  divide(ends, PAGE, 0)
  const pages: (Float64Array | undefined)[] = Array.from({ length: PAGES })
  const fill = (page: number): Float64Array => {
    const knots = new Float64Array(KNOTS_IN_PAGE + 1)
    knots[0] = ends[page]!
    knots[KNOTS_IN_PAGE] = ends[page + 1]!
    return divide(knots, KNOT, page * KNOTS_IN_PAGE)
  }
  const [upper, lower] = [sharesOf(KNOT), sharesOf(KNOT - 1)]

  const timeAt: Clock = second => {
    const x = usualAt(ahead, second) + offset
    const k = Math.floor(x / KNOT_SPAN)
    const page = (k >>> (PAGE - KNOT)) & (PAGES - 1)
    const knots = (pages[page] ??= fill(page))
    const knot = k & (PAGES * KNOTS_IN_PAGE - 1)
    const inPage = knot & (KNOTS_IN_PAGE - 1)
    let time = knots[inPage]!
    let mass = knots[inPage + 1]! - time
    let rest = x - k * KNOT_SPAN
    let middle = (knot << (KNOT - LEAF)) + 2
    let left = mass * share(upper, middle)
    if (rest < 2 * LEAF_SPAN) {
      mass = left
      middle--
    } else {
      time += left
      mass -= left
      rest -= 2 * LEAF_SPAN
      middle++
    }
    left = mass * share(lower, middle)
    if (rest < LEAF_SPAN) mass = left
    else {
      time += left
      mass -= left
      rest -= LEAF_SPAN
    }
    return (x < ALL_SPAN ? 0 : ALL_SPAN) + time + (mass * rest) / LEAF_SPAN
  }
  const number = ++lastNumber
  return second => {
    const i = second / KNOT_SPAN
    if (i !== (i | 0) || i < 0 || i >= SLOTS) return timeAt(second)
    const slot = (i + number * 61) & (SLOTS - 1)
    const key = number * SLOTS + i
    if (KEPT_FOR[slot] !== key) {
      KEPT_FOR[slot] = key
      KEPT[slot] = timeAt(second)
    }
    return KEPT[slot]!
  }
}
