// market/depeg: a price slides away from its peg.
import * as z from 'zod/mini'
import { rampTo } from '../../market/levels.js'
import { transformedPath } from '../../market/price-transform.js'
import { number } from '../../settings/schema.js'
import { defineMarketFault } from '../fault.js'
import { duration, option } from '../options.js'

/**
 * A factor on every price goes in a straight line from 1 to `to` (0.88: a stablecoin at 88 cents) and stays there.
 * @catches A consumer that values a stablecoin at one dollar.
 */
export const depeg = defineMarketFault({
  name: 'market/depeg',
  isFollowed: true,
  times: ['over'],
  options: z.strictObject({
    /** The factor at the end of the slide. */
    to: option(number(0.001, 1000), 0.88),
    /** The duration of the slide. */
    over: option(duration, '5m'),
  }),
  path: (path, context) => transformedPath(path, context, rampTo(context.options.to, context.options.over)),
})
