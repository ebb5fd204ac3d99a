// tick/ts-skew: the publisher's clock is wrong.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineTickFault } from '../fault.js'
import { option } from '../options.js'

/**
 * `ts` is off by some seconds, as from a publisher whose clock is wrong; the signature is valid.
 * @catches An age below zero, or one that is compared as an unsigned integer.
 */
export const tsSkew = defineTickFault({
  name: 'tick/ts-skew',
  options: z.strictObject({
    /** The shift of `ts`; positive values lie in the future. */
    seconds: option(integer(-86_400, 86_400), 30),
  }),
  tick(tick, { options: { seconds } }) {
    const ts = Math.max(0, tick.ts + seconds)
    return ts === tick.ts ? tick : { ...tick, ts }
  },
})
