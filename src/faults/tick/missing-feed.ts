// tick/missing-feed: an answer leaves a feed out.
import { defineTickFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * A feed is left out of the answer: those named by `feeds`, otherwise the last of several. The signature is valid
 * over the rest; where nothing is left, the feed is unknown.
 * @catches A consumer that matches the prices of a batch to its request by position.
 */
export const missingFeed = defineTickFault({
  name: 'tick/missing-feed',
  options: NO_OPTIONS,
  tick: tick => tick,
  omits: ({ named, isLast }) => named || isLast,
})
