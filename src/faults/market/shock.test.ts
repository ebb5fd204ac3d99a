import { expect, test } from 'vitest'
import { describeMarketFault, observeAt, pairOf } from '../../../test/support/market-faults.js'

const shock = (options: object, id = 'BTCUSD') => ({
  fault: 'market/shock',
  feeds: [id],
  from: '10s',
  for: '40s',
  options,
})
const STEP = 100_000
const scaled = (price: number, factor: number, step = STEP) => Math.round((price * factor) / step) * step

test('default: twenty percent down at once, from the tick in force, and prices keep moving', async () => {
  const ask = pairOf([shock({})])
  for (const second of [10, 11, 30, 49]) {
    const { tick } = await observeAt(ask, second, 'BTCUSD', 'calm')
    expect((await observeAt(ask, second)).tick).toEqual({ ts: tick!.ts, price: scaled(tick!.price, 0.8) })
  }
})

test('behavior: history and candles show the jump', async () => {
  const ask = pairOf([shock({ change: 0.5 })])
  const [actual, calm] = [await observeAt(ask, 30), await observeAt(ask, 30, 'BTCUSD', 'calm')]
  expect(actual.high! / actual.low!).toBeCloseTo(1.5, 2)
  expect(actual.low).toBeGreaterThanOrEqual(calm.low!)
  expect(actual.candles.map(({ time, volume }) => [time, volume])).toEqual(
    calm.candles.map(({ time, volume }) => [time, volume]),
  )
})

test('args: over: in a straight line, then constant', async () => {
  const ask = pairOf([shock({ change: 1, over: '20s' })])
  for (const [second, factor] of [
    [10, 1],
    [11, 1.05],
    [20, 1.5],
    [30, 2],
    [49, 2],
  ] as const) {
    const { tick } = await observeAt(ask, second, 'BTCUSD', 'calm')
    expect((await observeAt(ask, second)).tick?.price, `${second}`).toBe(scaled(tick!.price, factor))
  }
})

test('args: change: with a long heartbeat, the tick in force changes, not only the next one', async () => {
  const ask = pairOf([shock({ change: -0.5 }, 'TIAUSD')])
  const calm = (await observeAt(ask, 10, 'TIAUSD', 'calm')).tick!
  expect((await observeAt(ask, 10, 'TIAUSD')).tick).toEqual({ ts: calm.ts, price: scaled(calm.price, 0.5, 1) })
})

test('args: change: no price falls below a step', async () => {
  const ask = pairOf([shock({ change: -0.999 }), shock({ change: -0.999 }), shock({ change: -0.999 })])
  expect((await observeAt(ask, 20)).tick?.price).toBe(STEP)
})

describeMarketFault('market/shock', { refused: { change: [-1] } })
