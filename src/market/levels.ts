// Price transforms: straight lines between levels, and factors that change in a straight line.

import { untracked } from './change-tracking.js'
import { POWERS_OF_TEN } from './exponential.js'
import type { Feed } from './feeds.js'
import { firstIndex } from './first-index.js'
import type { PricePath } from './path.js'
import type { PriceTransform, Rule } from './price-transform.js'
import type { Window } from './windows.js'

/** More seconds than there are between 1970 and 2105, and finite, so that arithmetic works. */
const MAX_SECONDS = 1e10

/** A price, in units of 10^expo, `at` seconds after the start of a window. */
export interface Level {
  readonly at: number
  readonly price: number
}

/**
 * In each window the price goes in straight lines from the one in force at its start through the levels, and stays at the last one.
 * @param levels in order of time; without any the price stays where it is
 */
export function alongLevels(path: PricePath, levels: readonly Level[]): PriceTransform {
  return {
    in: window => levelRule(path, window, levels),
    startsFromCurrentPrice: true,
    bounds(low, high, latest) {
      // A window may end before a level is reached.
      const passed = levels.filter(({ at }) => at <= latest).map(({ price }) => price)
      const ends = [low, high].map(start => priceAlong(lineFrom(start, levels), latest) ?? start)
      return [Math.min(low, ...passed, ...ends), Math.max(high, ...passed, ...ends)]
    },
  }
}

function levelRule(path: PricePath, { from }: Window, levels: readonly Level[]): Rule {
  // Rules are cached between answers, so they must not depend on tracked look-ups.
  const { lastTick, nextTick, at } = untracked(path)
  const tick = lastTick(from) ?? nextTick(from)
  const start = tick === undefined ? undefined : at(tick)
  const line = start === undefined ? levels : lineFrom(start, levels)
  return {
    at: (price, second) => priceAlong(line, second - from) ?? price,
    breakpoints: line.map(({ at }) => from + at),
  }
}

/** The levels with a start price in front, unless they begin at the start of the window. */
const lineFrom = (start: number, levels: readonly Level[]): readonly Level[] =>
  levels[0]?.at === 0 ? levels : [{ at: 0, price: start }, ...levels]

/** The price on straight lines between levels: the first one's before it, the last one's after it; undefined without levels. */
function priceAlong(line: readonly Level[], passed: number): number | undefined {
  const next = firstIndex(line, ({ at }) => at > passed)
  if (next === line.length) return line.at(-1)?.price
  if (next === 0) return line[0]!.price
  const a = line[next - 1]!
  const b = line[next]!
  return a.price + ((b.price - a.price) * (passed - a.at)) / (b.at - a.at)
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
    in: ({ from }) => ({ at: (price, second) => price * factorAt(second - from), breakpoints: [] }),
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
  const [min, max] = [feed.step / unit, Number.MAX_SAFE_INTEGER / unit]
  const plain = (value: number): string => String(Number(value.toPrecision(3)))
  return `a price from ${plain(min)} to ${plain(max)}, which ${feed.id} can have`
}
