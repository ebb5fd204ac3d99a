// market/path: the price follows given points.
import * as z from 'zod/mini'
import { getOrCreate, oncePerObject } from '../../caches.js'
import type { Feed } from '../../market/feeds.js'
import { alongLevels, fitsFeed, type Level, toUnits } from '../../market/levels.js'
import { transformedPath } from '../../market/price-transform.js'
import { defineMarketFault } from '../fault.js'
import { offset, quotePrice } from '../options.js'

/** Maximum number of points: a day in steps of nine seconds. A longer course is a series. */
export const MAX_POINTS = 10_000
const WANT_POINTS = `1 to ${MAX_POINTS} points, each later than the one before`
const points = z.array(z.strictObject({ at: offset, price: quotePrice }), { error: WANT_POINTS }).check(
  z.minLength(1, { error: WANT_POINTS }),
  z.maxLength(MAX_POINTS, { error: WANT_POINTS }),
  z.refine(list => list.every(({ at }, i) => i === 0 || at > list[i - 1]!.at), { error: WANT_POINTS }),
)

interface Points {
  readonly points: readonly { readonly at: number; readonly price: number }[]
}

/** The levels of points by exponent: feeds with the same one share them, because there can be thousands. */
const levelsByExpo = oncePerObject((_options: Points) => new Map<number, readonly Level[]>())

function levelsOf(options: Points, feed: Feed): readonly Level[] {
  return getOrCreate(levelsByExpo(options), feed.expo, () =>
    options.points.map(({ at, price }) => ({ at, price: toUnits(price, feed) })),
  )
}

/**
 * The price goes in straight lines from the one in force through `points`, and stays at the last one.
 * @catches Code that depends on a certain course of the price: a wick, a double top, a squeeze.
 */
export const path = defineMarketFault({
  name: 'market/path',
  isFollowed: true,
  times: ['points'],
  options: z.strictObject({
    /** The points, each `{"at": "1m", "price": 45000}`: a time from the start of the window, and a price in quote units. */
    points: points,
  }),
  example: {
    points: [
      { at: '0s', price: 60000 },
      { at: '1m', price: 45000 },
      { at: '5m', price: 58000 },
    ],
  },
  fits: ({ points }, feed) => points.map(({ price }) => fitsFeed(price, feed)).find(want => want !== undefined),
  path: (path, context) => {
    const { options, feed, leader } = context
    return transformedPath(path, context, alongLevels(path, levelsOf(options, leader?.feed ?? feed), leader))
  },
})
