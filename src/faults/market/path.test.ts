import { expect, test } from 'vitest'
import { describeMarketFault, observeAt, pairOf } from '../../../test/support/market-faults.js'
import { problemPaths } from '../../../test/support/problem-paths.js'
import { createFetch } from '../../hosts/fetch.js'
import { createMock } from '../../index.js'

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

test('args: points: a later first point is reached from the price in force', async () => {
  const ask = pairOf([path(['20s', 100_000])])
  const start = (await observeAt(ask, 10, 'BTCUSD', 'calm')).tick!.price
  for (const second of [10, 15, 29, 30, 31]) {
    const wanted = Math.round((start + (100_000e8 - start) * Math.min(1, (second - 10) / 20)) / 1e5) * 1e5
    expect((await observeAt(ask, second)).tick?.price, `${second}`).toBe(wanted)
  }
})

test('error: points must be in order of time, with prices that fit the feed', () => {
  expect(problemPaths(() => pairOf([path()]))).toEqual(['SCENARIO_INVALID', 'faults[0].options.points'])
  expect(problemPaths(() => pairOf([path(['5s', 1], ['5s', 2])]))).toEqual([
    'SCENARIO_INVALID',
    'faults[0].options.points',
  ])
  const many = Array.from({ length: 10_001 }, (_, i) => [`${i}s`, 60_000] as const)
  expect(problemPaths(() => pairOf([path(...many)]))).toEqual(['SCENARIO_INVALID', 'faults[0].options.points'])
  expect(problemPaths(() => pairOf([path(['0s', 60_000], ['5s', 1e12])]))).toEqual([
    'SCENARIO_INVALID',
    'faults[0].options',
  ])
})

test('behavior: ten thousand points keep high and low exact', () => {
  const points = Array.from({ length: 10_000 }, (_, i) => ({
    at: `${9 * i}s` as const,
    price: 50_000 + ((i * 7919) % 20_011),
  }))
  const mock = createMock({ clock: { at: '2025-07-24T00:00:00Z', frozen: true } })
  const start = mock.clock.now() / 1000
  mock.setScenario({ faults: [{ fault: 'market/path', feeds: ['BTCUSD'], options: { points } }] })
  const { market, stage } = mock.sessions.default.runtime
  const path = stage.path(market.feed('BTCUSD')!)
  const prices = Array.from({ length: 90_000 }, (_, second) => path.at(start + second))
  for (let i = 0; i < 200; i++) {
    const from = start + ((i * 104_729) % 80_000)
    const to = from + ((i * 1301) % 9000)
    let high = { price: 0, ts: 0 }
    let low = { price: Number.POSITIVE_INFINITY, ts: 0 }
    for (let ts = from; ts <= to; ts++) {
      const price = prices[ts - start]!
      if (price > high.price) high = { price, ts }
      if (price < low.price) low = { price, ts }
    }
    expect(path.extremes(from, to)).toEqual({ high, low })
  }
})

test('behavior: a session takes ten thousand points, and its snapshot can be restored', async () => {
  const points = Array.from({ length: 10_000 }, (_, i) => ({ at: `${i}s`, price: 50_000 + i }))
  const scenario = { faults: [{ fault: 'market/path', feeds: ['BTCUSD'], options: { points } }] }
  const fetch = createFetch(createMock({ clock: { at: '2025-07-24T00:00:00Z', frozen: true } }))
  const post = async (path: string, body: object) => {
    const response = await fetch(`http://mock/_mock/sessions${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  expect((await post('', { id: 'a', scenario })).status).toBe(201)
  const { snapshot } = (await post('/a/snapshot', {})).body
  expect((await post('', { id: 'b' })).status).toBe(201)
  expect((await post('/b/restore', { snapshot })).status).toBe(200)
})

describeMarketFault('market/path', {
  options: {
    points: [
      { at: '0s', price: 60 },
      { at: '4s', price: 45 },
    ],
  },
})
