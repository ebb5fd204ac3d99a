// A path with changed prices in some windows: a shock, a drift, a fixed price.
import { memoize } from '../caches.js'
import type { Feed } from './feeds.js'
import { type Extremes, type Layer, type PricePath, trackChanges, untracked } from './path.js'
import { type ChangeBounds, changeParts, merge, type PartedPath, searchExtremes } from './search.js'
import { EVER, earlierStart, type Window, type Windows } from './windows.js'

/** The change of prices in one window. */
export interface Rule {
  /**
   * The new price of a tick, not yet rounded. It keeps the order of prices at each second, and for a constant price it only rises,
   * or only falls, between two breakpoints.
   */
  at(price: number, second: number): number
  /**
   * The first second after `second` at which `at` may jump, or turn from rising to falling; Infinity if there is none. Without this
   * function there are none at all. There can be thousands, so nobody makes a list of them.
   */
  breakpointAfter?(second: number): number
  /**
   * Bounds of `at` from `from` to `to`, both included, for prices from `low` to `high`: for a rule with many breakpoints. They are
   * equal only where `at` stands still.
   */
  bounds?(low: number, high: number, from: number, to: number): readonly [low: number, high: number]
}

/** The breakpoints of a rule that has a few, in ascending order. */
export const breakpointsAt = (...seconds: readonly number[]): Pick<Rule, 'breakpointAfter'> => ({
  breakpointAfter: second => seconds.find(each => each > second) ?? EVER,
})

/** The change of prices in every window. */
export interface PriceTransform {
  /** Creates the rule of a window. */
  in(window: Window): Rule
  /** Whether a rule starts from the price in force when its window starts. */
  readonly startsFromCurrentPrice?: boolean
  /**
   * Bounds of the prices of some seconds, over all rules and also where there is none, for prices from `low` to `high` before. With
   * `startsFromCurrentPrice`, that price is one of them.
   * @param latest an upper bound on the seconds from the start of a window to a tick in it
   * @param starts from the first second, or the start of the window that it is in, to the last one
   */
  bounds(
    low: number,
    high: number,
    latest: number,
    starts: { readonly from: number; readonly to: number },
  ): readonly [low: number, high: number]
}

/** The windows and the feed of a price transform. */
export interface TransformedPath {
  readonly windows: Windows
  /** No answer was given before this second, so a window that is active then starts with the tick in force, not with the next one. */
  readonly appliedAt: number
  readonly feed: Pick<Feed, 'heartbeat' | 'step' | 'series'>
  /** Called when an answer differs from that of the path below. */
  markApplied?(): void
}

/** The number of spans that are searched one by one: fewer on top of other layers, where each span is divided again. */
const MAX_SPANS = 8
const MAX_SPANS_OF_LAYERS = 3

/** The number of windows whose rules are cached. */
const MAX_CACHED_RULES = 100

/** The number of breakpoints that are looked at for the bounds of a part. */
const MAX_BREAKPOINTS = 8

/** Wraps a path. Ticks stay at their seconds; prices stay at least a step and exact integers. */
export function transformedPath(
  path: PricePath,
  { markApplied, ...when }: TransformedPath,
  transform: PriceTransform,
): PricePath {
  return trackChanges(path, applyTransform(untracked(path), when, transform), markApplied ?? (() => {}))
}

const breakpointOf = (rule: Rule, second: number): number => rule.breakpointAfter?.(second) ?? EVER

