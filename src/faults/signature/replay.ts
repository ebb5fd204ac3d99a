// signature/replay: a valid signature, but of older data.
import * as z from 'zod/mini'
import { defineSignatureFault } from '../fault.js'
import { duration, option } from '../options.js'

/** The prices are those of now, the signature was valid some time ago. */
export const replay = defineSignatureFault({
  name: 'signature/replay',
  summary: 'Beside the prices of now stands a signature over those of some time ago.',
  catches: 'A consumer that checks who signed, and not what.',
  options: z.strictObject({ age: option(duration, '1m', 'how much older the signed prices are') }),
  apply(signed, { options: { age }, earlier, sign }) {
    const covered = signed.covered.map(one => earlier(one, age) ?? one)
    return { ...signed, covered, ...sign(covered) }
  },
})
