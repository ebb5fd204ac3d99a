// signature/tampered-price: the price was changed after it was signed.
import * as z from 'zod/mini'
import { defineSignatureFault } from '../fault.js'
import { isOfHalf, onlyOfHistory, option } from '../options.js'

const WANT = 'a number from -0.99 to 100, not 0'
const down = z.number().check(z.gte(-0.99), z.lt(0))
const up = z.number().check(z.gt(0), z.lte(100))

/**
 * The price was changed after it was signed, by at least one price step.
 * @catches A consumer that does not verify at all, or verifies other bytes than it uses.
 */
export const tamperedPrice = defineSignatureFault({
  name: 'signature/tampered-price',
  options: z.strictObject({
    /** The change, as a part of the price. */
    by: option(z.union([down, up], { error: WANT }), 0.01),
    /** The prices of a history that change. */
    only: onlyOfHistory,
  }),
  apply(signed, { options: { by, only }, stepOf, selects, half }) {
    if (!isOfHalf(only, half)) return signed
    const shown = signed.shown.map(one => {
      if (!selects(one.feedId)) return one
      const step = stepOf(one.feedId)
      const steps = Math.round((Number(one.price) * by) / step) || (by < 0 ? -1 : 1)
      const price = typeof one.price === 'bigint' ? one.price + BigInt(steps) * BigInt(step) : one.price + steps * step
      return { ...one, price }
    })
    return { ...signed, shown }
  },
})
