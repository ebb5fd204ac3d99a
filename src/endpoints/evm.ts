// GET /prices/evm/crypto: the latest prices of many feeds, each signed for EVM chains (interface 4.4).
import * as z from 'zod/mini'
import { defineEndpoint } from '../service/endpoint.js'
import type { EndpointContext } from '../service/endpoint-context.js'
import { feedIds, select } from './parameters.js'
import { evmPriceSchema } from './replies.js'

/** `price` in units of 10^expo, `ts` in seconds; each signature covers its price. */
export const evm = defineEndpoint({
  name: 'evm',
  summary: 'Latest prices of many feeds, each with its EVM signature',
  description: '`price` in units of 10^expo, `ts` in seconds; each signature covers its price.',
  path: '/prices/evm/crypto',
  base: 'prices',
  protected: true,
  parameters: { feedIds },
  reply: z.object({ prices: z.array(evmPriceSchema) }),
  answer(context: EndpointContext, { feedIds }) {
    const { evmClasses } = context.policy
    const served = select(context, feedIds, feed =>
      evmClasses === 'all' || evmClasses.includes(feed.class) ? context.latest(feed) : undefined,
    )
    return {
      prices: served.map(({ found: tick }) => {
        const { shown, signature } = context.sign('evm', [tick])
        const { feedId, price, ts, expo } = shown[0]!
        return { feedId, price: price as number, ts, expo, signature }
      }),
    }
  },
})
