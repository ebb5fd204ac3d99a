// tick/missing-feed: an answer leaves a feed out.
import { defineTickFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * A feed is left out of the answer, the last of several unless `feeds` says which; what is left is validly signed.
 *
 * The signature is valid over what is left; where nothing is left, the feed is an unknown one.
 * @catches A consumer that matches the prices of a batch to its request by their place.
 */
export const missingFeed = defineTickFault({
  name: 'tick/missing-feed',
  options: NO_OPTIONS,
  tick: tick => tick,
  omits: ({ named, isLast }) => named || isLast,
})
