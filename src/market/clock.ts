// The trading time of a group of feeds over all time: first the hours of the week, then calm and wild times, from a day to a century.
// The cascade goes on where it ends, inside 2^16 seconds.
import { createBoundedCache, getOrCreate } from '../caches.js'
import { aheadOf, chooseOf, DISTANCES, usualAt } from './cascade.js'
import { ACTIVITY, type FeedGroup } from './groups.js'
import { keysOf, scatter } from './random.js'

/** The trading time of a group under a seed, as a function of the second. It always rises. */
type Clock = (second: number) => number

/** The level of the nodes inside which trading time passes evenly. */
export const LEAF = 16
/** The length of one in seconds. */
export const LEAF_SPAN = 1 << LEAF
/** The level of all time. It begins again after that, where nobody looks. */
const ALL = 32
const ALL_SPAN = 4_294_967_296
/** The time at the ends of leaves is kept, 512 kB for all of them. They are filled by pages of 2^22 s: most are never asked for. */
const LEAVES = 1 << (ALL - LEAF)
const PAGE = 22
const LEAVES_IN_PAGE = 1 << (PAGE - LEAF)

const clocks = createBoundedCache<string, Clock>(16)

/** The clock of a group under a seed. */
export const clockOf = (seed: string, group: FeedGroup): Clock =>
  getOrCreate(clocks, `${group} ${seed}`, () => createClock(seed, group))

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

  /** By leaf the time at its start; 0 where it is not known yet. */
  const knots = new Float64Array(LEAVES + 1)
  knots[LEAVES] = ALL_SPAN
  /** Divides the time of some leaves, from one of them on, into parts of `least` leaves. */
  const divide = (first: number, count: number, least: number): void => {
    for (let step = count; step > least; step /= 2) {
      const shares = sharesOf(LEAF + 31 - Math.clz32(step))
      for (let i = first; i < first + count; i += step) {
        const middle = i + step / 2
        const end = knots[i + step]!
        knots[middle] = knots[i]! + (end - knots[i]!) * share(shares, middle)
      }
    }
  }
  divide(0, LEAVES, LEAVES_IN_PAGE)

  return second => {
    const x = usualAt(ahead, second) + offset
    const leaf = Math.floor(x / LEAF_SPAN)
    const i = leaf & (LEAVES - 1)
    if (knots[i | 1] === 0) divide(i & -LEAVES_IN_PAGE, LEAVES_IN_PAGE, 1)
    const time = knots[i]!
    return (x < ALL_SPAN ? 0 : ALL_SPAN) + time + ((knots[i + 1]! - time) * (x - leaf * LEAF_SPAN)) / LEAF_SPAN
  }
}
