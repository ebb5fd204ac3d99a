// tick/extra-feed: an answer has a feed that nobody asked for.
import { defineTickFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * A feed that was not asked for comes first. It is the next one of the same class in the catalogue, after the first of the
 * request, or of `feeds`. The signature is valid over all.
 * @catches A consumer that matches prices to its request by position, adds up whatever comes, or refuses the whole
 * reply.
 */
export const extraFeed = defineTickFault({
  name: 'tick/extra-feed',
  options: NO_OPTIONS,
  endpoints: ['batch', 'history', 'evm'],
  tick: tick => tick,
  adds: true,
})
