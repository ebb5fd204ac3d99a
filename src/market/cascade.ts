// The trading time of a group of feeds: a random measure on the dyadic tree of seconds. It says how much of a node's variance, and
// of its volume, falls into its left half. Feeds of a group share it, so that their wild hours come together. Over all time: first the
// hours of the week, then calm and wild times, from a day to a century; the cascade goes on where that ends, inside 2^16 seconds.
import { createBoundedCache, getOrCreate } from '../caches.js'
import { ACTIVITY, FEED_GROUPS, type FeedGroup } from './groups.js'
import { keysOf, scatter } from './random.js'

/**
 * The splits of nodes, each of `SPLIT_FIELDS` numbers that lie together: the share of the left half, the square roots of the shares of
 * the left and of the right half, and √(3 · share · (1 − share)), the displacement of the midpoint for a node of deviation 1 and a
 * noise of 1. All cascades use the same array, so that a split is known by the index of its first number.
 */
const SPLIT_FIELDS = 4
/** The place of √share within a split. */
export const LEFT_ROOT = 1
/** The place of √(1 − share). */
export const RIGHT_ROOT = 2
/** The place of √(3 · share · (1 − share)). */
export const SPREAD = 3

/** Seconds of a Julian year, the unit of annualised volatility. */
export const SECONDS_PER_YEAR = 31_557_600
const HOUR = 3600
const WEEK = 604_800
/** The starts and midpoints of nodes with a season are multiples of 128 seconds within a week. */
const GRID_BITS = 7
const GRID = 1 << GRID_BITS
/** The level from which the hours of the week count; below, a node is too short. */
export const SEASON_LEVEL = 13
/** Each level has so many different splits. */
export const CHOICES = 64
/** The highest bits of a product are its best. */
const CHOICE_SHIFT = 26

/** The place of the split of an upper node, until the next one. */
const UPPER = 3 * FEED_GROUPS.length * CHOICES * SPLIT_FIELDS
/** All splits: the tables of the lower levels, and then that of an upper node. */
export const SPLITS = new Float64Array(UPPER + SPLIT_FIELDS)

/** A uniform number in [−1, 1) has the variance 1/3. */
export const SQRT_3 = Math.sqrt(3)

function setSplit(index: number, share: number): void {
  const left = Math.sqrt(share)
  const right = Math.sqrt(1 - share)
  SPLITS[index] = share
  SPLITS[index + LEFT_ROOT] = left
  SPLITS[index + RIGHT_ROOT] = right
  SPLITS[index + SPREAD] = SQRT_3 * left * right
}

/** The choice of a node. `k2` is odd, so that all choices are equally frequent. */
export const chooseOf = (k1: number, k2: number, scattered: number): number =>
  Math.imul(scattered ^ k1, k2) >>> CHOICE_SHIFT

/** The seconds by which the usual trading time of a group is ahead of the clock, by place in the week: see `placeOf`. */
export const aheadOf = (group: FeedGroup): Float64Array => shapeOf(group).ahead

/**
 * The distance from ½ of a choice, for an unevenness of 1. The choices lie in two narrow bands of variance 1: as wild as two points,
 * without having only 2^n values.
 */
export function distanceOf(choice: number): number {
  const u = (2 * choice + 1) / CHOICES - 1
  return ((u < 0 ? -1 : 1) * (0.8 + 0.4 * Math.abs(u))) / 1.0066
}

/** The distance of each choice. */
const DISTANCES = Float64Array.from({ length: CHOICES }, (_, choice) => distanceOf(choice))

const shapes = new Map<FeedGroup, ReturnType<typeof createShape>>()
const shapeOf = (group: FeedGroup) => getOrCreate(shapes, group, () => createShape(group))

/** Creates the data of a group that its cascades share. */
function createShape(group: FeedGroup) {
  const { unevenness, week } = ACTIVITY[group]
  /** By lower level, the index of the split of choice 0. */
  const tables = new Int32Array(SEASON_LEVEL)
  const known = new Map<number, number>()
  for (let level = 0; level < SEASON_LEVEL; level++) {
    const of = unevenness(level)
    tables[level] = getOrCreate(known, of, () => {
      const table = (3 * FEED_GROUPS.indexOf(group) + known.size) * CHOICES * SPLIT_FIELDS
      for (let choice = 0; choice < CHOICES; choice++)
        setSplit(table + choice * SPLIT_FIELDS, 0.5 + of * distanceOf(choice))
      return table
    })
  }
  const mean = week.reduce((sum, weight) => sum + weight, 0) / week.length
  /** By multiple of `GRID` within a week, the seconds by which the usual trading time is ahead of the clock. */
  // One item more, so that the last step has an end; the sum of a week is rounded, so it is not used.
  const ahead = new Float64Array(WEEK / GRID)
  let passed = 0
  for (let i = 0; i + 1 < ahead.length; i++) {
    // An hour is no multiple of the grid: a step may lie in two.
    const from = i * GRID
    const hour = Math.floor(from / HOUR)
    const rest = Math.max(0, from + GRID - (hour + 1) * HOUR)
    passed += ((GRID - rest) * week[hour]! + (rest === 0 ? 0 : rest * week[hour + 1]!)) / mean
    ahead[i + 1] = passed - (from + GRID)
  }
  return { tables, unevenness: Float64Array.from({ length: 32 }, (_, level) => unevenness(level)), ahead }
}

