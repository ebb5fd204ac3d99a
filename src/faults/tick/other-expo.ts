// tick/other-expo: the exponent changes, and the price with it.
import * as z from 'zod/mini'
import { POWERS_OF_TEN } from '../../market/pricing.js'
import { integer } from '../../settings/schema.js'
import { MAX_PRICE } from '../../signing/encode.js'
import { defineTickFault } from '../fault.js'
import { isOfHalf, onlyOfHistory, option } from '../options.js'

/** A price with fewer units would lose more than half a thousandth of its value. */
const MIN_UNITS = 1000n

/**
 * `expo` is another one and `price` follows, so that the value is the same, rounded to its last digit; the signature is valid. A price
 * that would have fewer than four digits, or more than an int64 holds, stays as it is. The journal calls a changed one broken, since
 * its `expo` is not that of the feed.
 * @catches A consumer that assumes an exponent, takes that of an earlier or another price, or compares, averages and shows prices without it; a `JSON.parse` that rounds the price, with a `by` for which it is above 2^53.
 */
export const otherExpo = defineTickFault({
  name: 'tick/other-expo',
  options: z.strictObject({
    /** The number added to `expo`. */
    by: option(integer(-18, 18), -2),
    /** The prices of a history that change. */
    only: onlyOfHistory,
  }),
  tick(tick, { options: { by, only }, half }) {
    const factor = POWERS_OF_TEN[Math.abs(by)]!
    // The high of a history stays at or above its low.
    const round = half === undefined ? Math.round : half === 'high' ? Math.ceil : Math.floor
    const price = by < 0 ? BigInt(tick.price) * BigInt(factor) : BigInt(round(Number(tick.price) / factor))
    const isLost = price < MIN_UNITS || price > MAX_PRICE
    return by === 0 || isLost || !isOfHalf(only, half) ? tick : { ...tick, price, expo: tick.expo + by }
  },
})
