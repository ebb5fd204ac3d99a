// tick/unsafe-integer: the price is more than a double can hold.
import * as z from 'zod/mini'
import { text } from '../../settings/schema.js'
import { defineTickFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The price is an integer above 2^53, printed exactly, with a valid signature.
 *
 * Printed digit by digit, and signed.
 * @catches `JSON.parse` rounds it in silence, and the signature no longer fits.
 */
export const unsafeInteger = defineTickFault({
  name: 'tick/unsafe-integer',
  options: z.strictObject({
    /** The price in units of 10^expo, as a string of digits. */
    price: option(text(/^[1-9]\d{0,18}$/, 'digits of an integer, at most 19, in a string'), '9007199254740993'),
  }),
  tick: (tick, { options: { price } }) => ({ ...tick, price: BigInt(price) }),
})
