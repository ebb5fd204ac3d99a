// Windows of time in seconds, `from` included, `until` excluded; a window may have no end.
import { firstIndex } from './lookups.js'

/** The end of a window without one. */
export const EVER = Number.POSITIVE_INFINITY

/** `[from, until)` in seconds since the epoch. */
export interface Window {
  readonly from: number
  readonly until: number
}

/** A time in which something repeats: what holds at a second of `[from, until)` holds `seconds` later, if that is still in it. */
export interface Cycle extends Window {
  readonly seconds: number
}

/** An ordered sequence of windows that do not overlap. */
export interface Windows {
  /** The time in which they repeat; undefined if they do not. */
  readonly cycle?: Cycle | undefined
  /**
   * An upper bound on the seconds from the start of a window to a tick in it; negative when no window contains a tick.
   * @param heartbeat seconds between ticks, which lie at its multiples
   * @param shift seconds by which the ticks are later
   */
  latestTick(heartbeat: number, shift?: number): number
  /** The window that contains a second. */
  at(second: number): Window | undefined
  /** The first window that overlaps `from … to`, both included. */
  first(from: number, to: number): Window | undefined
  /** The windows that overlap `from … to`, both included, in order. They are generated lazily, so the first one is cheap. */
  between(from: number, to: number): Iterable<Window>
}

/** Completes windows: `first` says all about them. */
function windowsOf(windows: Omit<Windows, 'at' | 'between'>): Windows {
  const { first } = windows
  /** The last window found: neighbouring seconds are mostly in the same one. */
  let last: Window | undefined
  return {
    ...windows,
    at(second) {
      if (last !== undefined && second >= last.from && second < last.until) return last
      const found = first(second, second)
      if (found !== undefined) last = found
      return found
    },
    *between(from, to) {
      for (let window = first(from, to); window !== undefined; window = first(window.until, to)) yield window
    },
  }
}

/** The default limit of repetitions: a look-up over years must not visit hundreds of millions of windows. */
export const MAX_REPEATS = 100_000

/**
 * Repeats a pattern from `start` on, every `period` seconds.
 * @param pattern windows relative to the start of each period, ordered, within it
 * @param maxRepeats the number of windows after which it ends, rounded down to whole periods
 */
export function repeatedWindows(
  start: number,
  pattern: readonly Window[],
  period = EVER,
  maxRepeats = MAX_REPEATS,
): Windows {
  const periods = Math.max(1, Math.floor(maxRepeats / Math.max(1, pattern.length)))
  const periodOf = (second: number): number => (period === EVER ? 0 : Math.floor((second - start) / period))
  return windowsOf({
    cycle: period === EVER ? undefined : { seconds: period, from: start, until: start + periods * period },
    latestTick(heartbeat, shift = 0) {
      // The starts of a repeated window differ by multiples of this, so it ends on a tick, or always some seconds after the last one.
      const grid = greatestCommonDivisor(period === EVER ? 0 : period, heartbeat)
      let latest = -1
      for (const { from, until } of pattern) {
        if (until === EVER) return until
        const last = start + until - 1 - shift
        latest = Math.max(latest, until - 1 - from - (last - Math.floor(last / grid) * grid))
      }
      return latest
    },
    first(from, to) {
      const final = Math.min(periods - 1, periodOf(to))
      for (let k = Math.max(0, periodOf(from)); k <= final; k++) {
        const begin = k === 0 ? start : start + k * period
        const found = pattern[firstIndex(pattern, ({ until }) => until > from - begin)]
        if (found === undefined) continue
        return begin + found.from > to ? undefined : { from: begin + found.from, until: begin + found.until }
      }
      return undefined
    },
  })
}

/** The time in which two things repeat together; undefined if they do not. */
export function commonCycle(a: Cycle | undefined, b: Cycle | undefined): Cycle | undefined {
  if (a === undefined || b === undefined) return undefined
  const seconds = (a.seconds / greatestCommonDivisor(a.seconds, b.seconds)) * b.seconds
  return { seconds, from: Math.max(a.from, b.from), until: Math.min(a.until, b.until) }
}

