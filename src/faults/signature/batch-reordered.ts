// signature/batch-reordered: the prices of a batch stand in another order than they were signed in.
import { defineSignatureFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The prices of a batch stand back to front; the signature covers them in the order of before.
 *
 * Back to front; one price alone stays as it is.
 * @catches A consumer that sorts a batch before it verifies it.
 */
export const batchReordered = defineSignatureFault({
  name: 'signature/batch-reordered',
  options: NO_OPTIONS,
  endpoints: ['batch'],
  apply: signed => (signed.shown.length < 2 ? signed : { ...signed, shown: [...signed.shown].reverse() }),
})