/** The same, without telling whether an answer differs. */
export function applyTransform(path: PricePath, when: TransformedPath, transform: PriceTransform): PartedPath & Layer {
  const { appliedAt, feed } = when
  // The ticks of a series lie at any second.
  const heartbeat = feed.series === undefined ? feed.heartbeat : 1
  const inForce =
    feed.series === undefined ? Math.floor(appliedAt / heartbeat) * heartbeat : (path.lastTick(appliedAt) ?? appliedAt)
  const windows = earlierStart(when.windows, appliedAt, inForce)
  const max = Math.floor(Number.MAX_SAFE_INTEGER / feed.step) * feed.step
  const round = (price: number): number => Math.min(max, Math.max(feed.step, Math.round(price / feed.step) * feed.step))

  // Rules are cached because creating one may look up prices in the layers below.
  const ruleAt = memoize(MAX_CACHED_RULES, (_from, window: Window) => transform.in(window))
  const ruleOf = (window: Window): Rule => ruleAt(window.from, window)
  const at = (tick: number, price = path.at(tick)): number => {
    const window = windows.at(tick)
    return window === undefined ? price : round(ruleOf(window).at(price, tick))
  }

  const latest = Math.max(0, windows.latestTick(heartbeat))

  /** Bounds over all rules: for parts that contain several windows, or the start or end of one. */
  const boundsOfAll = (from: number, to: number, low: number, high: number): readonly [number, number] => {
    const start = windows.at(from)?.from ?? from
    let [lowest, highest] = [low, high]
    const include = (second: number): void => {
      const tick = path.lastTick(second) ?? path.nextTick(second)
      if (tick === undefined) return
      const price = path.at(tick)
      lowest = Math.min(lowest, price)
      highest = Math.max(highest, price)
    }
    if (transform.startsFromCurrentPrice) {
      include(start)
      include(from)
    }
    const [least, most] = transform.bounds(lowest, highest, latest, { from: start, to })
    return [round(least), round(most)]
  }
  /** Bounds under one rule. Between two breakpoints it is monotone in time, so they are taken at its ends. */
  const boundsOfRule = (rule: Rule, [from, to, low, high]: Parameters<ChangeBounds>): readonly [number, number] => {
    let least = Number.POSITIVE_INFINITY
    let most = Number.NEGATIVE_INFINITY
    const include = (second: number): void => {
      least = Math.min(least, rule.at(low, second))
      most = Math.max(most, rule.at(high, second))
    }
    include(from)
    let count = 0
    for (let second = breakpointOf(rule, from); second <= to; second = breakpointOf(rule, second)) {
      if (++count > MAX_BREAKPOINTS) return boundsOfAll(from, to, low, high)
      include(second - 1)
      include(second)
    }
    include(to)
    return [round(least), round(most)]
  }
  const change: ChangeBounds = (from, to, low, high) => {
    const window = windows.at(from)
    if (window !== undefined && window.until > to) {
      const rule = ruleOf(window)
      if (rule.bounds !== undefined) {
        const [least, most] = rule.bounds(low, high, from, to)
        return [round(least), round(most)]
      }
      return boundsOfRule(rule, [from, to, low, high])
    }
    const isUnchanged = window === undefined && windows.first(from, to) === undefined
    return isUnchanged ? [low, high] : boundsOfAll(from, to, low, high)
  }
  const parted = changeParts(path, change)

  /** The extremes of a span in one window, if they are at the ticks of those below: the rule stands still and keeps prices apart. */
  const steadyExtremes = (window: Window, { from, to }: Span, below: Extremes, anyTick: boolean) => {
    const rule = ruleOf(window)
    const { high, low } = below
    const priceOf = (price: number): number => round(rule.at(price, from))
    const standsStill = (price: number): boolean => {
      if (rule.bounds === undefined) return rule.at(price, from) === rule.at(price, to)
      const [least, most] = rule.bounds(price, price, from, to)
      return least === most
    }
    const isSteady = breakpointOf(rule, from) > to && standsStill(high.price) && standsStill(low.price)
    const [most, least] = [priceOf(high.price), priceOf(low.price)]
    const isApart = priceOf(high.price - feed.step) < most && priceOf(low.price + feed.step) > least
    if (!isSteady || !(anyTick || isApart)) return undefined
    return { high: { price: most, ts: high.ts }, low: { price: least, ts: low.ts } }
  }
  const searchSpan = (from: number, to: number, below: Extremes, anyTick: boolean) =>
    searchExtremes(parted, [from, to], { extremes: below, at: ({ ts, price }) => at(ts, price) }, anyTick)
  /** The extremes of a span that no window starts or ends in. */
  const spanExtremes = (span: Span, below: Extremes | undefined, anyTick: boolean): Extremes | undefined => {
    if (below === undefined || span.window === undefined) return below
    return steadyExtremes(span.window, span, below, anyTick) ?? searchSpan(span.from, span.to, below, anyTick)
  }
  const extremes: Layer['extremes'] = (from, to, anyTick = false, below = path.extremes(from, to, anyTick)) => {
    if (below === undefined) return below
    const spans = spansOf(windows, from, to, 'hasFastSearch' in path ? MAX_SPANS : MAX_SPANS_OF_LAYERS)
    if (spans === undefined) return searchSpan(from, to, below, anyTick)
    if (spans.length === 1) return spanExtremes(spans[0]!, below, anyTick)
    return spans
      .map(span => spanExtremes(span, path.extremes(span.from, span.to, anyTick), anyTick))
      .reduce(merge, undefined)
  }

  return {
    cycle: path.cycle,
    at,
    lastTick: path.lastTick,
    nextTick: path.nextTick,
    holes: path.holes,
    ...parted,
    extremes,
  }
}

/** A span of time inside one window, or between two. */
interface Span {
  readonly from: number
  readonly to: number
  readonly window?: Window
}

/** The spans of `from … to`, in order; undefined if there are more than `most`. */
function spansOf(windows: Windows, from: number, to: number, most: number): Span[] | undefined {
  const spans: Span[] = []
  let next = from
  for (const window of windows.between(from, to)) {
    if (window.from > next) spans.push({ from: next, to: window.from - 1 })
    const last = Math.min(to, window.until - 1)
    spans.push({ from: Math.max(from, window.from), to: last, window })
    next = last + 1
    if (spans.length > most) return undefined
  }
  if (next <= to) spans.push({ from: next, to })
  return spans.length > most ? undefined : spans
}
