// From a log price and its second to a published price: growth, base and rounding.

import { SECONDS_PER_YEAR } from './cascade.js'
import { exponential, POWERS_OF_TEN } from './exponential.js'
import type { Feed } from './feeds.js'

/** The prices of a walk. */
export interface Pricing {
  /** The price of a log price at a second; it never falls with either. */
  toPrice(log: number, second: number): number
  /** A bound on the distance of two log prices that have the same price at one second. */
  widthOf(price: number): number
  /** The growth of the log price a second, at least 0. */
  readonly growth: number
}

/** 2025-07-24T00:00:00Z: the ratios of the catalogue are those of that day. */
const GROWTH_START = 1_753_315_200

/** The log prices themselves, without growth and rounding. */
export const LOG_PRICES: Pricing = { toPrice: log => log, widthOf: () => 0, growth: 0 }

/** The factor on the price of a feed at a second, by its growth; for feeds without growth it is 1. */
export const growthFactor = (growth: number, second: number): number => exponential(growth * (second - GROWTH_START))

/** The growth of the log price of a feed in a second. */
export const growthOf = ({ yield: yearly = 0 }: Pick<Feed, 'yield'>): number => yearly / SECONDS_PER_YEAR

/** The prices of a feed. */
export function createPricing(feed: Pick<Feed, 'base' | 'expo' | 'step' | 'yield'>): Pricing {
  const { step } = feed
  const growth = growthOf(feed)
  // Only an exact power of ten and one division, so that every engine gets the same double.
  const baseSteps = (feed.base * POWERS_OF_TEN[-feed.expo]!) / step
  return {
    toPrice:
      growth === 0
        ? log => Math.round(baseSteps * exponential(log)) * step
        : (log, second) => Math.round(baseSteps * exponential(log) * growthFactor(growth, second)) * step,
    // A price of n steps is rounded from n − ½ to n + ½, and ln((n + ½) / (n − ½)) < 1 / (n − ½). Two hundredths more cover that the
    // exponential is only close to one.
    widthOf: price => 1.02 / (price / step - 0.5) + 1e-13,
    growth,
  }
}