/** The largest number that divides both. */
export function greatestCommonDivisor(a: number, b: number): number {
  return a === 0 ? b : greatestCommonDivisor(b % a, a)
}

/** Moves windows some seconds earlier. */
export function earlierWindows(windows: Windows, seconds: number): Windows {
  if (seconds === 0) return windows
  const shift = ({ from, until }: Window): Window => ({ from: from - seconds, until: until - seconds })
  return windowsOf({
    cycle: windows.cycle && { ...windows.cycle, ...shift(windows.cycle) },
    latestTick: (heartbeat, shift = 0) => windows.latestTick(heartbeat, shift + seconds),
    first(from, to) {
      const found = windows.first(from + seconds, to + seconds)
      return found && shift(found)
    },
  })
}

/** Intersects two sequences of windows. */
export function intersectWindows(a: Windows, b: Windows): Windows {
  return windowsOf({
    cycle: commonCycle(a.cycle, b.cycle),
    latestTick: () => Math.min(a.latestTick(1), b.latestTick(1)),
    first(from, to) {
      for (let one = a.first(from, to); one !== undefined; one = a.first(one.until, to)) {
        const other = b.first(Math.max(from, one.from), Math.min(to, one.until - 1))
        if (other !== undefined)
          return { from: Math.max(one.from, other.from), until: Math.min(one.until, other.until) }
      }
      return undefined
    },
  })
}

/**
 * Moves the starts of windows later. Windows that become empty are dropped.
 * @param start depends on nothing but the distance from the start to the end of a window
 */
export function laterStarts(windows: Windows, start: (window: Window) => number): Windows {
  return windowsOf({
    cycle: windows.cycle,
    latestTick: windows.latestTick,
    first(begin, to) {
      for (let window = windows.first(begin, to); window !== undefined; window = windows.first(window.until, to)) {
        const { until } = window
        const from = Math.max(window.from, start(window))
        if (from < until) return from <= to ? { from, until } : undefined
      }
      return undefined
    },
  })
}

/**
 * Ends windows at a second. Later ones are dropped.
 * @param start a second before all of them
 */
export function endedWindows(windows: Windows, start: number, end: number): Windows {
  const { cycle } = windows
  return windowsOf({
    // The last window may be shorter than those before.
    cycle:
      cycle && cycle.from < end - cycle.seconds
        ? { ...cycle, until: Math.min(cycle.until, end - cycle.seconds) }
        : undefined,
    latestTick: (heartbeat, shift) => Math.min(windows.latestTick(heartbeat, shift), end - 1 - start),
    first(from, to) {
      const found = from < end ? windows.first(from, Math.min(to, end - 1)) : undefined
      return found && { from: found.from, until: Math.min(found.until, end) }
    },
  })
}

/** Moves the start of the window that contains `second` back to `from`, if there is one and it starts later. */
export function earlierStart(windows: Windows, second: number, from: number): Windows {
  const first = windows.at(second)
  if (first === undefined || from >= first.from) return windows
  const whole = { from, until: first.until }
  return windowsOf({
    cycle: windows.cycle && { ...windows.cycle, from: Math.max(windows.cycle.from, whole.until) },
    latestTick: (heartbeat, shift) => Math.max(windows.latestTick(heartbeat, shift), whole.until - whole.from - 1),
    first: (start, end) =>
      start < whole.until && end >= whole.from ? whole : windows.first(Math.max(start, whole.until), end),
  })
}

/** The parts of some spans outside of others; both in order, the spans without overlaps. */
export function outside(others: readonly Window[], spans: readonly Window[]): readonly Window[] {
  if (others.length === 0) return spans
  const parts: Window[] = []
  let next = 0
  for (const { from, until } of spans) {
    let start = from
    while (next < others.length && others[next]!.until <= start) next++
    for (let i = next; i < others.length && others[i]!.from < until; i++) {
      if (others[i]!.from > start) parts.push({ from: start, until: others[i]!.from })
      start = Math.max(start, others[i]!.until)
    }
    if (start < until) parts.push({ from: start, until })
  }
  return parts
}
