// GET /_mock/sessions/{id}/candles: the prices that replies had, have and will have.
import { expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'

async function show(calls: ReturnType<typeof createCalls>, query: string, session = 'default') {
  const { status, body } = await calls.admin('GET', `/_mock/sessions/${session}/candles?feed=BTCUSD&${query}`)
  return { status, ...JSON.parse(body) }
}
const latest = (calls: ReturnType<typeof createCalls>) => calls.ask('/prices/BTCUSD/latest').body.price / 1e8
const SHOCK = { fault: 'market/shock', feeds: ['BTCUSD'], from: '20s', options: { change: -0.3 } } as const
const STALE = { fault: 'market/stale', feeds: ['BTCUSD'], from: '40s', for: '20s', options: { age: '5m' } } as const

it('behavior: candles drawn ahead come true, second by second, also while the feed is held back', async () => {
  const calls = createCalls({ scenario: { faults: [SHOCK, STALE] } })
  const { served, own } = await show(calls, `from=${NOW}&to=${NOW + 70}&step=1`)
  expect(served).toHaveLength(71)
  for (const candle of served) {
    expect([candle.time, candle.close]).toEqual([candle.time, latest(calls)])
    calls.mock.clock.advance(1)
  }
  const plain = await show(createCalls(), `from=${NOW}&to=${NOW + 70}&step=1`)
  expect(own).toEqual(plain.served)
  expect(plain.own).toBeUndefined()
})

it('behavior: each time keeps the scenario and the prices that it had', async () => {
  const calls = createCalls({ scenario: { faults: [SHOCK] } })
  const seen: [number, number][] = []
  for (let at = 0; at < 60; at += 10) {
    calls.mock.clock.set(NOW + at)
    seen.push([NOW + at, latest(calls)])
    calls.mock.clock.advance(1)
    if (at === 30) calls.mock.change({ scenario: 'calm' })
    if (at === 40) calls.mock.change({ prices: { BTCUSD: 50_000 } })
  }
  calls.mock.clock.advance(1)
  const { served } = await show(calls, `from=${NOW}&to=${NOW + 60}&step=1`)
  const closes = new Map(served.map(({ time, close }: { time: number; close: number }) => [time, close]))
  expect(seen.map(([at]) => [at, closes.get(at)])).toEqual(seen)
})

it('behavior: a time without a price is left out', async () => {
  const calls = createCalls({
    scenario: { faults: [{ fault: 'market/gap', feeds: ['BTCUSD'], from: '10s', for: '20s' }] },
  })
  const { served } = await show(calls, `from=${NOW}&to=${NOW + 40}&step=5`)
  const times = served.map(({ time }: { time: number }) => time - NOW)
  expect([times.includes(0), times.includes(15), times.includes(35)]).toEqual([true, false, true])
  expect((await show(calls, `from=${NOW + 9999}`)).served).toHaveLength(1)
})

it('error: more candles than one reply has, however many', async () => {
  const calls = createCalls()
  for (const [query, least] of [
    ['from=0&step=1', 4_394_372],
    ['from=0&to=4291747199&step=1', 10_756_259],
    ['from=0&step=60', 4_394_372],
  ] as const) {
    const { status, problems } = await show(calls, query)
    expect([status, problems]).toMatchObject([400, [{ at: 'step', want: `at least ${least} for this time` }]])
  }
})

it('behavior: a candle in which a price was set has both parts', async () => {
  const calls = createCalls()
  const before = latest(calls)
  calls.mock.clock.advance(20)
  calls.mock.change({ prices: { BTCUSD: before / 2 } })
  calls.mock.clock.advance(20)
  const minute = NOW - (NOW % 60)
  const { served } = await show(calls, `from=${NOW}&to=${NOW}&step=60`)
  const bySecond = await show(calls, `from=${minute}&to=${minute + 59}&step=1`)
  const all = (name: 'high' | 'low' | 'volume'): number[] =>
    bySecond.served.map((one: Record<string, number>) => one[name])
  expect(served).toEqual([
    {
      time: minute,
      open: bySecond.served[0].open,
      high: Math.max(...all('high')),
      low: Math.min(...all('low')),
      close: bySecond.served.at(-1).close,
      volume: expect.closeTo(
        all('volume').reduce((a, b) => a + b),
        5,
      ),
    },
  ])
  expect(served[0].low).toBeLessThan(before * 0.51)
})
