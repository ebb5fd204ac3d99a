// market/flatline: ticks go on, the price does not move.
import { levelRepricing } from '../../market/levels.js'
import { repricedPath } from '../../market/repriced.js'
import { defineMarketFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/** The price in force at the start of the window, tick after tick with a fresh `ts`. */
export const flatline = defineMarketFault({
  name: 'market/flatline',
  summary: 'Ticks go on with a fresh `ts`, but the price does not move.',
  catches: 'A staleness check that looks at `ts` alone trusts a publisher that is stuck.',
  options: NO_OPTIONS,
  path: (path, { windows, feed, touch }) =>
    repricedPath(path, windows, feed, window => levelRepricing(path, window, []), touch),
})
