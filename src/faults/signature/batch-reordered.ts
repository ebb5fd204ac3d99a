// signature/batch-reordered: the prices of a batch are not in the signed order.
import { defineSignatureFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The prices of a batch are in reverse order; the signature covers the original one. One price stays as it is.
 * @catches A consumer that sorts a batch before it verifies it.
 */
export const batchReordered = defineSignatureFault({
  name: 'signature/batch-reordered',
  options: NO_OPTIONS,
  endpoints: ['batch'],
  apply: signed => (signed.shown.length < 2 ? signed : { ...signed, shown: [...signed.shown].reverse() }),
})
