// market/gap: a feed has neither ticks nor a price.
import { withoutTicks } from '../../market/without-ticks.js'
import { defineMarketFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * There are no ticks and no price, not even a stale one: the feed is answered as an unknown one, and its history too once no
 * price is left in the asked minutes. Candles show the hole.
 * @catches A consumer that breaks when a feed goes away, or shows its last price for ever.
 */
export const gap = defineMarketFault({
  name: 'market/gap',
  options: NO_OPTIONS,
  path: (path, { windows, markApplied }) => withoutTicks(path, windows, 'hole', markApplied),
})
