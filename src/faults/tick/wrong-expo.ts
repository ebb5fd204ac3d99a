// tick/wrong-expo: the exponent is another one.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineTickFault } from '../fault.js'
import { option } from '../options.js'

/**
 * `expo` is off, and so the value of the price by powers of ten; the signature is valid.
 *
 * The price keeps its digits, so its value is off by powers of ten.
 * @catches A consumer that takes `expo` for −8 without a look at it.
 */
export const wrongExpo = defineTickFault({
  name: 'tick/wrong-expo',
  options: z.strictObject({
    /** What is added to `expo`. */
    by: option(integer(-60, 60), 2),
  }),
  tick: (tick, { options: { by } }) => (by === 0 ? tick : { ...tick, expo: tick.expo + by }),
})
