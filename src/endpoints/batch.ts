// GET /prices/batch: the latest prices of many feeds under one signature (interface 4.2).
import * as z from 'zod/mini'
import { defineEndpoint } from '../service/endpoint.js'
import type { EndpointContext } from '../service/endpoint-context.js'
import { feedIds, select } from './parameters.js'
import { batchPriceSchema } from './replies.js'

/** `price` in units of 10^expo, `ts` in seconds; one signature over all prices in the order of the reply. */
export const batch = defineEndpoint({
  name: 'batch',
  summary: 'Latest prices of many feeds, one signature for the whole batch',
  description: '`price` in units of 10^expo, `ts` in seconds; one signature over all prices in the order of the reply.',
  path: '/prices/batch',
  base: 'prices',
  protected: true,
  parameters: { feedIds },
  reply: z.object({ prices: z.array(batchPriceSchema), signature: z.string(), recoveryId: z.int32() }),
  answer(context: EndpointContext, { feedIds }) {
    const ticks = select(context, feedIds, context.latest).map(({ found }) => found)
    const { shown, signature, recoveryId } = context.sign('svm', ticks)
    const prices = shown.map(({ feedId, price, expo, ts }) => ({
      // The signed bytes hold the symbol, even if the reply shows the number.
      feedId: context.policy.batchFeedId === 'integer' ? context.feed(feedId)!.number : feedId,
      price: price as number,
      expo,
      ts,
    }))
    return { prices, signature, recoveryId }
  },
})
