import { expect, test } from 'vitest'
import { describeMarketFault, observeAt, pairOf } from '../../../test/support/market-faults.js'
import { problemPaths } from '../../../test/support/problem-paths.js'

const path = (...points: readonly (readonly [at: string, price: number])[]) => ({
  fault: 'market/path',
  feeds: ['BTCUSD'],
  from: '10s',
  for: '2m',
  options: { points: points.map(([at, price]) => ({ at, price })) },
})

test('default: straight lines from point to point, then constant', async () => {
  const ask = pairOf([path(['0s', 60_000], ['10s', 45_000], ['30s', 58_000])])
  for (const [second, price] of [
    [10, 60_000],
    [11, 58_500],
    [19, 46_500],
    [20, 45_000],
    [21, 45_650],
    [40, 58_000],
    [41, 58_000],
    [129, 58_000],
  ] as const)
    expect((await observeAt(ask, second)).tick?.price, `${second}`).toBe(price * 1e8)
})

test('behavior: history and candles show the path', async () => {
  const ask = pairOf([path(['0s', 150_000], ['10s', 45_000], ['20s', 200_000], ['21s', 118_000])])
  const { high, low, candles } = await observeAt(ask, 50)
  expect([high, low]).toEqual([200_000e8, 45_000e8])
  expect(candles.map(({ close }) => close)).toEqual(expect.arrayContaining([150_000, 139_500, 45_000, 60_500, 200_000]))
})

test('args: points: a later first point is reached from the price in force', async () => {
  const ask = pairOf([path(['20s', 100_000])])
  const start = (await observeAt(ask, 10, 'BTCUSD', 'calm')).tick!.price
  for (const second of [10, 15, 29, 30, 31]) {
    const wanted = Math.round((start + (100_000e8 - start) * Math.min(1, (second - 10) / 20)) / 1e6) * 1e6
    expect((await observeAt(ask, second)).tick?.price, `${second}`).toBe(wanted)
  }
})

test('error: points must be in order of time, with prices that fit the feed', () => {
  expect(problemPaths(() => pairOf([path()]))).toEqual(['SCENARIO_INVALID', 'faults[0].options.points'])
  expect(problemPaths(() => pairOf([path(['5s', 1], ['5s', 2])]))).toEqual([
    'SCENARIO_INVALID',
    'faults[0].options.points',
  ])
  expect(problemPaths(() => pairOf([path(['0s', 60_000], ['5s', 1e12])]))).toEqual([
    'SCENARIO_INVALID',
    'faults[0].options',
  ])
})

describeMarketFault('market/path', {
  options: {
    points: [
      { at: '0s', price: 60 },
      { at: '4s', price: 45 },
    ],
  },
})