/** The place of a second in `aheadOf`. */
export const placeOf = (second: number): number => (second >>> GRID_BITS) % (WEEK / GRID)

/** Whole weeks, in places, so that the place of a second before 1970 is positive too. */
const WEEKS_BEFORE = (WEEK / GRID) << 15

/** The usual trading time until a second, a multiple of 128 that may lie before 1970: as the hours of the week go. */
export const usualAt = (ahead: Float64Array, second: number): number =>
  second + ahead[((second / GRID + WEEKS_BEFORE) | 0) % (WEEK / GRID)]!

/** The expected share of the left half of a node, by the hours of the week. */
export function usualShare(ahead: Float64Array, level: number, middle: number): number {
  if (level < SEASON_LEVEL) return 0.5
  const half = 1 << (level - 1)
  const start = ahead[placeOf(middle - half)]!
  return (half + (ahead[placeOf(middle)]! - start)) / (2 * half + (ahead[placeOf(middle + half)]! - start))
}

/** Creates the trading time of a group under a seed. */
export function createCascade(seed: string, group: FeedGroup) {
  const keys = keysOf(seed, `cascade:${group}`)
  const k1 = keys.k1
  const k2 = keys.k2 | 1
  const { tables, unevenness, ahead } = shapeOf(group)

  /**
   * The share of the left half of an upper node.
   * @param usual the share that the hours of the week give it
   */
  const share = (level: number, usual: number, scattered: number): number => {
    const distance = unevenness[level]! * DISTANCES[chooseOf(k1, k2, scattered)]!
    return usual + 4 * usual * (1 - usual) * distance
  }
  /** As `split`, for a level below `SEASON_LEVEL`. */
  const lowerSplit = (level: number, scattered: number): number =>
    tables[level]! + chooseOf(k1, k2, scattered) * SPLIT_FIELDS
  /**
   * The index in `SPLITS` of the split of a node. It is valid until the next call.
   * @param middle the second of its midpoint, modulo 2^32, as a signed integer
   * @param scattered that second, scattered
   */
  const split = (level: number, middle: number, scattered: number): number => {
    if (level < SEASON_LEVEL) return lowerSplit(level, scattered)
    setSplit(UPPER, share(level, usualShare(ahead, level, middle), scattered))
    return UPPER
  }
  return { split, lowerSplit, share }
}

/** The trading time of a group under a seed, as a function of the second. It always rises. */
type Clock = (second: number) => number

/** The level of the nodes inside which trading time passes evenly. */
export const LEAF = 16
/** The length of one in seconds. */
export const LEAF_SPAN = 1 << LEAF
/** The level of all time. It begins again after that, where nobody looks. */
const ALL = 32
const ALL_SPAN = 4_294_967_296
/** The time at the ends of leaves is kept, in pages of 2^22 s: most are never asked for, and all of them are 512 kB. */
const PAGE = 22
const PAGES = 1 << (ALL - PAGE)
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

  /** Divides the time between the ends of some parts, each of 2^level seconds, the first of which begins at a leaf. */
  const divide = (times: Float64Array, first: number, level: number): Float64Array => {
    const count = times.length - 1
    const leaves = 1 << (level - LEAF)
    for (let step = count; step > 1; step /= 2) {
      const shares = sharesOf(level + 31 - Math.clz32(step))
      for (let i = 0; i < count; i += step) {
        const middle = i + step / 2
        const end = times[i + step]!
        times[middle] = times[i]! + (end - times[i]!) * share(shares, first + middle * leaves)
      }
    }
    return times
  }
  /** By page the time at its start. */
  const starts = new Float64Array(PAGES + 1)
  starts[PAGES] = ALL_SPAN
  divide(starts, 0, PAGE)
  /** By page the times at the starts of its leaves, once they are known. */
  const pages: (Float64Array | undefined)[] = []
  const newPage = (index: number): Float64Array => {
    const times = new Float64Array(LEAVES_IN_PAGE + 1)
    times[0] = starts[index]!
    times[LEAVES_IN_PAGE] = starts[index + 1]!
    return (pages[index] = divide(times, index * LEAVES_IN_PAGE, LEAF))
  }

  return second => {
    const x = usualAt(ahead, second) + offset
    const leaf = Math.floor(x / LEAF_SPAN)
    const index = (leaf >> (PAGE - LEAF)) & (PAGES - 1)
    const times = pages[index] ?? newPage(index)
    const i = leaf & (LEAVES_IN_PAGE - 1)
    const time = times[i]!
    return (x < ALL_SPAN ? 0 : ALL_SPAN) + time + ((times[i + 1]! - time) * (x - leaf * LEAF_SPAN)) / LEAF_SPAN
  }
}
