import { expect, test } from 'vitest'
import { AT, describeMarketFault, observeAt, pairOf } from '../../../test/support/market-faults.js'
import { problemPaths } from '../../../test/support/problem-paths.js'
import { catalogueFeeds } from '../../market/feeds-file.js'
import { price } from './price.js'

const set = (options: object, id = 'BTCUSD') => ({
  fault: 'market/price',
  feeds: [id],
  from: '10s',
  for: '2m',
  options,
})

test('default: exactly this price at every tick, at once', async () => {
  const ask = pairOf([set({ price: 50_000 }), set({ price: 0.5 }, 'TIAUSD')])
  for (const second of [10, 11, 129])
    expect((await observeAt(ask, second)).tick).toEqual({ price: 50_000e8, ts: AT + second - 1 })
  for (const second of [10, 30]) expect((await observeAt(ask, second, 'TIAUSD')).tick?.price).toBe(0.5e8)
  const { high, low, candles } = await observeAt(ask, 115)
  expect([high, low]).toEqual([50_000e8, 50_000e8])
  for (const { open, high, low, close, avg } of candles)
    expect([open, high, low, close, avg]).toEqual(Array(5).fill(50_000))
})

test('args: over: from the price in force, in a straight line', async () => {
  const ask = pairOf([set({ price: 50_000, over: '40s' })])
  const start = (await observeAt(ask, 10, 'BTCUSD', 'calm')).tick!.price
  for (const second of [10, 11, 20, 49, 50, 51, 100]) {
    const passed = Math.min(1, (second - 10) / 40)
    const wanted = Math.round((start + (50_000e8 - start) * passed) / 1e5) * 1e5
    expect((await observeAt(ask, second)).tick?.price, `${second}`).toBe(wanted)
  }
  const { high, low } = await observeAt(ask, 60)
  expect(low).toBe(50_000e8)
  expect(high).toBeGreaterThan(50_000e8)
})

test('behavior: a price between two steps is rounded to the nearest step', async () => {
  const ask = pairOf([set({ price: 50_000.0004 })])
  expect((await observeAt(ask, 20)).tick?.price).toBe(50_000e8)
})

test('error: the price must fit the feed', () => {
  expect(problemPaths(() => pairOf([set({ price: 1e-6 })]))).toEqual(['SCENARIO_INVALID', 'faults[0].options'])
  expect(problemPaths(() => pairOf([set({ price: 1e12 })]))).toEqual(['SCENARIO_INVALID', 'faults[0].options'])
})

describeMarketFault('market/price', { options: { price: 100 }, refused: { price: [undefined, 0] } })

test('behavior: the ends of the range in the error are prices that a feed can have', () => {
  const feeds = catalogueFeeds()
  for (const feed of feeds) {
    const [least, most] = price.fits!({ price: 1e15 }, feed)!
      .match(/from (\S+) to (\S+),/)!
      .slice(1)
      .map(Number)
    expect(
      [least, most].map(end => price.fits!({ price: end! }, feed)),
      feed.id,
    ).toEqual([undefined, undefined])
  }
})
