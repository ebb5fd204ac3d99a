// signature/tampered-ts: the time was changed after it was signed.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineSignatureFault } from '../fault.js'
import { duration, option } from '../options.js'

const WANT = 'an integer from -86400 to 86400, not 0'

/**
 * `ts` was changed after it was signed: an old price, validly signed, shows the `ts` of the current one; with `seconds`, the
 * current price another `ts`.
 * @catches A verifier that leaves `ts` out of the signed bytes.
 */
export const tamperedTs = defineSignatureFault({
  name: 'signature/tampered-ts',
  options: z.strictObject({
    /** The age of the price that is made to look fresh. */
    age: option(duration, '1m'),
    /** The shift of the `ts` of the current price, instead of an old price. */
    seconds: z.optional(z.union([integer(-86_400, -1), integer(1, 86_400)], { error: WANT })),
  }),
  apply(signed, { options: { age, seconds }, earlier, sign, selects }) {
    if (seconds !== undefined) {
      const shown = signed.shown.map(one => (selects(one.feedId) ? { ...one, ts: Math.max(0, one.ts + seconds) } : one))
      return { ...signed, shown }
    }
    const covered = signed.covered.map(one => (selects(one.feedId) && earlier(one, age)) || one)
    if (covered.every((one, i) => one === signed.covered[i])) return signed
    const shown = covered.map((one, i) =>
      one === signed.covered[i] ? signed.shown[i]! : { ...one, ts: signed.shown[i]!.ts },
    )
    return { shown, covered, ...sign(covered) }
  },
})
