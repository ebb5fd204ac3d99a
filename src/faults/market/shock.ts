// market/shock: the price jumps by a part of itself, and the market lives on there.
import * as z from 'zod/mini'
import { rampTo } from '../../market/levels.js'
import { transformedPath } from '../../market/price-transform.js'
import { number } from '../../settings/schema.js'
import { defineMarketFault } from '../fault.js'
import { duration, option } from '../options.js'

/**
 * The price jumps by a part of itself (−0.3 is thirty percent down) and moves on from there.
 *
 * Every price of the window is multiplied by `1 + change`.
 * @catches Liquidations, limits and charts that have only ever seen a calm market.
 */
export const shock = defineMarketFault({
  name: 'market/shock',
  options: z.strictObject({
    /** The part of the price by which it jumps. */
    change: option(number(-0.999, 1000), -0.2),
    /** How long it takes; at once without it. */
    over: z.optional(duration),
  }),
  path: (path, context) => transformedPath(path, context, rampTo(1 + context.options.change, context.options.over)),
})
