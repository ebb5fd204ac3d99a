// market/shock: the price jumps by a part of itself, and moves on from there.
import * as z from 'zod/mini'
import { rampTo } from '../../market/levels.js'
import { transformedPath } from '../../market/price-transform.js'
import { number } from '../../settings/schema.js'
import { defineMarketFault } from '../fault.js'
import { duration, option } from '../options.js'

/**
 * Every price is multiplied by `1 + change` (−0.3 is thirty percent down), and moves on from there.
 * @catches Liquidations, limits and charts that have only seen a calm market.
 */
export const shock = defineMarketFault({
  name: 'market/shock',
  isFollowed: true,
  times: ['over'],
  options: z.strictObject({
    /** The jump, as a part of the price. */
    change: option(number(-0.999, 1000, 'a number from -0.999 (-99.9 %) to 1000'), -0.2),
    /** The duration of the jump; by default none. */
    over: z.optional(duration),
  }),
  path: (path, context) => transformedPath(path, context, rampTo(1 + context.options.change, context.options.over)),
})
