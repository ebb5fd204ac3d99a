import { expect, test } from 'vitest'
import { AT, describeMarketFault, pairOf, tellAt } from '../../../test/support/market-faults.js'
import { problemPaths } from '../../../test/support/problem-paths.js'

const badTick = (options: object = {}, times: object = { from: '10s', for: '40s' }, feeds = ['BTCUSD']) => ({
  fault: 'market/bad-tick',
  feeds,
  ...times,
  options,
})

test('default: the first tick of the window is ten times too high, and no other', async () => {
  const ask = pairOf([badTick()])
  for (const second of [9, 10, 11, 30, 49]) {
    const { tick } = await tellAt(ask, second, 'BTCUSD', 'calm')
    const factor = second === 10 ? 10 : 1
    expect((await tellAt(ask, second)).tick).toEqual({ ts: tick!.ts, price: tick!.price * factor })
  }
})

test('behavior: history and one candle keep it', async () => {
  const ask = pairOf([badTick()])
  const [told, calm] = [await tellAt(ask, 40), await tellAt(ask, 40, 'BTCUSD', 'calm')]
  const bad = calm.candles.find(({ time }) => time / 1000 === AT + 9)!.close
  expect(told.high).toBe(Math.round(bad * 1e9))
  expect(told.candles.filter((candle, i) => candle.close !== calm.candles[i]!.close)).toMatchObject([
    { time: (AT + 9) * 1000, close: bad * 10 },
  ])
})

test('behavior: of a feed that ticks seldom it is the tick in force, as long as that is', async () => {
  const ask = pairOf([badTick({}, { from: '10s' }, ['TIAUSD'])])
  const { tick } = await tellAt(ask, 10, 'TIAUSD', 'calm')
  for (let second = 10; AT + second < tick!.ts + 8 + 3; second++)
    expect((await tellAt(ask, second, 'TIAUSD')).tick).toEqual({ ts: tick!.ts, price: tick!.price * 10 })
  const next = tick!.ts + 11 - AT
  expect((await tellAt(ask, next, 'TIAUSD')).tick).toEqual((await tellAt(ask, next, 'TIAUSD', 'calm')).tick)
})

test('behavior: of a feed that has gone it is the first tick that comes again', async () => {
  const ask = pairOf([{ fault: 'market/gap', feeds: ['BTCUSD'], from: '5s', for: '20s' }, badTick()])
  expect((await tellAt(ask, 24)).tick).toBeUndefined()
  const { tick } = await tellAt(ask, 25, 'BTCUSD', 'calm')
  expect((await tellAt(ask, 25)).tick).toEqual({ ts: tick!.ts, price: tick!.price * 10 })
  expect((await tellAt(ask, 26)).tick).toEqual((await tellAt(ask, 26, 'BTCUSD', 'calm')).tick)
})

test('args: factor: it may be too low as well', async () => {
  const ask = pairOf([badTick({ factor: 0.001 })])
  const { tick } = await tellAt(ask, 10, 'BTCUSD', 'calm')
  expect((await tellAt(ask, 10)).tick!.price).toBe(Math.round(tick!.price / 1000 / 1e6) * 1e6)
  expect((await tellAt(ask, 40)).low).toBe(Math.round(tick!.price / 1000 / 1e6) * 1e6)
})

test('error: a factor is a number from 0.001 to 1000', () => {
  for (const factor of [0, -1, 1001, '10'])
    expect(problemPaths(() => pairOf([badTick({ factor })]))).toEqual(['SCENARIO_INVALID', 'faults[0].options.factor'])
})

describeMarketFault('market/bad-tick', {})
