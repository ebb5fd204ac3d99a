// signature/tampered-ts: the time was changed after it was signed.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineSignatureFault } from '../fault.js'
import { option } from '../options.js'

const WANT = 'an integer from -86400 to 86400, not 0'

/**
 * `ts` was changed after it was signed: an old price is made to look fresh.
 * @catches A verifier that leaves `ts` out of the signed bytes.
 */
export const tamperedTs = defineSignatureFault({
  name: 'signature/tampered-ts',
  options: z.strictObject({
    /** The shift of `ts`; not 0. */
    seconds: option(z.union([integer(-86_400, -1), integer(1, 86_400)], { error: WANT }), 60),
  }),
  apply(signed, { options: { seconds }, selects }) {
    const shown = signed.shown.map(one => (selects(one.feedId) ? { ...one, ts: Math.max(0, one.ts + seconds) } : one))
    return { ...signed, shown }
  },
})
