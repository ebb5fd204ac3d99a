// market/price: the price is set.
import * as z from 'zod/mini'
import { alongLevels, fitsFeed, toUnits } from '../../market/levels.js'
import { transformedPath } from '../../market/price-transform.js'
import { defineMarketFault } from '../fault.js'
import { duration, quotePrice } from '../options.js'

/**
 * Every tick has this price, rounded to its step; with `over`, it first goes there in a straight line.
 * @catches Code that acts at a certain price, tested at exactly that price.
 */
export const price = defineMarketFault({
  name: 'market/price',
  isFollowed: true,
  times: ['over'],
  options: z.strictObject({
    /** The price, in quote units. */
    price: quotePrice,
    /** The time until the price is reached; by default none. */
    over: z.optional(duration),
  }),
  example: { price: 100, over: '30s' },
  fits: ({ price }, feed) => fitsFeed(price, feed),
  path: (path, context) => {
    const { options, feed, leader } = context
    const level = { at: options.over ?? 0, price: toUnits(options.price, leader?.feed ?? feed) }
    return transformedPath(path, context, alongLevels(path, [level], leader))
  },
})
