// market/flatline: ticks go on, the price does not move.
import { alongLevels } from '../../market/levels.js'
import { transformedPath } from '../../market/price-transform.js'
import { defineMarketFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * Ticks go on with a fresh `ts`, but the price does not move.
 *
 * The price in force at the start of the window, tick after tick with a fresh `ts`.
 * @catches A staleness check that looks at `ts` alone trusts a publisher that is stuck.
 */
export const flatline = defineMarketFault({
  name: 'market/flatline',
  options: NO_OPTIONS,
  path: (path, context) => transformedPath(path, context, alongLevels(path, [])),
})
