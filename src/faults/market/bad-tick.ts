// market/bad-tick: one tick is far off.
import * as z from 'zod/mini'
import { untracked } from '../../market/change-tracking.js'
import { transformedPath } from '../../market/price-transform.js'
import { number } from '../../settings/schema.js'
import { defineMarketFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The first tick of each window is multiplied by a factor; all other ticks stay as they are.
 * @catches A consumer that acts on a single print: a stop-loss, a liquidation, an axis that jumps.
 */
export const badTick = defineMarketFault({
  name: 'market/bad-tick',
  options: z.strictObject({
    /** The factor on the price of the tick. */
    factor: option(number(0.001, 1000), 10),
  }),
  path: (path, context) => {
    const { factor } = context.options
    return transformedPath(path, context, {
      in: ({ from }) => {
        // The path may have no tick at the start of the window.
        const bad = untracked(path).nextTick(from) ?? from
        return { at: (price, second) => (second === bad ? price * factor : price), breakpoints: [bad, bad + 1] }
      },
      bounds: (low, high) => [low * Math.min(1, factor), high * Math.max(1, factor)],
    })
  },
})
