// market/gap: a feed has neither ticks nor a price.
import { withoutTicks } from '../../market/without-ticks.js'
import { defineMarketFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * No ticks and no price: the feed is answered as an unknown one, and history and candles show the hole.
 *
 * As an unknown feed while it lasts; history and candles show the hole afterwards.
 * @catches A consumer that takes a feed for eternal breaks, or shows the last price for ever, when it goes away.
 */
export const gap = defineMarketFault({
  name: 'market/gap',
  options: NO_OPTIONS,
  path: (path, { windows, markApplied }) => withoutTicks(path, windows, 'hole', markApplied),
})
