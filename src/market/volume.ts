// Traded volume as a function of time: cumulative and in whole hundredths of a USD, so that volumes of candles add up exactly.
import { keysOf, scatter, uniformOf } from './random.js'

/** The traded volume of a feed. */
export interface Volume {
  /** The volume traded in `[from, to)`, in hundredths of a USD; both in seconds, `from ≤ to`. */
  between(from: number, to: number): number
}

/** The length of a cascade in seconds, about 48 days: long enough for days to differ. Every cascade has the same total. */
const ROOT = 4_194_304
const SECONDS_PER_DAY = 86_400

/**
 * Creates the volume of a feed as an integer cascade on a dyadic grid: each node gives 0.35 to 0.65 of its volume to its left half.
 * @param daily mean volume of a day, in USD
 */
export function createVolume(seed: string, feedId: string, daily: number): Volume {
  const { k1, k2 } = keysOf(seed, `volume:${feedId}`)
  const total = Math.round((daily * 100 * ROOT) / SECONDS_PER_DAY)

  /** The volume traded since the start of the root that contains `second`. */
  const sinceRoot = (second: number): number => {
    const start = Math.floor(second / ROOT) * ROOT
    let rest = second - start
    let volume = total
    let sum = 0
    let offset = 0
    for (let half = ROOT / 2; rest > 0; half /= 2) {
      const share = 0.5 + 0.15 * uniformOf(k1, k2, scatter((start + offset + half) | 0))
      const left = Math.floor(volume * share + 0.5)
      if (rest >= half) {
        sum += left
        volume -= left
        rest -= half
        offset += half
      } else {
        volume = left
      }
    }
    return sum
  }

  return {
    between: (from, to) =>
      (Math.floor(to / ROOT) - Math.floor(from / ROOT)) * total + (sinceRoot(to) - sinceRoot(from)),
  }
}
