// market/depeg: a price slides away from what it should be worth.
import * as z from 'zod/mini'
import { rampTo } from '../../market/levels.js'
import { transformedPath } from '../../market/price-transform.js'
import { number } from '../../settings/schema.js'
import { defineMarketFault } from '../fault.js'
import { duration, option } from '../options.js'

/**
 * The price slides to a part of its worth (0.88 for a stablecoin at 88 cents) and stays there.
 *
 * The factor on every price goes from 1 to `to` in a straight line, and stays.
 * @catches A consumer that takes a stablecoin for a dollar.
 */
export const depeg = defineMarketFault({
  name: 'market/depeg',
  options: z.strictObject({
    /** What is left of the price. */
    to: option(number(0.001, 1000), 0.88),
    /** How long the slide takes. */
    over: option(duration, '5m'),
  }),
  path: (path, context) => transformedPath(path, context, rampTo(context.options.to, context.options.over)),
})
