// A path with changed prices in some windows: a shock, a drift, a fixed price.
import { type Layer, trackChanges, untracked } from './change-tracking.js'
import type { Feed } from './feeds.js'
import { memoize } from './memoize.js'
import type { Extremes, PricePath, TickPrice } from './path.js'
import { type BoundedPath, boundsOf, merge, type Part, searchExtremes } from './search.js'
import { earlierStart, firstBetween, type Window, type Windows } from './windows.js'

/** The change of prices in one window. */
export interface Rule {
  /**
   * The new price of a tick, not yet rounded. It keeps the order of prices at each second, and for a constant price it only rises,
   * or only falls, between two breakpoints.
   */
  at(price: number, second: number): number
  /** The seconds at which `at` may jump, or turn from rising to falling, in ascending order. */
  readonly breakpoints: readonly number[]
}

/** The change of prices in every window. */
export interface PriceTransform {
  /** Creates the rule of a window. */
  in(window: Window): Rule
  /** Whether a rule starts from the price in force when its window starts. */
  readonly startsFromCurrentPrice?: boolean
  /**
   * Bounds of the new prices, over all rules, for prices from `low` to `high`. With `startsFromCurrentPrice`, that price is one of them.
   * @param longest an upper bound on the length of a window, in seconds
   */
  bounds(low: number, high: number, longest: number): readonly [low: number, high: number]
}

/** The windows and the feed of a price transform. */
export interface TransformedPath {
  readonly windows: Windows
  /** No answer was given before this second, so a window that is active then starts with the tick in force, not with the next one. */
  readonly appliedAt: number
  readonly feed: Pick<Feed, 'heartbeat' | 'step'>
  /** Called when an answer differs from that of the path below. */
  markApplied?(): void
}

/** The number of windows whose rules are cached. */
const MAX_CACHED_RULES = 100

/** Wraps a path. Ticks stay at their seconds; prices stay at least a step and exact integers. */
export function transformedPath(
  path: PricePath,
  { markApplied, ...when }: TransformedPath,
  transform: PriceTransform,
): PricePath {
  return trackChanges(path, applyTransform(untracked(path), when, transform), markApplied ?? (() => {}))
}

function applyTransform(path: PricePath, when: TransformedPath, transform: PriceTransform): BoundedPath & Layer {
  const { appliedAt, feed } = when
  const windows = earlierStart(when.windows, appliedAt, Math.floor(appliedAt / feed.heartbeat) * feed.heartbeat)
  const max = Math.floor(Number.MAX_SAFE_INTEGER / feed.step) * feed.step
  const round = (price: number): number => Math.min(max, Math.max(feed.step, Math.round(price / feed.step) * feed.step))

  // Rules are cached because creating one may look up prices in the layers below.
  const ruleAt = memoize(MAX_CACHED_RULES, (_from, window: Window) => transform.in(window))
  const ruleOf = (window: Window): Rule => ruleAt(window.from, window)
  const at = (tick: number, price = path.at(tick)): number => {
    const window = windows.at(tick)
    return window === undefined ? price : round(ruleOf(window).at(price, tick))
  }

  /** A part without breakpoints, or none if it has no ticks. Its rule is monotone in time, so the bounds are taken at its ends. */
  const monotonePart = (rule: Rule | undefined, from: number, to: number): Part[] => {
    const base = from <= to ? boundsOf(path, from, to) : undefined
    if (base === undefined) return []
    const transformed = ({ price, ts }: TickPrice, pick: (a: number, b: number) => number): TickPrice =>
      rule === undefined ? { price, ts } : { price: pick(round(rule.at(price, from)), round(rule.at(price, to))), ts }
    const split = (): Part[] => {
      const middle = Math.floor((from + to) / 2)
      return [...monotonePart(rule, from, middle), ...monotonePart(rule, middle + 1, to)]
    }
    return [
      { from, to, bounds: { high: transformed(base.high, Math.max), low: transformed(base.low, Math.min) }, split },
    ]
  }
  /** The parts of one window, split at its breakpoints. */
  const windowParts = (window: Window, from: number, to: number): Part[] => {
    const rule = ruleOf(window)
    const starts = [from, ...rule.breakpoints.filter(second => second > from && second <= to)]
    return starts.flatMap((start, i) => monotonePart(rule, start, (starts[i + 1] ?? to + 1) - 1))
  }
  /** A part that contains several windows, or the start or end of one. */
  const mixedPart = (first: Window, from: number, to: number): Part[] => {
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
      if (window === undefined) return [...partsOf(from, middle - 1), ...monotonePart(undefined, middle, to)]
      const start = Math.max(from, window.from)
      return [
        ...partsOf(from, Math.min(middle, start) - 1),
        ...monotonePart(undefined, middle, start - 1),
        ...windowParts(window, start, Math.min(to, window.until - 1)),
        ...partsOf(window.until, to),
      ]
    }
    return [{ from, to, bounds, split }]
  }
  /** The parts of `from … to` that have ticks, in order: a few, however many windows there are. */
  const partsOf = (from: number, to: number): Part[] => {
    if (from > to) return []
    const first = firstBetween(windows, from, to)
    if (first === undefined) return monotonePart(undefined, from, to)
    return first.from <= from && first.until > to ? windowParts(first, from, to) : mixedPart(first, from, to)
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
