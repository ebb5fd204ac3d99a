// signature/other-feed: the price of another feed under the id that was asked for.
import * as z from 'zod/mini'
import { defineSignatureFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The answer holds the price of the next feed of the catalogue, validly signed: its `feedId` is the other one, also in a batch or
 * under the key of a history.
 * @catches A consumer that verifies the signature, but not that it is for the feed it asked for.
 */
export const otherFeed = defineSignatureFault({
  name: 'signature/other-feed',
  options: z.strictObject({
    /** Whether `feedId` shows the id that was asked for, which the signature does not cover. */
    relabel: option(z.boolean(), false),
  }),
  apply(signed, { options: { relabel }, otherFeed, sign, selects }) {
    const covered = signed.covered.map(one => (selects(one.feedId) && otherFeed(one)) || one)
    if (covered.every((one, i) => one === signed.covered[i])) return signed
    const shown = covered.map((one, i) =>
      one === signed.covered[i] ? signed.shown[i]! : relabel ? { ...one, feedId: signed.shown[i]!.feedId } : one,
    )
    return { shown, covered, ...sign(covered) }
  },
})
