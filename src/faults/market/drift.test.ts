import { expect, test } from 'vitest'
import { describeMarketFault, observeAt, pairOf } from '../../../test/support/market-faults.js'

const drift = (options: object) => ({ fault: 'market/drift', feeds: ['BTCUSD'], from: '10s', options })
const scaled = (price: number, factor: number) => Math.round((price * factor) / 1e5) * 1e5

test('default: ten percent up in an hour, in a straight line', async () => {
  const ask = pairOf([drift({})])
  for (const second of [10, 11, 40, 1810, 3610, 7210]) {
    const { tick } = await observeAt(ask, second, 'BTCUSD', 'calm')
    const factor = 1 + (0.1 * (second - 10)) / 3600
    expect((await observeAt(ask, second)).tick, `${second}`).toEqual({
      ts: tick!.ts,
      price: scaled(tick!.price, factor),
    })
  }
})

test.each([
  [100, '1s', 100],
  [-100, '1s', 0.01],
])('args: change %d per %s ends at a factor of %d', async (change, per, factor) => {
  const ask = pairOf([drift({ change, per })])
  const { tick } = await observeAt(ask, 15, 'BTCUSD', 'calm')
  expect((await observeAt(ask, 15)).tick?.price).toBe(scaled(tick!.price, factor))
})

describeMarketFault('market/drift', { beginsCalm: true, refused: { per: ['0s'] } })
