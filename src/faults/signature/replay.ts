// signature/replay: a valid signature, but of older data.
import * as z from 'zod/mini'
import { defineSignatureFault } from '../fault.js'
import { duration, option } from '../options.js'

/**
 * Beside the prices of now stands a signature over those of some time ago.
 *
 * The prices are those of now, the signature was valid some time ago.
 * @catches A consumer that checks who signed, and not what.
 */
export const replay = defineSignatureFault({
  name: 'signature/replay',
  options: z.strictObject({
    /** How much older the signed prices are. */
    age: option(duration, '1m'),
  }),
  apply(signed, { options: { age }, earlier, sign }) {
    const covered = signed.covered.map(one => earlier(one, age) ?? one)
    if (covered.every((one, i) => one === signed.covered[i])) return signed
    return { ...signed, covered, ...sign(covered) }
  },
})
