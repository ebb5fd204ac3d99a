// market/bad-tick: one tick is far off, or one and those after it.
import * as z from 'zod/mini'
import { untracked } from '../../market/path.js'
import { breakpointsAt, transformedPath } from '../../market/price-transform.js'
import { number } from '../../settings/schema.js'
import { defineMarketFault } from '../fault.js'
import { duration, option } from '../options.js'

/**
 * The first tick of each window is multiplied by a factor. With `hold`, the ticks after it repeat that wrong price with fresh times;
 * then, or at the end of the window, prices return to the market. With `market/stale` in the same window it is the last one, and
 * silence follows. All other ticks stay as they are.
 * @catches A consumer that acts on a single print: a stop-loss, a liquidation, an axis that jumps. With `hold`, one that believes a
 * price as soon as a second tick repeats it.
 */
export const badTick = defineMarketFault({
  name: 'market/bad-tick',
  times: ['hold'],
  options: z.strictObject({
    /** The factor on the price of the tick. */
    factor: option(number(0.001, 1000), 10),
    /** The time for which the wrong price is repeated, counted from its first tick; by default one tick only. */
    hold: z.optional(duration),
  }),
  path: (path, context) => {
    const { factor, hold } = context.options
    const { nextTick, at } = untracked(path)
    return transformedPath(path, context, {
      in: ({ from }) => {
        // The path may have no tick at the start of the window.
        const bad = nextTick(from)
        if (bad === undefined) return { at: price => price }
        const end = bad + (hold ?? 1)
        const held = hold === undefined ? undefined : at(bad) * factor
        return {
          at: (price, second) => (second >= bad && second < end ? (held ?? price * factor) : price),
          ...breakpointsAt(bad, end),
        }
      },
      bounds(low, high, _latest, { from }) {
        // The held price of a window that began earlier is not between those of the part.
        const first = hold === undefined ? undefined : nextTick(from)
        const prices = first === undefined ? [low, high] : [low, high, at(first)]
        return [Math.min(...prices) * Math.min(1, factor), Math.max(...prices) * Math.max(1, factor)]
      },
    })
  },
})
