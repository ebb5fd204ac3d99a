import { expect, test } from 'vitest'
import { createCalls } from '../../../test/support/calls.js'
import { AT, describeMarketFault, observeAt, pairOf } from '../../../test/support/market-faults.js'
import { problemPaths } from '../../../test/support/problem-paths.js'

const badTick = (options: object = {}, times: object = { from: '10s', for: '40s' }, feeds = ['BTCUSD']) => ({
  fault: 'market/bad-tick',
  feeds,
  ...times,
  options,
})

test('default: only the first tick of the window is ten times too high', async () => {
  const ask = pairOf([badTick()])
  for (const second of [9, 10, 11, 30, 49]) {
    const { tick } = await observeAt(ask, second, 'BTCUSD', 'calm')
    const factor = second === 10 ? 10 : 1
    expect((await observeAt(ask, second)).tick).toEqual({ ts: tick!.ts, price: tick!.price * factor })
  }
})

test('behavior: history and one candle show the bad tick', async () => {
  const ask = pairOf([badTick()])
  const [actual, calm] = [await observeAt(ask, 40), await observeAt(ask, 40, 'BTCUSD', 'calm')]
  const bad = calm.candles.find(({ time }) => time / 1000 === AT + 9)!.close
  expect(actual.high).toBe(Math.round(bad * 1e9))
  expect(actual.candles.filter((candle, i) => candle.close !== calm.candles[i]!.close)).toMatchObject([
    { time: (AT + 9) * 1000, close: bad * 10 },
  ])
})

test('behavior: with a long heartbeat, it is the tick in force, while it lasts', async () => {
  const ask = pairOf([badTick({}, { from: '10s' }, ['TIAUSD'])])
  const { tick } = await observeAt(ask, 10, 'TIAUSD', 'calm')
  for (let second = 10; AT + second < tick!.ts + 8 + 3; second++)
    expect((await observeAt(ask, second, 'TIAUSD')).tick).toEqual({ ts: tick!.ts, price: tick!.price * 10 })
  const next = tick!.ts + 11 - AT
  expect((await observeAt(ask, next, 'TIAUSD')).tick).toEqual((await observeAt(ask, next, 'TIAUSD', 'calm')).tick)
})

test('behavior: after a gap, it is the first new tick', async () => {
  const ask = pairOf([{ fault: 'market/gap', feeds: ['BTCUSD'], from: '5s', for: '20s' }, badTick()])
  expect((await observeAt(ask, 24)).tick).toBeUndefined()
  const { tick } = await observeAt(ask, 25, 'BTCUSD', 'calm')
  expect((await observeAt(ask, 25)).tick).toEqual({ ts: tick!.ts, price: tick!.price * 10 })
  expect((await observeAt(ask, 26)).tick).toEqual((await observeAt(ask, 26, 'BTCUSD', 'calm')).tick)
})

test('args: factor: a factor below 1 lowers the price', async () => {
  const ask = pairOf([badTick({ factor: 0.001 })])
  const { tick } = await observeAt(ask, 10, 'BTCUSD', 'calm')
  expect((await observeAt(ask, 10)).tick!.price).toBe(Math.round(tick!.price / 1000 / 1e6) * 1e6)
  expect((await observeAt(ask, 40)).low).toBe(Math.round(tick!.price / 1000 / 1e6) * 1e6)
})

test('error: factor must be a number from 0.001 to 1000', () => {
  for (const factor of [0, -1, 1001, '10'])
    expect(problemPaths(() => pairOf([badTick({ factor })]))).toEqual(['SCENARIO_INVALID', 'faults[0].options.factor'])
})

describeMarketFault('market/bad-tick', {})

test('behavior: history finds the bad tick, wherever in the beat of the feed the window begins', () => {
  for (let from = 1; from <= 8; from++) {
    const faults = [badTick({}, { from: `${from}s`, for: '40s' }, ['USDCUSD'])]
    const { ask, mock } = createCalls({ scenario: { faults: faults as never } })
    mock.clock.advance(40)
    const { high, low } = ask('/prices/queryHistory?feedIds=USDCUSD&minutes=1').body.USDCUSD
    expect(Math.round(high.price / low.price), `${from}`).toBe(10)
  }
})
