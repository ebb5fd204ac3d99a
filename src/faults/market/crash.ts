// market/crash: prices fall, overshoot and recover in part.

import * as z from 'zod/mini'
import { alongCrash, type Crash, type CrashOptions, createCrash } from '../../market/crash.js'
import type { Feed } from '../../market/feeds.js'
import { transformedPath } from '../../market/price-transform.js'
import { keysOf, scatter, uniformOf } from '../../market/random.js'
import { EVER } from '../../market/windows.js'
import { integer, number } from '../../settings/schema.js'
import { defineMarketFault, type MarketContext } from '../fault.js'
import { duration, option } from '../options.js'

/** Far below 2^53, in hundredths of a USD. */
const MAX_TRADE = 1e15
const SECONDS_PER_DAY = 86_400
/**
 * Maximum number of courses in memory, of about 120 kB each, for two milliseconds of work: as many as the crashes of a scenario can have
 * at one second, where `byBeta` is one for each coin, so that no request computes one twice.
 */
const MAX_COURSES = 100
const MAX_CRASHES = 20
const MAX_BY_BETA = 2
/** The courses of crashes by their options: all feeds of a fault share one, unless each has its own. */
let courses = new WeakMap<object, Map<string, Crash>>()
let count = 0

type Context = MarketContext<CrashOptions & { readonly byBeta: boolean }>

/** Repetitions have so many different courses, one after the other. */
const COURSES = 4

/** The number of the course of a window: 0 for the first one. */
function numberOf({ windows, appliedAt }: Context, from: number): number {
  const { seconds = EVER } = windows.cycle ?? {}
  const passed = Math.max(0, from - (windows.first(appliedAt, EVER)?.from ?? from))
  return (Math.floor(passed / seconds) + scatter(passed % seconds)) & (COURSES - 1)
}

/** The course of a feed in a window from a second on. Derived feeds have that of their parent, which has the same drivers. */
function crashOf(context: Context, from = context.appliedAt): () => Crash {
  const { options, feed, seed } = context
  const drivers = feed.trend ?? feed.drivers
  const own = options.byBeta ? `${seed}:${Object.keys(drivers).join()}` : ''
  const number = numberOf(context, from)
  const key = `${number} ${own}`
  const create = (): Crash => {
    // No other fault has such a seed.
    const numbered = { ...options, seed: options.seed + number * 2e9 }
    return createCrash(options.byBeta ? { ...numbered, beta: betaOf(drivers, own), own } : numbered)
  }
  return () => {
    let known = courses.get(options)?.get(key)
    if (known === undefined) {
      if (++count > MAX_COURSES) {
        courses = new WeakMap()
        count = 1
      }
      known = create()
      courses.set(options, (courses.get(options) ?? new Map()).set(key, known))
    }
    return known
  }
}

/** The volatility that bitcoin has from its market. */
const BITCOIN = 0.56

/** How far a feed falls for 1 of bitcoin, in log prices: less than in proportion to the volatility that it has from the market. */
function betaOf({ crypto = 0 }: Readonly<Record<string, number>>, own: string): number {
  const { k1, k2 } = keysOf(own, 'beta')
  return crypto === BITCOIN ? 1 : Math.sqrt(crypto / BITCOIN) * (1 + 0.1 * uniformOf(k1, k2, 1))
}

/**
 * Prices fall faster and faster, overshoot in wicks, and recover in part. Volatility and trade rise with the fall and decay in
 * the recovery; then prices move on at the level reached, in aftershocks that get smaller as a power of time.
 * @catches Liquidations, limits and charts that have only seen jumps, and alerts that take the first bounce for the end.
 */
export const crash = defineMarketFault({
  name: 'market/crash',
  isFollowed: true,
  times: ['fall', 'bottom', 'recovery'],
  options: z.strictObject({
    /** The fall to the lowest price, as a part of the price; a negative one is a spike upwards. */
    depth: option(number(-9, 0.999_999), 0.3),
    /** The time from the start to the lowest price. */
    fall: option(duration, '5m'),
    /** The time near the lowest price, in which wicks return to it. */
    bottom: option(duration, '2m'),
    /** The time of the rebound. */
    recovery: option(duration, '30m'),
    /** The part of the fall that is regained at the end, in logarithms. */
    rebound: option(number(0, 1), 0.5),
    /** The seed of the course: the same one gives the same course on every feed and in every session, unless by `byBeta`. */
    seed: option(integer(0, 1e9), 1),
    /** Whether `depth` is that of BTCUSD: other coins fall more or less, with noise of their own, and other feeds do not fall. */
    byBeta: option(z.boolean(), false),
  }),
  most: ({ byBeta }) => [
    ['market/crash', MAX_CRASHES],
    ...(byBeta ? [['market/crash with "byBeta"', MAX_BY_BETA] as const] : []),
  ],
  path(path, context) {
    if (context.options.byBeta && !isCoin(context.feed)) return path
    return transformedPath(
      path,
      context,
      alongCrash(window => crashOf(context, window?.from), path, context.market),
    )
  },
  surge(context) {
    if (context.options.byBeta && !isCoin(context.feed)) return () => 0
    return (passed, from) => {
      const { tradedBy } = crashOf(context, from)()
      return Math.floor(rateOf(context.feed, tradedBy(EVER)) * tradedBy(passed))
    }
  },
})

const isCoin = ({ drivers }: Feed): boolean => (drivers.crypto ?? 0) > 0

/** The mean trade of a feed in a second, or less where sums would exceed the exact integers. */
const rateOf = ({ volume }: Feed, seconds: number): number =>
  Math.min((volume * 100) / SECONDS_PER_DAY, MAX_TRADE / Math.max(1, seconds))
