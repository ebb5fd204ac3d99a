// Price transforms: straight lines between levels, and factors that change in a straight line.
import { oncePerObject } from '../caches.js'
import type { Feed } from './feeds.js'
import { createPriceTree, indexAfter } from './lookups.js'
import { type PricePath, untracked } from './path.js'
import type { PriceTransform, Rule } from './price-transform.js'
import { POWERS_OF_TEN } from './pricing.js'
import { EVER, type Window } from './windows.js'

/** More seconds than there are between 1970 and 2105, and finite, so that arithmetic works. */
const MAX_SECONDS = 1e10

/** A price, in units of 10^expo, `at` seconds after the start of a window. */
export interface Level {
  readonly at: number
  readonly price: number
}

/** The feed that a derived feed follows, as the derived feed sees it. */
export interface Leader {
  /** Its path below the fault. */
  readonly path: PricePath
  /** Seconds from a tick of the derived feed to the tick of this one that is published at the same time. */
  readonly offset: number
  /** No answer was given before this second of the derived feed. */
  readonly appliedAt: number
  /** The usual price of the derived feed per price of this one, for times without a price. */
  readonly ratio: number
}

/**
 * In each window the price goes in straight lines from the one in force at its start through the levels, and stays at the last one.
 * @param levels in order of time; without any the price stays where it is
 * @param leader the feed whose prices the levels are: the price then changes by the same ratio as the leader's
 */
export function alongLevels(path: PricePath, levels: readonly Level[], leader?: Leader): PriceTransform {
  const course = courseOf(levels)
  /** Bounds for levels that are multiplied by `scale`. A window may end before a level is reached. */
  const boundsBy = (scale: number, low: number, high: number, latest: number): readonly [number, number] => {
    const next = indexAfter(course.times, latest)
    let least = Math.min(low, priceAlong(course, latest, low, scale, next) ?? low)
    let most = Math.max(high, priceAlong(course, latest, high, scale, next) ?? high)
    if (next > 0) {
      least = Math.min(least, levels[course.tree.lowest(0, next - 1)]!.price * scale)
      most = Math.max(most, levels[course.tree.highest(0, next - 1)]!.price * scale)
    }
    return [least, most]
  }
  return {
    in: window => levelRule(path, window, course, leader),
    startsFromCurrentPrice: true,
    bounds(low, high, latest, { from, to }) {
      if (leader === undefined) return boundsBy(1, low, high, latest)
      const prices = leaderPrices(leader, from, to)
      const least = Math.min(leader.ratio, ...prices.map(price => low / price))
      const most = Math.max(leader.ratio, ...prices.map(price => high / price))
      return [boundsBy(least, low, high, latest)[0], boundsBy(most, low, high, latest)[1]]
    },
  }
}

type Course = ReturnType<typeof courseOf>

/** Feeds share the courses of the levels that they share. */
const courseOf = oncePerObject((levels: readonly Level[]) => ({
  levels,
  times: Float64Array.from(levels, ({ at }) => at),
  tree: createPriceTree(Float64Array.from(levels, ({ price }) => price)),
}))

/** The tick in force of a leader at a second of the feed that follows it. */
const leaderTick = ({ path, offset, appliedAt }: Leader, second: number): number | undefined =>
  untracked(path).lastTick(Math.max(second, appliedAt) + offset)

/** The lowest and the highest price of a leader that may be in force at a second of `from … to` of the feed that follows it. */
function leaderPrices(leader: Leader, from: number, to: number): number[] {
  const { at, extremes } = untracked(leader.path)
  const first = leaderTick(leader, from)
  const range = extremes(from + leader.offset, Math.max(to, leader.appliedAt) + leader.offset)
  return [...(first === undefined ? [] : [at(first)]), ...(range ? [range.low.price, range.high.price] : [])]
}

