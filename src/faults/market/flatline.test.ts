import { expect, test } from 'vitest'
import { AT, describeMarketFault, observeAt, pairOf } from '../../../test/support/market-faults.js'

const FLATLINE = { fault: 'market/flatline', feeds: ['BTCUSD', 'TIAUSD'], from: '10s', for: '40s' }

test('default: each tick has a fresh ts and the price in force at the start', async () => {
  const ask = pairOf([FLATLINE])
  const { tick } = await observeAt(ask, 10, 'BTCUSD', 'calm')
  for (const second of [10, 11, 30, 49])
    expect((await observeAt(ask, second)).tick).toEqual({ price: tick!.price, ts: AT + second - 1 })
  expect((await observeAt(ask, 50)).tick).toEqual((await observeAt(ask, 50, 'BTCUSD', 'calm')).tick)
})

test('behavior: volume continues', async () => {
  const ask = pairOf([FLATLINE])
  const [actual, calm] = [await observeAt(ask, 40), await observeAt(ask, 40, 'BTCUSD', 'calm')]
  expect(actual.candles.map(({ volume }) => volume)).toEqual(calm.candles.map(({ volume }) => volume))
})

test('behavior: a feed with a long heartbeat also stays at the price in force at the start', async () => {
  const ask = pairOf([FLATLINE])
  const { tick } = await observeAt(ask, 10, 'TIAUSD')
  expect(tick).toEqual((await observeAt(ask, 10, 'TIAUSD', 'calm')).tick)
  const later = (await observeAt(ask, 40, 'TIAUSD')).tick!
  expect(later.price).toBe(tick!.price)
  expect(later.ts).toBe(Math.floor((AT + 40 - 3) / 8) * 8)
})

describeMarketFault('market/flatline', { beginsCalm: true })
