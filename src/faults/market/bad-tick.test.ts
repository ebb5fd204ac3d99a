import { expect, test } from 'vitest'
import { createCalls } from '../../../test/support/calls.js'
import { AT, describeMarketFault, observeAt, pairOf } from '../../../test/support/market-faults.js'
import { everyTick } from '../../../test/support/paths.js'

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

test('args: hold: the wrong price is repeated with fresh times, then the market is back', async () => {
  const ask = pairOf([badTick({ hold: '20s' })])
  const { tick: first } = await observeAt(ask, 10, 'BTCUSD', 'calm')
  for (const second of [9, 10, 11, 20, 29, 30, 49]) {
    const { tick } = await observeAt(ask, second, 'BTCUSD', 'calm')
    const price = second >= 10 && second < 30 ? first!.price * 10 : tick!.price
    expect((await observeAt(ask, second)).tick, `${second}`).toEqual({ ts: tick!.ts, price })
  }
})

test('args: hold: it ends with the window, and each repetition holds its own price', async () => {
  const ask = pairOf([badTick({ hold: '1h' }, { from: '10s', for: '5s', repeat: '20s' })])
  for (const from of [10, 30, 50]) {
    const { tick: first } = await observeAt(ask, from, 'BTCUSD', 'calm')
    for (const second of [from, from + 4])
      expect((await observeAt(ask, second)).tick!.price, `${second}`).toBe(first!.price * 10)
    const after = await observeAt(ask, from + 5, 'BTCUSD', 'calm')
    expect((await observeAt(ask, from + 5)).tick, `${from + 5}`).toEqual(after.tick)
  }
})

test('behavior: high, low and their seconds are those of all ticks, wherever a look-up begins', () => {
  for (const options of [
    { hold: '25s' },
    { hold: '7s', factor: 0.4 },
    { hold: '1h', factor: 1.0001 },
    { factor: 1.0001 },
  ]) {
    // The last one in so many windows that they are searched together.
    const times = 'hold' in options ? { for: '40s', repeat: '90s' } : { for: '5s', repeat: '15s' }
    const feeds = ['BTCUSD', 'TIAUSD', 'USDCUSD']
    const { session } = createCalls({
      scenario: { faults: [badTick(options, { from: '10s', ...times }, feeds)] as never },
    })
    const { stage, market } = session().runtime
    for (const id of feeds) {
      const path = stage.path(market.feed(id)!)
      for (let i = 0; i < 40; i++) {
        const from = AT - 20 + i * 7
        const to = from + 1 + ((i * 37) % 200)
        expect(path.extremes(from, to), `${id} ${from} ${to}`).toEqual(everyTick(path, from, to))
      }
    }
  }
})

test('behavior: with market/stale in the same window, the wrong price is the last one', async () => {
  const times = { from: '10s', for: '60s' }
  const ask = pairOf([badTick({}, times), { fault: 'market/stale', feeds: ['BTCUSD'], ...times }])
  const { tick: first } = await observeAt(ask, 10, 'BTCUSD', 'calm')
  for (const second of [10, 40, 69])
    expect((await observeAt(ask, second)).tick).toEqual({ ts: first!.ts, price: first!.price * 10 })
  expect((await observeAt(ask, 70)).tick).toEqual((await observeAt(ask, 70, 'BTCUSD', 'calm')).tick)
})

describeMarketFault('market/bad-tick', { refused: { factor: [0, -1, 1001, '10'] } })
describeMarketFault('market/bad-tick', { options: { hold: '6s' } })
