// From a log price and its second to a published price: growth, base and rounding, with arithmetic that is the same in every
// engine: Math.exp and Math.pow differ in the last bit.
import { SECONDS_PER_YEAR } from './cascade.js'
import type { Feed } from './feeds.js'

/** The prices of a walk. */
export type Pricing = ReturnType<typeof createPricing>

/** 2025-07-24T00:00:00Z: the ratios of the catalogue are those of that day. */
const GROWTH_START = 1_753_315_200

/** The factor on the price of a feed at a second, by its growth; for feeds without growth it is 1. */
export const growthFactor = (growth: number, second: number): number => exponential(growth * (second - GROWTH_START))

/** The growth of the log price of a feed in a second. */
export const growthOf = ({ yield: yearly = 0 }: Pick<Feed, 'yield'>): number => yearly / SECONDS_PER_YEAR

/** The largest limit of log prices. */
const MAX_LOG = 5

/**
 * The limit of the log price of a feed: some deviations of an end of a block. The shorter these are, the more of them a wild time
 * reaches. A derived feed has that of its parent.
 */
export function maxLogOf({ drivers, trend = drivers, span }: Pick<Feed, 'drivers' | 'trend' | 'span'>): number {
  const volatility = Math.sqrt(Object.values(trend).reduce((sum, vol) => sum + vol * vol, 0))
  const deviations = 4 + 1.5 * (27 - (31 - Math.clz32(span)))
  return Math.min(MAX_LOG, deviations * volatility * Math.sqrt(span / 2 / SECONDS_PER_YEAR))
}

/**
 * Bends log prices, so that none is further away than `limit`: beyond three quarters of it they lie on a hyperbola. Every operation
 * keeps the order when it is rounded, so the highest log price is the highest bent one.
 */
export function createBend(limit: number): { bend(log: number): number; unbend(bent: number): number } {
  const rest = limit / 4
  const straight = limit - rest
  const up = (log: number): number => limit - rest * (rest / (rest + (log - straight)))
  const back = (bent: number): number =>
    bent >= limit ? Number.POSITIVE_INFINITY : straight + rest * (rest / (limit - bent)) - rest
  return {
    bend: log => (log > straight ? up(log) : log < -straight ? -up(-log) : log),
    unbend: bent => (bent > straight ? back(bent) : bent < -straight ? -back(-bent) : bent),
  }
}

/** More than the rounding errors of bending a log price and back. */
const ROUNDING = 1e-12

/**
 * The prices of a feed.
 * @param maxLog the limit of log prices
 */
export function createPricing(feed: Pick<Feed, 'base' | 'expo' | 'step' | 'yield'>, maxLog = MAX_LOG) {
  const { step } = feed
  const growth = growthOf(feed)
  const { bend, unbend } = createBend(maxLog)
  // Only an exact power of ten and one division, so that every engine gets the same double.
  const baseSteps = (feed.base * POWERS_OF_TEN[-feed.expo]!) / step
  return {
    /** The price of a log price at a second; it never falls with either. */
    toPrice:
      growth === 0
        ? (log: number, _second: number): number => Math.round(baseSteps * exponential(bend(log))) * step
        : (log: number, second: number): number =>
            Math.round(baseSteps * exponential(bend(log)) * growthFactor(growth, second)) * step,
    /** A bound on the distance of two log prices that have the same price at one second, when they are bent. */
    // A price of n steps is rounded from n − ½ to n + ½, and ln((n + ½) / (n − ½)) < 1 / (n − ½). Two hundredths more cover that the
    // exponential is only close to one.
    widthOf: (price: number): number => 1.02 / (price / step - 0.5) + 1e-13,
    /** A log price that is, when bent, at least so much below (sign 1) or above (−1) another one. */
    away: (log: number, sign: 1 | -1, distance: number): number =>
      unbend(bend(log) - sign * (distance + ROUNDING)) - sign * ROUNDING,
    /** The growth of the log price a second, at least 0. */
    growth,
  }
}

/** Powers of ten by exponent, 0 … 18, each an exact double. */
export const POWERS_OF_TEN: readonly number[] = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
]

/** (1 + x/1024)^1024, close to e^x for |x| < 1 and monotone, so that the highest x is the highest price. */
export function exponential(x: number): number {
  let y = 1 + x / 1024
  for (let i = 0; i < 10; i++) y *= y
  return y
}
