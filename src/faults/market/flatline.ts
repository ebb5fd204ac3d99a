// market/flatline: ticks continue, the price does not move.
import { alongLevels } from '../../market/levels.js'
import { transformedPath } from '../../market/price-transform.js'
import { defineMarketFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * Ticks continue with a fresh `ts`, but the price stays at the one in force when the window starts.
 * @catches A staleness check that looks only at `ts` and so trusts a publisher that is stuck.
 */
export const flatline = defineMarketFault({
  name: 'market/flatline',
  options: NO_OPTIONS,
  path: (path, context) => transformedPath(path, context, alongLevels(path, [])),
})
