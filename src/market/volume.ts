// Traded volume as a function of time: cumulative and in whole hundredths of a USD, so that volumes of candles add up exactly.
import { createCascade, SPLITS, usualTime } from './cascade.js'
import type { Feed } from './feeds.js'
import { keysOf, scatter, uniformOf } from './random.js'

/** The traded volume of a feed. */
export interface Volume {
  /** The volume traded in `[from, to)`, in hundredths of a USD; both in seconds, `from ≤ to`. */
  between(from: number, to: number): number
}

/** The level and the length in seconds of a root, about a year. Its total is that of its hours of the week. */
const ROOT_LEVEL = 25
const ROOT = 1 << ROOT_LEVEL
const SECONDS_PER_DAY = 86_400

/** How much of a node's random unevenness its volume has, and how much of its own a feed adds. */
const SHARED = 0.45
const OWN = 0.08
/** Nodes above 2^22 seconds are more even, so that the largest volume is exact over the longest candle, 364 days. */
const LAST_UNEVEN_LEVEL = 22
const EVENNESS_ABOVE = 0.6

/**
 * Creates the volume of a feed as an integer cascade on the tree of its trading time: more is traded when prices move more.
 * Its `volume` is the mean of a day, in USD.
 */
export function createVolume(
  seed: string,
  { id, group, volume: daily }: Pick<Feed, 'id' | 'group' | 'volume'>,
): Volume {
  const { k1, k2 } = keysOf(seed, `volume:${id}`)
  const { split, usualShare } = createCascade(seed, group)
  const totalAt = (start: number): number =>
    Math.round((daily * 100 * usualTime(group, start, start + ROOT)) / SECONDS_PER_DAY)

  // The candle after another one starts where that one ends.
  let lastSecond = -1
  let lastVolume = 0
  const sinceRoot = (second: number): number => {
    if (second !== lastSecond) {
      lastVolume = lookUp(second)
      lastSecond = second
    }
    return lastVolume
  }
  /** The volume traded since the start of the root that contains `second`. */
  const lookUp = (second: number): number => {
    let start = Math.floor(second / ROOT) * ROOT
    let rest = second - start
    let volume = rest > 0 ? totalAt(start) : 0
    let sum = 0
    let level = ROOT_LEVEL
    for (let half = ROOT / 2; rest > 0; half /= 2) {
      const middle = (start + half) | 0
      const scattered = scatter(middle)
      const q = usualShare(level, middle)
      const shared = SHARED * (SPLITS[split(level, middle, scattered)]! - q)
      const own = 4 * q * (1 - q) * OWN * uniformOf(k1, k2, scattered)
      const part = q + (shared + own) * (level > LAST_UNEVEN_LEVEL ? EVENNESS_ABOVE : 1)
      const left = Math.floor(volume * part + 0.5)
      if (rest >= half) {
        sum += left
        volume -= left
        rest -= half
        start += half
      } else {
        volume = left
      }
      level--
    }
    return sum
  }

  return {
    between(from, to) {
      let roots = 0
      for (let root = Math.floor(from / ROOT) * ROOT; root + ROOT <= to; root += ROOT) roots += totalAt(root)
      // From last, so that the end is remembered.
      const before = sinceRoot(from)
      return roots + (sinceRoot(to) - before)
    },
  }
}
