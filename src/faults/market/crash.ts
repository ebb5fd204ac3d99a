// market/crash: prices fall, overshoot and recover in part.
import * as z from 'zod/mini'
import { alongCrash, type Crash, type CrashOptions, createCrash } from '../../market/crash.js'
import type { Feed } from '../../market/feeds.js'
import { transformedPath } from '../../market/price-transform.js'
import { integer, number } from '../../settings/schema.js'
import { defineMarketFault } from '../fault.js'
import { duration, option } from '../options.js'

/** Far below 2^53, in hundredths of a USD. */
const MAX_TRADE = 1e15
const SECONDS_PER_DAY = 86_400

/** Maximum number of courses in memory, of about 120 kB each: as many as a scenario can have, so that no request computes one twice. */
const MAX_COURSES = 100
/** The courses of crashes by their options: all feeds of a fault share one. */
let courses = new WeakMap<object, Crash>()
let count = 0

function crashOf(options: CrashOptions): Crash {
  let known = courses.get(options)
  if (known === undefined) {
    if (++count > MAX_COURSES) {
      courses = new WeakMap()
      count = 1
    }
    courses.set(options, (known = createCrash(options)))
  }
  return known
}

/**
 * Prices fall faster and faster, overshoot in wicks, and recover in part. Volatility and trade rise with the fall and decay in
 * the recovery; then prices move on at the level reached.
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
    /** The part of the fall that is regained at the end. */
    rebound: option(number(0, 1), 0.5),
    /** The seed of the wicks: the same one gives the same course on every feed and in every session. */
    seed: option(integer(0, 1e9), 1),
  }),
  path: (path, context) =>
    transformedPath(
      path,
      context,
      alongCrash(() => crashOf(context.options)),
    ),
  surge: ({ options, feed }) => {
    const rate = rateOf(feed, crashOf(options).tradedBy(Number.POSITIVE_INFINITY))
    return passed => Math.floor(rate * crashOf(options).tradedBy(passed))
  },
})

/** The mean trade of a feed in a second, or less where sums would exceed the exact integers. */
const rateOf = ({ volume }: Feed, seconds: number): number =>
  Math.min((volume * 100) / SECONDS_PER_DAY, MAX_TRADE / Math.max(1, seconds))
