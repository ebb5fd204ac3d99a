// market/bad-tick: one tick is far off.
import * as z from 'zod/mini'
import { untracked } from '../../market/change-tracking.js'
import { transformedPath } from '../../market/price-transform.js'
import { number } from '../../settings/schema.js'
import { defineMarketFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The first tick of the window is off by a factor, and no other; with `repeat`, one in each.
 *
 * The first tick of the window, and no other.
 * @catches A consumer that acts on a single print: a stop-loss, a liquidation, an axis that jumps.
 */
export const badTick = defineMarketFault({
  name: 'market/bad-tick',
  options: z.strictObject({
    /** What the price of the tick is multiplied by. */
    factor: option(number(0.001, 1000), 10),
  }),
  path: (path, context) => {
    const { factor } = context.options
    return transformedPath(path, context, {
      in: ({ from }) => {
        // The path may have lost the tick with which the window begins.
        const bad = untracked(path).nextTick(from) ?? from
        return { at: (price, second) => (second === bad ? price * factor : price), breakpoints: [bad, bad + 1] }
      },
      bounds: (low, high) => [low * Math.min(1, factor), high * Math.max(1, factor)],
    })
  },
})
