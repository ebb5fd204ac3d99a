// signature/wrong-signer: another key has signed.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineSignatureFault } from '../fault.js'

/**
 * The signature is valid over the same prices, but by another public test key.
 * @catches A consumer that recovers a signer but does not compare it with the one it trusts.
 */
export const wrongSigner = defineSignatureFault({
  name: 'signature/wrong-signer',
  options: z.strictObject({
    /** The public test key that signs; by default the one after the session's. */
    testKey: z.optional(integer(0, 9)),
  }),
  apply(signed, { options, testKey, sign }) {
    const next = ((testKey ?? -1) + 1) % 10
    const other = options.testKey === undefined || options.testKey === testKey ? next : options.testKey
    return { ...signed, ...sign(signed.covered, other) }
  },
})
