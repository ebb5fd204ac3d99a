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
/** The time at the ends of leaves is kept, by pages of 2^22 s: 8 kB, and 600 bytes for each page that is asked for. */
const PAGE = 22
const PAGES = 1 << (ALL - PAGE)
const LEAVES_IN_PAGE = 1 << (PAGE - LEAF)

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
    const knots = new Float64Array(LEAVES_IN_PAGE + 1)
    knots[0] = ends[page]!
    knots[LEAVES_IN_PAGE] = ends[page + 1]!
    return divide(knots, LEAF, page * LEAVES_IN_PAGE)
  }

  return second => {
    const x = usualAt(ahead, second) + offset
    const leaf = Math.floor(x / LEAF_SPAN)
    const page = (leaf >>> (PAGE - LEAF)) & (PAGES - 1)
    const knots = (pages[page] ??= fill(page))
    const i = leaf & (LEAVES_IN_PAGE - 1)
    const time = knots[i]!
    return (x < ALL_SPAN ? 0 : ALL_SPAN) + time + ((knots[i + 1]! - time) * (x - leaf * LEAF_SPAN)) / LEAF_SPAN
  }
}
