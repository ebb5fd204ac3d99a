import { expect, test } from 'vitest'
import { type Batch, replyOf } from '../../../test/support/ask.js'
import { createCalls } from '../../../test/support/calls.js'
import {
  AT,
  describeMarketFault,
  expectCalm,
  observeAt,
  pairOf,
  targetOf,
} from '../../../test/support/market-faults.js'
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
  // Not each second has trade: up to the fault, those of a calm market have it.
  const lastTraded = (some: typeof candles) =>
    some.filter(({ time, volume }) => volume > 0 && time / 1000 <= AT + 9).at(-1)!.time
  expect(candles.filter(({ volume }) => volume > 0).at(-1)!.time).toBe(
    lastTraded((await observeAt(ask, 49, 'BTCUSD', 'calm')).candles),
  )
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
    // A reply shows the tick of the second before.
    const [now, then] = [await observeAt(ask, second), await observeAt(past, second - 29, 'BTCUSD', 'calm')]
    expect(now.tick).toEqual(then.tick)
    expect(now.tick?.ts).toBe(AT + second - 30)
    expect(now.candles).toEqual(then.candles)
  }
})

test.each(['1s', '59s', '60s', '61s', '1h'])('args: age: %s is now − ts, for every feed at every second', age => {
  const scenario = {
    faults: [{ fault: 'market/stale', from: '2s', for: '9s', repeat: '12s', options: { age } }] as never,
  }
  const { ask, mock } = createCalls({ clock: { at: AT, frozen: true }, policy: { maxFeedIds: 200 }, scenario })
  const ids = mock.sessions.default.runtime.market.feeds.map(({ id }) => id)
  for (const second of [2, 3, 7, 10, 14, 17]) {
    mock.clock.set(AT + second)
    const { prices } = ask(`/prices/batch?feedIds=${ids}`).body as Batch
    expect(new Set(prices.map(({ ts }) => `${AT + second - ts}s`)), `${second}`).toEqual(
      new Set([age.replace('1h', '3600s')]),
    )
  }
})

test('args: age: between two ticks the price is the one in force', async () => {
  const ask = pairOf([stale({ age: '1m' }, {}, ['TIAUSD'])])
  for (let second = 0; second < 16; second++) {
    const { tick, candles, low } = await observeAt(ask, second, 'TIAUSD')
    const at = candles.find(({ time }) => time / 1000 === tick!.ts)!
    expect([at.open, at.close], `${second}`).toEqual([tick!.price / 1e8, tick!.price / 1e8])
    expect(low, `${second}`).toBeLessThanOrEqual(tick!.price)
    expect(AT + second - tick!.ts).toBe(60)
  }
})

test('args: price: last: the last price before the window, with the exact age', async () => {
  const ask = pairOf([
    { fault: 'market/shock', feeds: ['BTCUSD', 'TIAUSD'], from: '5s', options: { change: -0.4 } },
    stale({ age: '5m', price: 'last' }, { from: '20s', for: '40s' }, ['BTCUSD', 'TIAUSD']),
  ])
  for (const id of ['BTCUSD', 'TIAUSD']) {
    const before = await observeAt(ask, 20, id)
    const calm = (await observeAt(ask, 20, id, 'calm')).tick!
    expect(before.tick!.price / calm.price).toBeCloseTo(0.6, 6)
    for (const second of [20, 21, 33, 59]) {
      const { tick, candles } = await observeAt(ask, second, id)
      expect(tick).toEqual({ price: before.tick!.price, ts: AT + second - 300 })
      // Charts show the crash, and nothing since then.
      const lows = candles.map(({ low }) => low)
      expect(Math.min(...lows) < 0.7 * Math.max(...lows), id).toBe(true)
      expect(candles.at(-1)!.time / 1000).toBe(AT + second - (id === 'BTCUSD' ? 1 : 3))
    }
    const after = (await observeAt(ask, 70, id)).tick!
    expect(after.ts).toBe((await observeAt(ask, 70, id, 'calm')).tick!.ts)
  }
})

test('args: price: last: no ts is before 1970', () => {
  const scenario = { faults: [stale({ age: '5m', price: 'last' }, {})] as never }
  const { ask } = createCalls({ clock: { at: 30, frozen: true }, scenario })
  expect(ask(targetOf('latest', 'BTCUSD')).body).toMatchObject({ ts: 0 })
})

test('args: age: history looks back from the present, and falls back to the last tick', async () => {
  const ask = pairOf([stale({ age: '5m' }, {})])
  const { tick, high, low } = await observeAt(ask, 0)
  expect([high, low]).toEqual([tick!.price, tick!.price])
})

test('args: age: ticks held back at the end are never published', async () => {
  const ask = pairOf([stale({ age: '15s' })])
  // The last answer under the fault is the tick of 49 − 15.
  expect((await observeAt(ask, 49)).tick?.ts).toBe(AT + 34)
  const { tick, candles } = await observeAt(ask, 50)
  expect(tick?.ts).toBe(AT + 49)
  const calm = await observeAt(ask, 50, 'BTCUSD', 'calm')
  const held = candles.filter(({ time }) => time / 1000 > AT + 34 && time / 1000 < AT + 49)
  expect(held).toHaveLength(14)
  const last = calm.candles.find(({ time }) => time / 1000 === AT + 34)!.close
  expect(held.map(({ close }) => close)).toEqual(Array(14).fill(last))
  expect(candles.filter(({ time }) => time / 1000 <= AT + 34)).toEqual(
    calm.candles.filter(({ time }) => time / 1000 <= AT + 34),
  )
})

test('args: age: an age longer than the window holds back the whole window', async () => {
  const ask = pairOf([stale({ age: '2m' }, { from: '10s', for: '5s' })])
  expect((await observeAt(ask, 12)).tick?.ts).toBe(AT + 12 - 120)
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
  expect(btc.ts).toBe(AT + 30 - 60)
})

describeMarketFault('market/stale', { beginsCalm: true, refused: { age: [30] } })

test('args: age: of several faults the oldest age counts and is reported', () => {
  const mock = createMock({
    clock: { at: AT, frozen: true },
    scenario: { faults: ['1m', '3m', '2m'].map(age => stale({ age }, {})) as never },
  })
  const target = targetOf('latest', 'BTCUSD')
  const answer = mock.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 })!
  expect(JSON.parse(replyOf(answer).body).ts).toBe(AT - 180)
  expect(mock.sessions.default.record.counters.faults.map(({ hits }) => hits)).toEqual([0, 1, 0])
})
