// Traded volume as a function of time: cumulative and in whole hundredths of a USD, so that volumes of candles add up exactly,
// also under faults: none while a market is silent, more during a crash.
import { aheadOf, clockOf, createCascade, LEAF, LEAF_SPAN, SPLITS, usualAt, usualShare } from './cascade.js'
import type { Feed } from './feeds.js'
import { ACTIVITY } from './groups.js'
import { keysOf, scatter, uniformOf } from './random.js'
import { outside, type Window, type Windows } from './windows.js'

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
/** Up to this level, one of the halves of such a part of the calm nodes has nothing: many seconds are without trade, but no wild ones. */
const LAST_SPARSE_LEVEL = 4
const SPARSE = 0.4

/**
 * Creates the volume of a feed as an integer cascade on the tree of its trading time: more is traded when prices move more.
 * Its `volume` is the mean of a day, in USD.
 */
export function createVolume(
  seed: string,
  { id, group, volume: daily }: Pick<Feed, 'id' | 'group' | 'volume'>,
): Volume {
  const { k1, k2 } = keysOf(seed, `volume:${id}`)
  const empty = keysOf(seed, `empty:${id}`)
  const { split } = createCascade(seed, group)
  const clock = clockOf(seed, group)
  /** The mean volume of two seconds: more than that is wild. */
  const rate = (daily * 200) / SECONDS_PER_DAY
  const ahead = aheadOf(group)
  const totalAt = (start: number): number =>
    Math.round((daily * 100 * (usualAt(ahead, start + ROOT) - usualAt(ahead, start))) / SECONDS_PER_DAY)

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
  // The node of 2^16 s of the last look-up: its start, its volume, and that of the root until then.
  const leaf = new Float64Array([-1, 0, 0])
  /** The volume traded since the start of the root that contains `second`. */
  const lookUp = (second: number): number => {
    const isIn = leaf[0] === Math.floor(second / LEAF_SPAN) * LEAF_SPAN
    let start = isIn ? leaf[0]! : Math.floor(second / ROOT) * ROOT
    let rest = second - start
    let volume = isIn ? leaf[1]! : rest > 0 ? totalAt(start) : 0
    let sum = isIn ? leaf[2]! : 0
    let level = isIn ? LEAF : ROOT_LEVEL
    // Above 2^16 s, the trading times at both ends.
    let [from, until] = isIn ? [0, 0] : [clock(start), clock(start + ROOT)]
    for (let half = 1 << (level - 1); rest > 0; half /= 2) {
      if (level === LEAF) leaf.set([start, volume, sum])
      const middle = start + half
      const scattered = scatter(middle | 0)
      const q = usualShare(ahead, level, middle)
      const time = level > LEAF ? clock(middle) : 0
      const w = level > LEAF ? (time - from) / (until - from) : SPLITS[split(level, middle | 0, scattered)]!
      const own = 4 * q * (1 - q) * OWN * uniformOf(k1, k2, scattered)
      let part = q + (SHARED * (w - q) + own) * (level > LAST_UNEVEN_LEVEL ? EVENNESS_ABOVE : 1)
      if (level <= LAST_SPARSE_LEVEL && volume < rate * half) {
        const chance = uniformOf(empty.k1, empty.k2, scattered)
        if (chance < 2 * SPARSE - 1) part = chance < SPARSE - 1 ? 0 : 1
      }
      const left = Math.floor(volume * part + 0.5)
      if (rest >= half) {
        sum += left
        volume -= left
        rest -= half
        start = middle
        from = time
      } else {
        volume = left
        until = time
      }
      level--
    }
    return sum
  }

  const volume: Volume = {
    between(from, to) {
      let roots = 0
      for (let root = Math.floor(from / ROOT) * ROOT; root + ROOT <= to; root += ROOT) roots += totalAt(root)
      // From last, so that the end is remembered.
      const before = sinceRoot(from)
      return roots + (sinceRoot(to) - before)
    },
  }
  const { closed } = ACTIVITY[group]
  return closed === undefined ? volume : changeVolume(volume, [], [{ windows: closed, markApplied() {} }])
}

/** Windows without trade. */
export interface Silence {
  readonly windows: Windows
  /** Called when it changes an answer. */
  markApplied(): void
}

/** Additional trade in some windows. */
export interface Surge extends Silence {
  /** The trade until so many seconds after the start of a window at `from`, in hundredths of a USD: a whole number that never falls. */
  tradedBy(passed: number, from: number): number
}

/** Adds surges, then removes what is traded in silence: in a closed market nothing trades, not even in a crash. */
export function changeVolume(volume: Volume, surges: readonly Surge[], silences: readonly Silence[]): Volume {
  return {
    between(from, to) {
      const whole = { from, until: to }
      let traded = volume.between(from, to)
      let silent: readonly Window[] = []
      for (const { windows, markApplied } of silences) {
        // Silences may overlap, and nothing is lost twice.
        const more = outside(silent, clipped(windows, whole))
        if (more.length === 0) continue
        const lost = more.reduce((sum, span) => sum + volume.between(span.from, span.until), 0)
        if (lost > 0 || surges.some(surge => surgeIn(surge, more) > 0)) markApplied()
        traded -= lost
        silent = [...silent, ...more].sort((a, b) => a.from - b.from)
      }
      for (const surge of surges) {
        const added = surgeIn(surge, [whole]) - surgeIn(surge, silent)
        if (added > 0) surge.markApplied()
        traded += added
      }
      return traded
    },
  }
}

function surgeIn({ windows, tradedBy }: Surge, spans: readonly Window[]): number {
  let added = 0
  for (const span of spans)
    for (const window of windows.between(span.from, span.until - 1))
      added +=
        tradedBy(Math.min(span.until, window.until) - window.from, window.from) -
        tradedBy(Math.max(span.from, window.from) - window.from, window.from)
  return added
}

const clipped = (windows: Windows, { from, until }: Window): Window[] =>
  Array.from(windows.between(from, until - 1), window => ({
    from: Math.max(from, window.from),
    until: Math.min(until, window.until),
  }))
