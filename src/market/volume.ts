// Traded volume as a function of time: cumulative, additive and in whole hundredths of a USD, so that candles fold exactly.
import { keysOf, scatter, uniformOf } from './random.js'

/** Cumulative volume. Differences are what counts: `volumeAt(end) − volumeAt(start)` was traded in `[start, end)`. */
export interface Volume {
  /** What was traded in `[from, to)`, in hundredths of a USD; both in seconds, `from ≤ to`. */
  between(from: number, to: number): number
}

/** Seconds after which the cascade restarts with the same total, about 48 days: far enough for days to differ. */
const ROOT = 4_194_304
const SECONDS_PER_DAY = 86_400

/**
 * An integer cascade on a dyadic grid: each node splits what it holds between its halves, 0.35 to 0.65 of it to the left.
 * @param daily mean volume of a day, in USD
 */
export function createVolume(seed: string, feedId: string, daily: number): Volume {
  const { k1, k2 } = keysOf(seed, `volume:${feedId}`)
  const total = Math.round((daily * 100 * ROOT) / SECONDS_PER_DAY)

  /** What was traded since the start of the root that holds `second`. */
  const sinceRoot = (second: number): number => {
    const start = Math.floor(second / ROOT) * ROOT
    let rest = second - start
    let held = total
    let sum = 0
    let offset = 0
    for (let half = ROOT / 2; rest > 0; half /= 2) {
      const share = 0.5 + 0.15 * uniformOf(k1, k2, scatter((start + offset + half) | 0))
      const left = Math.floor(held * share + 0.5)
      if (rest >= half) {
        sum += left
        held -= left
        rest -= half
        offset += half
      } else {
        held = left
      }
    }
    return sum
  }

  return {
    between: (from, to) =>
      (Math.floor(to / ROOT) - Math.floor(from / ROOT)) * total + (sinceRoot(to) - sinceRoot(from)),
  }
}
