// GET /prices/{feedId}/latest: the latest price of one feed with its own signature (interface 4.5).
import { defineEndpoint } from '../service/endpoint.js'
import type { EndpointContext } from '../service/endpoint-context.js'
import type { Tick } from '../signing/encode.js'
import { feedIdInPath, select } from './parameters.js'
import { signedPriceSchema } from './replies.js'

/** `price` in units of 10^expo, `ts` in seconds. */
export const latest = defineEndpoint({
  name: 'latest',
  summary: 'Latest price of one feed',
  description: '`price` in units of 10^expo, `ts` in seconds; the signature covers the price.',
  path: '/prices/{feedId}/latest',
  base: 'prices',
  protected: true,
  parameters: { feedId: feedIdInPath },
  reply: signedPriceSchema,
  answer(context: EndpointContext, { feedId }) {
    const [selected] = select(context, [feedId], context.latest)
    return toSignedPrice(context, selected!.found)
  },
})

/** A tick with a signature of its own, in the order of the interface's table. */
export function toSignedPrice(context: EndpointContext, tick: Tick) {
  const { shown, signature, recoveryId } = context.sign('svm', [tick])
  const { feedId, price, ts, expo } = shown[0]!
  return { feedId, price: price as number, ts, expo, signature, recoveryId }
}
