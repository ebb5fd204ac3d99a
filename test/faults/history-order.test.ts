// Faults that replace prices keep the high of a history at or above its low, for every feed of the catalogue.
import { expect, it } from 'vitest'
import { parseExact } from '../../src/signing/verify.js'
import { mockWith } from '../support/request-faults.js'

type Price = { readonly price: number | bigint; readonly expo: number; readonly ts: number }
type Pair = Readonly<Record<'high' | 'low', Price>>
const toValue = ({ price, expo }: Price): number => Number(`${price}e${expo}`)

it.each([
  ['tick/ts-backwards', {}],
  ['tick/ts-backwards', { by: '1h' }],
  ['tick/negative', {}],
  ['tick/wrong-expo', {}],
  ['tick/other-expo', {}],
  ['tick/other-expo', { by: 5, only: 'low' }],
  ['tick/other-expo', { by: 5, only: 'high' }],
  ['signature/tampered-ts', {}],
  ['signature/tampered-ts', { age: '1h' }],
  ['signature/other-feed', {}],
])('behavior: %s with %j', async (fault, options) => {
  const { ask, mock } = mockWith([{ fault, options, requests: '1-9' }])
  const ids = mock.sessions.default.runtime.market.feeds.map(({ id }) => id)
  for (const minutes of [1, 60]) {
    const { body, faults } = await ask(`/prices/queryHistory?feedIds=${ids.join(',')}&minutes=${minutes}`)
    expect(faults).toEqual([fault])
    const pairs = Object.entries(parseExact(body) as Record<string, Pair>)
    expect(pairs).toHaveLength(ids.length)
    expect(pairs.filter(([, { high, low }]) => toValue(high) < toValue(low)).map(([id]) => id)).toEqual([])
  }
})

it('behavior: the two changes of a sign and of a time together', async () => {
  const { ask } = mockWith([{ fault: 'tick/negative' }, { fault: 'tick/ts-backwards', requests: '1' }])
  const { body } = await ask('/prices/queryHistory?feedIds=BTCUSD&minutes=60')
  const { high, low } = (parseExact(body) as { BTCUSD: Pair }).BTCUSD
  expect(high.price >= low.price).toBe(true)
})
