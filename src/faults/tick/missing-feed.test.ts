import { expect, it } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault, expectActed, pairOf, targetOf } from '../../../test/support/request-faults.js'

const idsOf = (body: string): string[] => [...new Set(pricesOf(body).map(({ feedId }) => feedId))]

describeFault('tick/missing-feed', {
  on: ['batch', 'history', 'evm'],
  effect({ wire, calm }) {
    expect(idsOf(wire.body)).toEqual(['BTCUSD', 'ETHUSD'])
    expect(pricesOf(calm.body)).toEqual(
      expect.arrayContaining(pricesOf(wire.body).map(one => expect.objectContaining(priceOf(one)))),
    )
    expectGenuine(wire.body)
  },
})

const priceOf = ({ feedId, price, expo, ts }: ReturnType<typeof pricesOf>[number]) => ({ feedId, price, expo, ts })

it('args: feeds: at any position of the request', async () => {
  const { ask } = pairOf([{ fault: 'tick/missing-feed', feeds: ['BTCUSD', 'SOLUSD'] }])
  for (const endpoint of ['batch', 'history', 'evm'] as const) {
    const pair = await ask(targetOf(endpoint))
    expectActed(pair, ['tick/missing-feed'])
    expect(idsOf(pair.wire.body)).toEqual(['ETHUSD'])
    expectGenuine(pair.wire.body)
  }
})

it('behavior: a request for only that feed is answered as an unknown feed', async () => {
  const { ask } = pairOf([{ fault: 'tick/missing-feed', feeds: ['BTCUSD'] }])
  for (const endpoint of ['latest', 'batch', 'history', 'evm'] as const) {
    const pair = await ask(targetOf(endpoint, ['BTCUSD']))
    expectActed(pair, ['tick/missing-feed'])
    const { wire: unknown } = await ask(targetOf(endpoint, ['NOPEUSD']))
    expect([pair.wire.status, pair.wire.body]).toEqual([404, unknown.body.replace('NOPEUSD', 'BTCUSD')])
  }
})

it('behavior: without feeds, the last of two is missing, and the only feed of a request stays', async () => {
  const { ask } = pairOf([{ fault: 'tick/missing-feed' }])
  expect(idsOf((await ask(targetOf('batch', ['BTCUSD', 'ETHUSD']))).wire.body)).toEqual(['BTCUSD'])
  const { wire, calm } = await ask(targetOf('batch', ['BTCUSD']))
  expect(wire.body).toBe(calm.body)
})
