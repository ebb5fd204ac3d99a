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
/** The time at multiples of 2^18 s is kept: 128 kB, filled by pages of 2^22 s. */
const KNOT = 18
const KNOT_SPAN = 1 << KNOT
const KNOTS = 1 << (ALL - KNOT)
const PAGE = 22
const KNOTS_IN_PAGE = 1 << (PAGE - KNOT)

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

  const knots = new Float64Array(KNOTS + 1)
  knots[KNOTS] = ALL_SPAN
  /** Divides the nodes between two knots, down to some length in knots. */
  const divide = (from: number, to: number, least: number): void => {
    for (let step = to - from; step > least; step /= 2) {
      const shares = sharesOf(KNOT + 31 - Math.clz32(step))
      for (let i = from; i < to; i += step) {
        const middle = i + step / 2
        knots[middle] = knots[i]! + (knots[i + step]! - knots[i]!) * share(shares, middle << (KNOT - LEAF))
      }
    }
  }
  divide(0, KNOTS, KNOTS_IN_PAGE)
  const isFilled = new Uint8Array(KNOTS / KNOTS_IN_PAGE)
  const [upper, lower] = [sharesOf(KNOT), sharesOf(KNOT - 1)]

  const timeAt: Clock = second => {
    const x = usualAt(ahead, second) + offset
    const k = Math.floor(x / KNOT_SPAN)
    const knot = k & (KNOTS - 1)
    const page = knot >>> (PAGE - KNOT)
    if (isFilled[page] === 0) {
      isFilled[page] = 1
      divide(page * KNOTS_IN_PAGE, (page + 1) * KNOTS_IN_PAGE, 1)
    }
    let time = knots[knot]!
    let mass = knots[knot + 1]! - time
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
    return (k < KNOTS ? 0 : ALL_SPAN) + time + (mass * rest) / LEAF_SPAN
  }
  // Every look-up of a price asks for the ends of a node of 2^18 s, and all feeds of the group have the same ones.
  const times = new Float64Array(KNOTS)
  return second => {
    const i = second / KNOT_SPAN
    if (i !== (i | 0) || i < 0 || i >= KNOTS) return timeAt(second)
    return times[i] || (times[i] = timeAt(second))
  }
}
