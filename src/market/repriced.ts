// A path whose ticks have other prices in some windows: a shock, a drift, a price that is set.
import type { Feed } from './feeds.js'
import type { Extremes, PricePath, TickPrice } from './path.js'
import { type Layer, unwatched, watched } from './watched.js'
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

/** Windows whose rule is remembered. */
const REMEMBERED_RULES = 100

/** A part of time in which one rule, or none, holds and does not turn, with the bounds of its prices. */
interface Part {
  readonly rule: Repricing | undefined
  readonly from: number
  readonly to: number
  readonly bounds: Extremes
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
  feed: Pick<Feed, 'heartbeat' | 'step'>,
  repricing: (window: Window) => Repricing,
  touch: () => void = () => {},
): PricePath {
  return watched(path, repriced(unwatched(path), windows, feed, repricing), touch)
}

function repriced(
  path: PricePath,
  windows: Windows,
  { heartbeat, step }: Pick<Feed, 'heartbeat' | 'step'>,
  repricing: (window: Window) => Repricing,
): BoundedPath {
  const most = Math.floor(Number.MAX_SAFE_INTEGER / step) * step
  const round = (price: number): number => Math.min(most, Math.max(step, Math.round(price / step) * step))
  const withFirstTick = ({ from, until }: Window): Window => ({
    from: Math.floor(from / heartbeat) * heartbeat,
    until,
  })

  // A rule may have to look prices up itself, in other windows of the layers below.
  const known = new Map<number, Repricing>()
  const ruleOf = (window: Window): Repricing => {
    // Two windows may begin with one tick, but never end together.
    let rule = known.get(window.until)
    if (rule !== undefined) return rule
    rule = repricing(window)
    if (known.size === REMEMBERED_RULES) known.clear()
    known.set(window.until, rule)
    return rule
  }
  const at = (tick: number, price = path.at(tick)): number => {
    const [window] = windows.between(tick, tick + heartbeat - 1)
    return window === undefined ? price : round(ruleOf(withFirstTick(window)).at(price, tick))
  }

  /** A part, unless it has no ticks. What its prices can become, they become at one of its ends. */
  const partOf = (rule: Repricing | undefined, from: number, to: number): Part[] => {
    const base = from <= to ? boundsOf(path, from, to) : undefined
    if (base === undefined) return []
    const reach = ({ price, ts }: TickPrice, pick: (a: number, b: number) => number): TickPrice =>
      rule === undefined ? { price, ts } : { price: pick(round(rule.at(price, from)), round(rule.at(price, to))), ts }
    return [{ rule, from, to, bounds: { high: reach(base.high, Math.max), low: reach(base.low, Math.min) } }]
  }
  /** The parts of `from … to` that have ticks, in order. */
  const partsOf = (from: number, to: number): Part[] => {
    const parts: Part[] = []
    let start = from
    for (const window of windows.between(from, to + heartbeat - 1).map(withFirstTick)) {
      // A tick that two windows touch is the earlier one's.
      const first = Math.max(start, window.from)
      const end = Math.min(to, window.until - 1)
      if (first > end) continue
      parts.push(...partOf(undefined, start, first - 1))
      const rule = ruleOf(window)
      start = first
      for (const turn of [...rule.turns.filter(second => second > first && second <= end), end + 1]) {
        parts.push(...partOf(rule, start, turn - 1))
        start = turn
      }
    }
    parts.push(...partOf(undefined, start, to))
    return parts
  }
  /** Branch and bound: the highest tick (sign 1) or the lowest (−1), where it can be reached looked at first. */
  const search = (parts: readonly Part[], sign: 1 | -1): TickPrice => {
    const boundOf = ({ bounds }: Part): TickPrice => (sign === 1 ? bounds.high : bounds.low)
    let best: TickPrice | undefined
    const isBeaten = (part: Part): boolean => best !== undefined && sign * boundOf(part).price <= sign * best.price
    const look = (some: readonly Part[]): void => {
      for (const part of some.toSorted((a, b) => sign * (boundOf(b).price - boundOf(a).price))) {
        if (isBeaten(part)) continue
        const { ts } = boundOf(part)
        const price = at(ts)
        if (best === undefined || sign * price > sign * best.price) best = { price, ts }
        if (part.from === part.to || isBeaten(part)) continue
        const middle = Math.floor((part.from + part.to) / 2)
        look([...partOf(part.rule, part.from, middle), ...partOf(part.rule, middle + 1, part.to)])
      }
    }
    look(parts)
    return best!
  }

  return {
    at,
    lastTick: path.lastTick,
    nextTick: path.nextTick,
    holes: path.holes,
    extremes(from, to) {
      const parts = partsOf(from, to)
      return parts.length === 0 ? undefined : { high: search(parts, 1), low: search(parts, -1) }
    },
    bounds: (from, to) =>
      partsOf(from, to).reduce<Extremes | undefined>((all, part) => merge(all, part.bounds), undefined),
  }
}

/**
 * A path that says cheaply what it cannot exceed: exact extremes of each layer, asked for by the one above it, would cost
 * a multiple for each of them.
 */
export interface BoundedPath extends Layer {
  /** Prices that no tick of `from … to` is above or below; `ts` is a tick that may well have them. */
  bounds(from: number, to: number): Extremes | undefined
}

/** The bounds of any path; where it has none, its extremes. */
export function boundsOf(path: PricePath, from: number, to: number): Extremes | undefined {
  return 'bounds' in path ? (path as BoundedPath).bounds(from, to) : path.extremes(from, to)
}

/** The extremes of two stretches of time, the earlier first. */
export function merge(earlier: Extremes | undefined, later: Extremes | undefined): Extremes | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later
  return {
    high: later.high.price > earlier.high.price ? later.high : earlier.high,
    low: later.low.price < earlier.low.price ? later.low : earlier.low,
  }
}
