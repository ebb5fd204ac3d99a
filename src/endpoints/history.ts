// GET /prices/queryHistory: the highest and the lowest price of each feed over some minutes (interface 4.3).
import * as z from 'zod/mini'
import { defineEndpoint } from '../service/endpoint.js'
import type { EndpointContext } from '../service/endpoint-context.js'
import { toSignedPrice } from './latest.js'
import { feedIds, minutes, select } from './parameters.js'
import { signedPriceSchema } from './replies.js'

/** By requested id; `price` in units of 10^expo, `ts` the second at which the price occurred. */
export const history = defineEndpoint({
  name: 'history',
  summary: 'Highest and lowest price of each feed over a trailing window of minutes',
  description: 'By requested id; `price` in units of 10^expo, `ts` the second at which the price occurred.',
  path: '/prices/queryHistory',
  anyCase: true,
  base: 'prices',
  protected: true,
  parameters: { feedIds, minutes },
  reply: z.record(z.string(), z.object({ high: signedPriceSchema, low: signedPriceSchema })),
  answer(context: EndpointContext, { feedIds, minutes }) {
    const selected = select(context, feedIds, feed => context.extremes(feed, minutes))
    return Object.fromEntries(
      selected.map(({ id, found: { high, low } }) => [
        id,
        { high: toSignedPrice(context, high), low: toSignedPrice(context, low) },
      ]),
    )
  },
  *lookUps(context, { feedIds, minutes }) {
    for (const id of feedIds) {
      const feed = context.feed(id)
      if (feed !== undefined) yield context.extremes(feed, minutes)
    }
    const extra = context.extra(feedIds, feed => context.extremes(feed, minutes))
    if (extra !== undefined) yield extra
  },
})
