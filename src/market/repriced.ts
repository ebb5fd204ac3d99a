// A path whose ticks have other prices in some windows: a shock, a drift, a price that is set.
import type { Feed } from './feeds.js'
import type { Extremes, PricePath, TickPrice } from './path.js'
import type { Window, Windows } from './windows.js'

/** What prices become in one window. */
export interface Repricing {
  /**
   * The new price of a tick, not yet rounded: a higher price never becomes lower than a lower one at the same second,
   * and at the same price it only rises, or only falls, between two turns.
   */
  at(price: number, second: number): number
  /** Seconds in ascending order at which it may turn from rising to falling, or jump. */
  readonly turns: readonly number[]
}

/**
 * Wraps a path. Ticks stay where they are; no price falls below a step or leaves the exact integers. The first tick of a
 * window is the one in force when it begins: what is to happen now is not put off until the next tick.
 * @param repricing what a window does, which begins with its first tick
 * @param touch told when an answer is another than that of the path
 */
export function repricedPath(
  path: PricePath,
  windows: Windows,
  { heartbeat, step }: Pick<Feed, 'heartbeat' | 'step'>,
  repricing: (window: Window) => Repricing,
  touch: () => void = () => {},
): PricePath {
  const most = Math.floor(Number.MAX_SAFE_INTEGER / step) * step
  const round = (price: number): number => Math.min(most, Math.max(step, Math.round(price / step) * step))
  const withFirstTick = ({ from, until }: Window): Window => ({
    from: Math.floor(from / heartbeat) * heartbeat,
    until,
  })

  // Most look-ups are in one window, and a rule may have to look prices up itself.
  let known: { from: number; rule: Repricing } | undefined
  const ruleOf = (window: Window): Repricing => {
    if (known?.from !== window.from) known = { from: window.from, rule: repricing(window) }
    return known.rule
  }

  /** The extremes of a part of a window in which the rule does not turn. */
  const search = (rule: Repricing, from: number, to: number): Extremes | undefined => {
    const priceOf = ({ price, ts }: TickPrice): TickPrice => ({ price: round(rule.at(price, ts)), ts })
    const bestOf = (sign: 1 | -1, base: Extremes, a: number, b: number, best: TickPrice): TickPrice => {
      const extreme = sign === 1 ? base.high : base.low
      const bound = Math.max(sign * round(rule.at(extreme.price, a)), sign * round(rule.at(extreme.price, b)))
      if (bound <= sign * best.price) return best
      const candidate = priceOf(extreme)
      let found = sign * candidate.price > sign * best.price ? candidate : best
      if (a === b || bound <= sign * found.price) return found
      const middle = Math.floor((a + b) / 2)
      for (const [left, right] of [
        [a, middle],
        [middle + 1, b],
      ] as const) {
        const half = path.extremes(left, right)
        if (half !== undefined) found = bestOf(sign, half, left, right, found)
      }
      return found
    }
    const base = path.extremes(from, to)
    return (
      base && {
        high: bestOf(1, base, from, to, priceOf(base.high)),
        low: bestOf(-1, base, from, to, priceOf(base.low)),
      }
    )
  }

  return {
    at(tick) {
      const [window] = windows.between(tick, tick + heartbeat - 1)
      if (window === undefined) return path.at(tick)
      touch()
      return round(ruleOf(withFirstTick(window)).at(path.at(tick), tick))
    },
    lastTick: path.lastTick,
    nextTick: path.nextTick,
    holes: path.holes,
    extremes(from, to) {
      let found: Extremes | undefined
      let start = from
      for (const window of windows.between(from, to + heartbeat - 1).map(withFirstTick)) {
        // A tick that two windows touch is the earlier one's.
        let part = Math.max(start, window.from)
        const end = Math.min(to, window.until - 1)
        if (part > end) continue
        touch()
        if (part > start) found = merge(found, path.extremes(start, part - 1))
        const rule = ruleOf(window)
        for (const turn of [...rule.turns.filter(second => second > part && second <= end), end + 1]) {
          found = merge(found, search(rule, part, turn - 1))
          part = turn
        }
        start = end + 1
      }
      return start <= to ? merge(found, path.extremes(start, to)) : found
    },
  }
}

/** The extremes of two stretches of time, the earlier first. */
export function merge(earlier: Extremes | undefined, later: Extremes | undefined): Extremes | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later
  return {
    high: later.high.price > earlier.high.price ? later.high : earlier.high,
    low: later.low.price < earlier.low.price ? later.low : earlier.low,
  }
}
