// A path whose ticks have other prices in some windows: a shock, a drift, a price that is set.

import { type Layer, trackChanges, untracked } from './change-tracking.js'
import type { Feed } from './feeds.js'
import type { Extremes, PricePath, TickPrice } from './path.js'
import { type BoundedPath, boundsOf, merge, type Part, searchExtremes } from './search.js'
import { earlierStart, firstBetween, type Window, type Windows } from './windows.js'

/** What prices become in one window. */
export interface Rule {
  /**
   * The new price of a tick, not yet rounded: a higher price never becomes lower than a lower one at the same second,
   * and at the same price it only rises, or only falls, between two turns.
   */
  at(price: number, second: number): number
  /** Seconds in ascending order at which it may turn from rising to falling, or jump. */
  readonly breakpoints: readonly number[]
}

/** What prices become in all windows. */
export interface PriceTransform {
  /** The rule of a window. */
  in(window: Window): Rule
  /** Whether a rule goes on from the price that is in force when its window begins. */
  readonly startsFromCurrentPrice?: boolean
  /**
   * Between what any rule leaves prices from `low` to `high`; where it goes on from a price, that is one of them.
   * @param longest seconds that no window is longer than
   */
  bounds(low: number, high: number, longest: number): readonly [low: number, high: number]
}

/** When and for whom prices become others. */
export interface TransformedPath {
  readonly windows: Windows
  /** Before this second nobody has asked: what is at work by then begins with the tick in force, not with the next one. */
  readonly appliedAt: number
  readonly feed: Pick<Feed, 'heartbeat' | 'step'>
  /** Told when an answer is another than that of the path. */
  markApplied?(): void
}

/** Windows whose rule is remembered. */
const REMEMBERED_RULES = 100

/** Wraps a path. Ticks stay where they are; no price falls below a step or leaves the exact integers. */
export function transformedPath(
  path: PricePath,
  { markApplied, ...when }: TransformedPath,
  transform: PriceTransform,
): PricePath {
  return trackChanges(path, repriced(untracked(path), when, transform), markApplied ?? (() => {}))
}

function repriced(path: PricePath, when: TransformedPath, transform: PriceTransform): BoundedPath & Layer {
  const { appliedAt, feed } = when
  const windows = earlierStart(when.windows, appliedAt, Math.floor(appliedAt / feed.heartbeat) * feed.heartbeat)
  const most = Math.floor(Number.MAX_SAFE_INTEGER / feed.step) * feed.step
  const round = (price: number): number =>
    Math.min(most, Math.max(feed.step, Math.round(price / feed.step) * feed.step))

  // A rule may have to look prices up itself, in other windows of the layers below.
  const known = new Map<number, Rule>()
  const ruleOf = (window: Window): Rule => {
    let rule = known.get(window.from)
    if (rule !== undefined) return rule
    rule = transform.in(window)
    if (known.size === REMEMBERED_RULES) known.clear()
    known.set(window.from, rule)
    return rule
  }
  const at = (tick: number, price = path.at(tick)): number => {
    const window = windows.at(tick)
    return window === undefined ? price : round(ruleOf(window).at(price, tick))
  }

  /** A part in which nothing turns, unless it has no ticks. What its prices can become, they become at one of its ends. */
  const plain = (rule: Rule | undefined, from: number, to: number): Part[] => {
    const base = from <= to ? boundsOf(path, from, to) : undefined
    if (base === undefined) return []
    const become = ({ price, ts }: TickPrice, pick: (a: number, b: number) => number): TickPrice =>
      rule === undefined ? { price, ts } : { price: pick(round(rule.at(price, from)), round(rule.at(price, to))), ts }
    const split = (): Part[] => {
      const middle = Math.floor((from + to) / 2)
      return [...plain(rule, from, middle), ...plain(rule, middle + 1, to)]
    }
    return [{ from, to, bounds: { high: become(base.high, Math.max), low: become(base.low, Math.min) }, split }]
  }
  /** The parts of one window between its turns. */
  const turning = (window: Window, from: number, to: number): Part[] => {
    const rule = ruleOf(window)
    const starts = [from, ...rule.breakpoints.filter(second => second > from && second <= to)]
    return starts.flatMap((start, i) => plain(rule, start, (starts[i + 1] ?? to + 1) - 1))
  }
  /** A part with several windows, or with the beginning or the end of one. */
  const mixed = (first: Window, from: number, to: number): Part[] => {
    const base = boundsOf(path, from, to)
    if (base === undefined) return []
    const before = transform.startsFromCurrentPrice ? [first.from, from] : []
    const inForce = before.flatMap(second => {
      const tick = path.lastTick(second) ?? path.nextTick(second)
      return tick === undefined ? [] : [path.at(tick)]
    })
    const [low, high] = transform.bounds(
      Math.min(base.low.price, ...inForce),
      Math.max(base.high.price, ...inForce),
      windows.longest,
    )
    const bounds = {
      high: { price: Math.max(base.high.price, round(high)), ts: base.high.ts },
      low: { price: Math.min(base.low.price, round(low)), ts: base.low.ts },
    }
    const split = (): Part[] => {
      const middle = Math.floor((from + to) / 2)
      const window = firstBetween(windows, middle, to)
      if (window === undefined) return [...partsOf(from, middle - 1), ...plain(undefined, middle, to)]
      const start = Math.max(from, window.from)
      return [
        ...partsOf(from, Math.min(middle, start) - 1),
        ...plain(undefined, middle, start - 1),
        ...turning(window, start, Math.min(to, window.until - 1)),
        ...partsOf(window.until, to),
      ]
    }
    return [{ from, to, bounds, split }]
  }
  /** The parts of `from … to` that have ticks, in order: few, however many windows there are. */
  const partsOf = (from: number, to: number): Part[] => {
    if (from > to) return []
    const first = firstBetween(windows, from, to)
    if (first === undefined) return plain(undefined, from, to)
    return first.from <= from && first.until > to ? turning(first, from, to) : mixed(first, from, to)
  }

  return {
    at,
    lastTick: path.lastTick,
    nextTick: path.nextTick,
    holes: path.holes,
    extremes: (from, to, below: Extremes | undefined = path.extremes(from, to)) =>
      searchExtremes(partsOf(from, to), at, below, tick => windows.at(tick) === undefined),
    bounds: (from, to) =>
      partsOf(from, to).reduce<Extremes | undefined>((all, part) => merge(all, part.bounds), undefined),
  }
}
