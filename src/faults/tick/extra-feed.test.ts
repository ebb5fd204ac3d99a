import { expect, it } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import { describeFault, expectActed, pairOf, targetOf } from '../../../test/support/request-faults.js'

const idsOf = (body: string): string[] => [...new Set(pricesOf(body).map(({ feedId }) => feedId))]

describeFault('tick/extra-feed', {
  on: ['batch', 'history', 'evm'],
  effect({ wire, calm }) {
    const [extra, ...asked] = idsOf(wire.body)
    expect(asked).toEqual(idsOf(calm.body))
    expect(extra).toMatch(/^(?!BTCUSD|ETHUSD|SOLUSD)\w+USD$/)
    expectGenuine(wire.body)
  },
})

it('args: feeds: beside which one of the same class comes', async () => {
  const { ask } = pairOf([{ fault: 'tick/extra-feed', feeds: ['USDTUSD'] }])
  for (const endpoint of ['batch', 'history', 'evm'] as const) {
    const pair = await ask(targetOf(endpoint, ['BTCUSD', 'USDTUSD', 'USDCUSD']))
    expectActed(pair, ['tick/extra-feed'])
    expect(idsOf(pair.wire.body)).toEqual(['DAIUSD', 'BTCUSD', 'USDTUSD', 'USDCUSD'])
  }
  const other = await ask(targetOf('batch', ['BTCUSD']))
  expect(other.wire.body).toBe(other.calm.body)
})

it('behavior: none where every feed of the class was asked for, or is left out', async () => {
  const stablecoins = ['USDTUSD', 'USDCUSD', 'DAIUSD', 'USDEUSD', 'FDUSDUSD', 'PYUSDUSD']
  const { ask } = pairOf([{ fault: 'tick/extra-feed' }, { fault: 'tick/missing-feed', feeds: ['EURUSD'] }])
  const all = await ask(targetOf('batch', stablecoins))
  expect(all.wire.body).toBe(all.calm.body)
  const none = await ask(targetOf('batch', ['EURUSD']))
  expect(none.wire.status).toBe(404)
})
