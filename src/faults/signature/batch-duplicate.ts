// signature/batch-duplicate: a feed is twice in a batch.
import * as z from 'zod/mini'
import type { Tick } from '../../signing/encode.js'
import { defineSignatureFault } from '../fault.js'
import { duration, option } from '../options.js'

/**
 * A feed is in the batch twice, validly signed: those of `feeds`, or the first. The second one is older.
 * @catches A consumer that matches prices to its request by position, takes the last price of a feed for the newest, or adds both up.
 */
export const batchDuplicate = defineSignatureFault({
  name: 'signature/batch-duplicate',
  options: z.strictObject({
    /** The time by which the second one is older. */
    by: option(duration, '30s'),
  }),
  endpoints: ['batch'],
  isGenuine: () => true,
  apply(signed, { options: { by }, sign, earlier, selects, named }) {
    const isTwice = (price: Tick): boolean => (named ? selects(price.feedId) : price === signed.shown[0])
    const shown = signed.shown.flatMap(price => (isTwice(price) ? [price, earlier(price, by) ?? price] : [price]))
    return { ...signed, shown, covered: shown, ...sign(shown) }
  },
})
