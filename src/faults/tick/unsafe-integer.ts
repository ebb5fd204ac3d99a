// tick/unsafe-integer: the price is more than a double can hold.
import * as z from 'zod/mini'
import { text } from '../../settings/schema.js'
import { defineTickFault } from '../fault.js'
import { option } from '../options.js'

/** 2^53: above it, doubles skip integers. */
const MAX_EXACT = 9_007_199_254_740_992n
const WANT = `digits of an integer above ${MAX_EXACT} (2^53), at most 19, in a string`
const digits = text(/^[1-9]\d{15,18}$/, WANT).check(z.refine(price => BigInt(price) > MAX_EXACT, { error: WANT }))

/**
 * The price is an integer above 2^53, printed exactly, with a valid signature.
 * @catches A `JSON.parse` that rounds the price silently, so that the signature no longer fits, or a price far off that is believed; with a
 * `price` from 2^63 on, a reader without a check of the range.
 */
export const unsafeInteger = defineTickFault({
  name: 'tick/unsafe-integer',
  options: z.strictObject({
    /** The price in units of 10^expo, above 2^53, as a string of digits. From 2^63 on it is no int64. */
    price: option(digits, '9007199254740993'),
  }),
  tick: (tick, { options: { price } }) => ({ ...tick, price: BigInt(price) }),
})
