import { expect, test } from 'vitest'
import { AT, describeMarketFault, observeAt, pairOf } from '../../../test/support/market-faults.js'

const depeg = (options: object = {}) => ({
  fault: 'market/depeg',
  feeds: ['USDTUSD'],
  from: '10s',
  for: '20m',
  options,
})

test('default: a stablecoin slides to 88 cents in five minutes, and stays there', async () => {
  const ask = pairOf([depeg()])
  // The slide starts with its window, `lag` before it is visible, and shows with the next tick; USDT has one every four seconds.
  const ts = AT + 10 - 1
  for (const second of [10, 14, 160, 320, 900, 1209]) {
    const { tick } = await observeAt(ask, second, 'USDTUSD', 'calm')
    const factor = 1 - 0.12 * Math.min(1, Math.max(0, tick!.ts - ts) / 300)
    expect((await observeAt(ask, second, 'USDTUSD')).tick, `${second}`).toEqual({
      ts: tick!.ts,
      price: Math.round(tick!.price * factor),
    })
  }
  const { tick } = await observeAt(ask, 400, 'USDTUSD')
  expect(tick!.price / 1e8).toBeCloseTo(0.88, 2)
})

test('args: to and over: a factor above 1, reached in a second', async () => {
  const ask = pairOf([depeg({ to: 1.5, over: '1s' })])
  const [actual, calm] = [await observeAt(ask, 30, 'USDTUSD'), await observeAt(ask, 30, 'USDTUSD', 'calm')]
  expect(actual.tick!.price).toBe(Math.round(calm.tick!.price * 1.5))
  expect(actual.high).toBeGreaterThan(calm.high! * 1.49)
  expect(actual.low).toBeLessThanOrEqual(calm.high!)
})

describeMarketFault('market/depeg', { beginsCalm: true, refused: { to: [0] } })
