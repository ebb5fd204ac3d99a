// tick/wrong-expo: the exponent is wrong.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineTickFault } from '../fault.js'
import { isOfHalf, onlyOfHistory, option } from '../options.js'

/**
 * `expo` is off, so the value of the price is off by powers of ten; the signature is valid.
 * @catches A consumer that assumes −8 and never reads `expo`, or reads that of another price.
 */
export const wrongExpo = defineTickFault({
  name: 'tick/wrong-expo',
  options: z.strictObject({
    /** The number added to `expo`. */
    by: option(integer(-60, 60), 2),
    /** The prices of a history that change. */
    only: onlyOfHistory,
  }),
  tick: (tick, { options: { by, only }, half }) =>
    by === 0 || !isOfHalf(only, half) ? tick : { ...tick, expo: tick.expo + by },
})
