// signature/batch-reordered: the prices of a batch are not in the signed order.
import * as z from 'zod/mini'
import { defineSignatureFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The prices of a batch are in reverse order; the signature covers the original one. One price stays as it is.
 * @catches A consumer that sorts a batch before it verifies it, or that takes prices by their position.
 */
export const batchReordered = defineSignatureFault({
  name: 'signature/batch-reordered',
  options: z.strictObject({
    /** Whether the signature covers the order shown. */
    valid: option(z.boolean(), false),
  }),
  endpoints: ['batch'],
  isGenuine: ({ valid }) => valid,
  apply(signed, { options: { valid }, sign }) {
    if (signed.shown.length < 2) return signed
    const shown = signed.shown.toReversed()
    return valid ? { ...signed, shown, covered: shown, ...sign(shown) } : { ...signed, shown }
  },
})
