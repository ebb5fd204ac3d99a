// signature/batch-swapped: two feeds of a batch show each other's price.
import { defineSignatureFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The first two feeds of a batch show each other's price, expo and ts; the signature covers the right ones. A single
 * price stays as it is.
 * @catches A consumer that verifies the prices of a batch, but not which feed each belongs to.
 */
export const batchSwapped = defineSignatureFault({
  name: 'signature/batch-swapped',
  options: NO_OPTIONS,
  endpoints: ['batch'],
  apply(signed) {
    const [first, second, ...rest] = signed.shown
    if (first === undefined || second === undefined) return signed
    const shown = [{ ...second, feedId: first.feedId }, { ...first, feedId: second.feedId }, ...rest]
    return { ...signed, shown }
  },
})