function levelRule(path: PricePath, { from }: Window, course: Course, leader: Leader | undefined): Rule {
  // Rules are cached between answers, so they must not depend on tracked look-ups.
  const { lastTick, nextTick, at } = untracked(path)
  const { levels, tree } = course
  const tick = lastTick(from) ?? nextTick(from)
  const start = tick === undefined ? undefined : at(tick)
  const led = leader && start !== undefined ? leaderTick(leader, from) : undefined
  const scale = leader === undefined ? 1 : led === undefined ? leader.ratio : start! / untracked(leader.path).at(led)
  return {
    at: (price, second) => priceAlong(course, second - from, start, scale) ?? price,
    breakpointAfter(second) {
      const startsAt = start === undefined || levels[0]?.at === 0 ? undefined : from
      if (startsAt !== undefined && startsAt > second) return startsAt
      return from + (levels[indexAfter(course.times, second - from)]?.at ?? EVER)
    },
    bounds(low, high, first, last) {
      const [next, end] = [indexAfter(course.times, first - from), indexAfter(course.times, last - from)]
      const a = priceAlong(course, first - from, start, scale, next)
      if (a === undefined) return [low, high]
      const b = priceAlong(course, last - from, start, scale, end)!
      if (next === end) return a < b ? [a, b] : [b, a]
      const least = levels[tree.lowest(next, end - 1)]!.price * scale
      const most = levels[tree.highest(next, end - 1)]!.price * scale
      return [Math.min(a, b, least), Math.max(a, b, most)]
    },
  }
}

/**
 * The price on straight lines between levels, times `scale`: the last one's after it; undefined without levels and a start.
 * @param start the price at 0 seconds, unless a level is there; without it, the first level holds before it
 * @param next the index of the first level after these seconds
 */
function priceAlong(
  course: Course,
  passed: number,
  start: number | undefined,
  scale: number,
  next = indexAfter(course.times, passed),
): number | undefined {
  const { levels } = course
  if (next === levels.length && next > 0) return levels[next - 1]!.price * scale
  const b = levels[next]
  const a = next > 0 ? levels[next - 1]! : start === undefined ? b : { at: 0, price: start / scale }
  if (a === undefined) return undefined
  if (b === undefined || a === b || passed < a.at) return a.price * scale
  return (a.price + ((b.price - a.price) * (passed - a.at)) / (b.at - a.at)) * scale
}

/** In each window a factor on every price. It goes from 1 to `factor` in a straight line of `over` seconds and stays there. */
export function rampTo(factor: number, over = 0): PriceTransform {
  return scaledBy(passed => (passed >= over ? factor : 1 + ((factor - 1) * passed) / over))
}

/**
 * In each window a factor on every price.
 * @param factorAt the factor by seconds since the start of the window: starting from 1, it only rises or only falls
 */
export function scaledBy(factorAt: (passed: number) => number): PriceTransform {
  return {
    in: ({ from }) => ({ at: (price, second) => price * factorAt(second - from) }),
    bounds(low, high, latest) {
      const last = factorAt(Math.min(latest, MAX_SECONDS))
      return [low * Math.min(1, last), high * Math.max(1, last)]
    },
  }
}

/** Converts a price from quote units to units of 10^expo. */
export const toUnits = (price: number, { expo }: Feed): number => price * POWERS_OF_TEN[-expo]!

/** Checks that a price is at least a step and an exact integer. Returns the expected value when it is not, otherwise undefined. */
export function fitsFeed(price: number, feed: Feed): string | undefined {
  const units = toUnits(price, feed)
  if (units >= feed.step && units <= Number.MAX_SAFE_INTEGER) return undefined
  const unit = POWERS_OF_TEN[-feed.expo]!
  return `${priceFromTo(feed.step / unit, Number.MAX_SAFE_INTEGER / unit)}, which ${feed.id} can have`
}

/** A range of prices in words; its ends have three digits and are within it. */
export const priceFromTo = (least: number, most: number): string =>
  `a price from ${threeDigits(least, 1)} to ${threeDigits(most, -1)}`

/** The nearest number of three digits that is not below another, or with -1 not above it. */
function threeDigits(value: number, side: 1 | -1): number {
  const nearest = Number(value.toPrecision(3))
  const unit = Number(`1e${Number(value.toExponential().split('e')[1]) - 2}`)
  return side * nearest < side * value ? Number((nearest + side * unit).toPrecision(3)) : nearest
}
