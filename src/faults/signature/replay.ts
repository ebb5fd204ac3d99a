// signature/replay: a valid signature over older data.
import * as z from 'zod/mini'
import { defineSignatureFault } from '../fault.js'
import { duration, option } from '../options.js'

/**
 * The prices are current, but the signature covers those of some time ago.
 * @catches A consumer that checks the signer, but not the signed bytes.
 */
export const replay = defineSignatureFault({
  name: 'signature/replay',
  options: z.strictObject({
    /** The age of the signed prices. */
    age: option(duration, '1m'),
  }),
  apply(signed, { options: { age }, earlier, sign }) {
    const covered = signed.covered.map(one => earlier(one, age) ?? one)
    if (covered.every((one, i) => one === signed.covered[i])) return signed
    return { ...signed, covered, ...sign(covered) }
  },
})
