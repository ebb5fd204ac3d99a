import { expect, test } from 'vitest'
import { replyOf } from '../../../test/support/ask.js'
import {
  AT,
  describeMarketFault,
  expectCalm,
  observeAt,
  pairOf,
  targetOf,
} from '../../../test/support/market-faults.js'
import { problemPaths } from '../../../test/support/problem-paths.js'
import { createMock } from '../../index.js'

const stale = (options: object, times: object = { from: '10s', for: '40s' }, feeds = ['BTCUSD']) => ({
  fault: 'market/stale',
  feeds,
  ...times,
  options,
})

test('default: the tick in force at the start is served throughout, with its own ts', async () => {
  const ask = pairOf([stale({})])
  const first = (await observeAt(ask, 10)).tick
  expect(first?.ts).toBe(AT + 9)
  for (const second of [11, 30, 49]) expect((await observeAt(ask, second)).tick).toEqual(first)
  expect((await observeAt(ask, 50)).tick?.ts).toBe(AT + 49)
})

test('behavior: candles carry the price, and suppressed ticks are never published', async () => {
  const ask = pairOf([stale({})])
  const { tick, candles, high, low } = await observeAt(ask, 49)
  const silent = candles.filter(({ time }) => time / 1000 > AT + 9)
  expect(silent).toHaveLength(39)
  for (const { open, high, low, close } of silent)
    expect([open, high, low, close]).toEqual(Array(4).fill(tick!.price / 1e8))
  expect(new Set(silent.map(({ volume }) => volume))).toEqual(new Set([0]))
  expect(candles.filter(({ volume }) => volume > 0).at(-1)!.time / 1000).toBe(AT + 9)
  const before = candles.filter(({ time }) => time / 1000 > AT + 49 - 60).map(({ close }) => Math.round(close * 1e8))
  expect([high, low]).toEqual([Math.max(...before), Math.min(...before)])
  const later = await observeAt(ask, 60)
  expect(later.candles.filter(({ time }) => time / 1000 > AT + 9 && time / 1000 <= AT + 48)).toEqual(
    (await observeAt(ask, 49)).candles.filter(({ time }) => time / 1000 > AT + 9),
  )
})

test('args: age: every endpoint answers as of that long ago', async () => {
  // A separate mock, because setting a clock to before the scenario's start restarts the scenario there.
  const [ask, past] = [pairOf([stale({ age: '30s' })]), pairOf([])]
  for (const second of [10, 11, 30, 49]) {
    const [now, then] = [await observeAt(ask, second), await observeAt(past, second - 30, 'BTCUSD', 'calm')]
    expect(now.tick).toEqual(then.tick)
    expect(now.tick?.ts).toBe(AT + second - 31)
    expect(now.candles).toEqual(then.candles)
  }
})

test('args: age: a frozen clock shows it at once', async () => {
  const ask = pairOf([stale({ age: '5m' }, {})])
  expect((await observeAt(ask, 0)).tick?.ts).toBe(AT - 301)
})

test('args: age: history looks back from the present, and falls back to the last tick', async () => {
  const ask = pairOf([stale({ age: '5m' }, {})])
  const { tick, high, low } = await observeAt(ask, 0)
  expect([high, low]).toEqual([tick!.price, tick!.price])
})

test('args: age: ticks held back at the end are never published', async () => {
  const ask = pairOf([stale({ age: '15s' })])
  // The last answer under the fault is the tick of 49 − 15 − 1.
  expect((await observeAt(ask, 49)).tick?.ts).toBe(AT + 33)
  const { tick, candles } = await observeAt(ask, 50)
  expect(tick?.ts).toBe(AT + 49)
  const calm = await observeAt(ask, 50, 'BTCUSD', 'calm')
  const held = candles.filter(({ time }) => time / 1000 > AT + 33 && time / 1000 < AT + 49)
  expect(held).toHaveLength(15)
  const last = calm.candles.find(({ time }) => time / 1000 === AT + 33)!.close
  expect(held.map(({ close }) => close)).toEqual(Array(15).fill(last))
  expect(candles.filter(({ time }) => time / 1000 <= AT + 33)).toEqual(
    calm.candles.filter(({ time }) => time / 1000 <= AT + 33),
  )
})

test('args: age: an age longer than the window holds back the whole window', async () => {
  const ask = pairOf([stale({ age: '2m' }, { from: '10s', for: '5s' })])
  expect((await observeAt(ask, 12)).tick?.ts).toBe(AT + 12 - 121)
  const { candles } = await observeAt(ask, 20)
  const calm = await observeAt(ask, 20, 'BTCUSD', 'calm')
  const isOverridden = ({ time }: { time: number }) => time / 1000 >= AT + 9 && time / 1000 < AT + 14
  const before = calm.candles.find(({ time }) => time / 1000 === AT + 8)!.close
  expect(candles.filter(isOverridden).map(({ close }) => close)).toEqual(Array(5).fill(before))
  expect(candles.filter(candle => !isOverridden(candle))).toEqual(calm.candles.filter(candle => !isOverridden(candle)))
})

test('args: age: other feeds are not affected', async () => {
  const ask = pairOf([stale({ age: '1m' }, {})])
  expectCalm(await ask(30, targetOf('latest', 'ETHUSD')), 'ETHUSD')
  const { wire, calm } = await ask(30, '/prices/batch?feedIds=ETHUSD,BTCUSD')
  const [eth, btc] = JSON.parse(wire.body).prices
  expect(eth).toEqual(JSON.parse(calm.body).prices[0])
  expect(btc.ts).toBe(AT + 30 - 61)
})

test('error: age must be a duration', () => {
  expect(problemPaths(() => pairOf([stale({ age: 30 })]))).toEqual(['SCENARIO_INVALID', 'faults[0].options.age'])
})

describeMarketFault('market/stale', { beginsCalm: true })

test('args: age: of several faults the oldest age counts and is reported', () => {
  const mock = createMock({
    clock: { at: AT, frozen: true },
    scenario: { faults: ['1m', '3m', '2m'].map(age => stale({ age }, {})) as never },
  })
  const target = targetOf('latest', 'BTCUSD')
  const answer = mock.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 })!
  expect(JSON.parse(replyOf(answer).body).ts).toBe(AT - 181)
  expect(mock.sessions.default.state.faults.map(({ hits }) => hits)).toEqual([0, 1, 0])
})
