// Faults and price overrides of a feed reach the feeds derived from it: by the same change, exactly, unless they are left out.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everyTick } from '../../test/support/paths.js'
import { failureOf, problemPaths } from '../../test/support/problem-paths.js'
import { check } from '../../test/support/seed.js'
import { createMock, type InlineScenario, type Mock } from '../index.js'
import { finish } from '../market/candles.js'
import type { Feed } from '../market/feeds.js'
import type { PricePath } from '../market/path.js'
import { restored } from './changes.js'
import { createMarketStage } from './market-stage.js'
import { readSnapshot, takeSnapshot } from './snapshot.js'
import { createWorkMeter } from './work-limit.js'

const NOW = 1_753_354_105
const HOUR = 3600

function mockWith(faults: InlineScenario['faults'] = [], feeds?: object) {
  return createMock({
    clock: { at: NOW, frozen: true },
    scenario: { faults },
    ...(feeds === undefined ? {} : { feeds: feeds as never }),
  })
}
const feedOf = (mock: Mock, id: string): Feed => mock.sessions.default.runtime.market.feed(id)!
/** The path of a feed as all endpoints read it, and the same without faults and overrides. */
function pathsOf(mock: Mock, id: string): { readonly feed: Feed; readonly path: PricePath; readonly calm: PricePath } {
  const { stage, market } = mock.sessions.default.runtime
  const feed = feedOf(mock, id)
  return { feed, path: stage.path(feed), calm: market.path(feed) }
}
/** The price that is answered at a second, and the tick it belongs to. */
function answeredAt(mock: Mock, id: string, now: number) {
  const { feed, path, calm } = pathsOf(mock, id)
  const ts = path.lastTick(now - feed.lag)!
  return { ts, price: path.at(ts), calm: calm.at(ts), step: feed.step }
}
/** The change of an answered price against the walk, and the uncertainty by rounding. */
function changeAt(mock: Mock, id: string, now: number) {
  const { price, calm, step } = answeredAt(mock, id, now)
  return { change: price / calm, rounding: step / calm }
}
function expectSameChange(mock: Mock, parent: string, child: string, now: number): void {
  expectClose(changeAt(mock, parent, now), changeAt(mock, child, now), `${child} ${now}`)
}
/** Two changes are equal but for the rounding of prices. */
function expectClose(a: ReturnType<typeof changeAt>, b: typeof a, name: string): void {
  expect(Math.abs(a.change - b.change), name).toBeLessThan(a.rounding + b.rounding + 1e-12)
}

const FOLLOWERS = {
  BTCUSD: ['WBTCUSD', 'LBTCUSD', 'CBBTCUSD'],
  ETHUSD: ['STETHUSD', 'WSTETHUSD', 'WEETHUSD', 'RETHUSD', 'CBETHUSD', 'WETHUSD'],
  SOLUSD: ['JITOSOLUSD'],
} as const
const PAIRS = Object.entries(FOLLOWERS).flatMap(([parent, children]) => children.map(child => [parent, child] as const))
const ALL = Object.keys(FOLLOWERS)

describe('a fault that changes the price of a market', () => {
  it.each([
    ['market/shock', { change: -0.4 }],
    ['market/drift', { change: 6, per: '1h' }],
    ['market/depeg', { to: 0.5, over: '10s' }],
  ] as const)('default: %s reaches derived feeds by the same factor', (fault, options) => {
    const mock = mockWith([{ fault, feeds: ALL, from: '10s', options } as never])
    for (const [parent, child] of PAIRS) {
      expect(changeAt(mock, child, NOW + 9).change, child).toBe(1)
      const { change } = changeAt(mock, child, NOW + 60)
      expect(Math.abs(change - 1), child).toBeGreaterThan(0.05)
      // A drift goes on, so a tick at another second has another factor.
      const isSteady = fault !== 'market/drift'
      if (isSteady) expectSameChange(mock, parent, child, NOW + 60)
      else expect(Math.abs(changeAt(mock, parent, NOW + 60).change / change - 1)).toBeLessThan(0.02)
    }
  })

  it.each([
    ['market/price', { price: 500 }],
    [
      'market/path',
      {
        points: [
          { at: '1s', price: 300 },
          { at: '40s', price: 500 },
        ],
      },
    ],
  ] as const)('default: %s changes derived feeds by the ratio of the parent since the start', (fault, options) => {
    const mock = mockWith([{ fault, feeds: ALL, from: '16s', options } as never])
    for (const [parent, child] of PAIRS) {
      const since = (id: string) => {
        const before = answeredAt(mock, id, NOW + 16)
        const { feed, calm } = pathsOf(mock, id)
        const start = calm.at(calm.lastTick(NOW + 16 - feed.lag)!)
        const { price, step } = answeredAt(mock, id, NOW + 120)
        return { ratio: price / start, rounding: step / start, before }
      }
      const [a, b] = [since(parent), since(child)]
      expect(Math.abs(a.ratio - b.ratio), child).toBeLessThan(a.rounding + b.rounding + 1e-12)
      const { price, step } = answeredAt(mock, parent, NOW + 120)
      expect(price, parent).toBe(Math.round((500 * 1e8) / step) * step)
    }
  })

  it('behavior: alone leaves derived feeds out', () => {
    for (const fault of ['market/shock', 'market/drift', 'market/depeg'] as const) {
      const mock = mockWith([{ fault, feeds: ['BTCUSD'], alone: true }])
      expect(changeAt(mock, 'BTCUSD', NOW + 600).change, fault).not.toBe(1)
      for (const child of FOLLOWERS.BTCUSD) expect(changeAt(mock, child, NOW + 600).change, fault).toBe(1)
    }
    const mock = mockWith([{ fault: 'market/price', feeds: ['BTCUSD'], alone: true, options: { price: 5 } }])
    expect(mock.sessions.default.runtime.scenario.faults[0]!.planned).toBe('BTCUSD alone')
    for (const child of FOLLOWERS.BTCUSD) expect(changeAt(mock, child, NOW + 600).change).toBe(1)
  })

  it('behavior: a feed that is named follows no other one: the change is not applied twice', () => {
    const mock = mockWith([{ fault: 'market/shock', feeds: ['BTCUSD', 'WBTCUSD'], options: { change: -0.5 } }])
    for (const id of ['BTCUSD', 'WBTCUSD', 'LBTCUSD']) {
      const { change, rounding } = changeAt(mock, id, NOW + 60)
      expect(Math.abs(change - 0.5)).toBeLessThanOrEqual(rounding)
    }
  })

  it('behavior: a parent does not follow, nor do feeds of another parent', () => {
    const mock = mockWith([{ fault: 'market/depeg', feeds: ['STETHUSD'] }])
    for (const id of ['ETHUSD', 'WETHUSD', 'BTCUSD']) expect(changeAt(mock, id, NOW + 600).change).toBe(1)
    expect(changeAt(mock, 'STETHUSD', NOW + 600).change).toBeCloseTo(0.88, 4)
  })

  it('behavior: a change reaches a feed that follows a follower', () => {
    const feeds = {
      extends: 'none',
      feeds: [
        { id: 'ACMEUSD', base: 100, drivers: { a: 0.5 }, lag: 3 },
        { id: 'STUSD', parent: 'ACMEUSD', ratio: 1.1, heartbeat: 4, lag: 0 },
        { id: 'WSTUSD', parent: 'STUSD', ratio: 1.2, heartbeat: 16, lag: 1 },
      ],
    }
    const mock = mockWith(
      [
        { fault: 'market/shock', feeds: ['ACMEUSD'], options: { change: -0.5 } },
        { fault: 'market/price', feeds: ['STUSD'], from: '1m', options: { price: 70 } },
      ],
      feeds,
    )
    expectSameChange(mock, 'ACMEUSD', 'STUSD', NOW + 30)
    expectSameChange(mock, 'ACMEUSD', 'WSTUSD', NOW + 30)
    expect(answeredAt(mock, 'STUSD', NOW + 90).price).toBe(70e8)
    expect(answeredAt(mock, 'WSTUSD', NOW + 90).price / 70e8).toBeCloseTo(1.2, 2)
    expect(changeAt(mock, 'ACMEUSD', NOW + 90).change).toBeCloseTo(0.5, 6)
  })

  it('behavior: the header and the counts name the fault on a derived feed', () => {
    const mock = mockWith([{ fault: 'market/shock', feeds: ['BTCUSD'] }])
    const ask = (id: string) =>
      mock.serve({ method: 'GET', target: `/prices/${id}/latest`, authorization: 'test-api-key', receivedAt: 0 })!
        .outcome as { readonly headers: readonly string[] }
    expect(ask('WBTCUSD').headers.join()).toContain('faults=("market/shock")')
    expect(ask('ETHUSD').headers.join()).not.toContain('faults')
    expect(mock.sessions.default.record.counters.faults[0]).toMatchObject({
      hits: 1,
      misses: 1,
      lastMiss: 'another feed',
    })
  })
})

describe('a fault of publishing', () => {
  it.each(['market/stale', 'market/gap', 'market/flatline', 'market/bad-tick', 'market/closed'] as const)(
    'behavior: %s stays with its feed',
    fault => {
      const mock = mockWith([{ fault, feeds: ['BTCUSD'] }])
      for (const child of FOLLOWERS.BTCUSD) {
        const { path, calm } = pathsOf(mock, child)
        expect(path).toBe(calm)
      }
    },
  )

  it('error: it has no alone', () => {
    expect(problemPaths(() => mockWith([{ fault: 'market/stale', alone: true } as never]))).toEqual([
      'SCENARIO_INVALID',
      'faults[0].alone',
    ])
  })
})

describe('a price override', () => {
  it('default: derived feeds change by override over walk', () => {
    const mock = mockWith()
    mock.change({ prices: { BTCUSD: 50_000 } })
    const { calm } = answeredAt(mock, 'BTCUSD', NOW)
    expect(answeredAt(mock, 'BTCUSD', NOW).price).toBe(50_000e8)
    const factor = 50_000e8 / calm
    for (const child of FOLLOWERS.BTCUSD)
      for (const now of [NOW, NOW + 100, NOW + 90_000]) {
        const { price, calm, step } = answeredAt(mock, child, now)
        expect(price, `${child} ${now}`).toBe(Math.round((calm * factor) / step) * step)
      }
    // Ticks before the one in force stay as they are.
    const { path, calm: free, feed } = pathsOf(mock, 'WBTCUSD')
    const before = path.lastTick(NOW - feed.lag)! - feed.heartbeat
    expect(path.at(before)).toBe(free.at(before))
  })

  it.each([
    ['at once', []],
    ['after it was removed alone', [{ price: null, alone: true }]],
  ])('behavior: null removes it from derived feeds, exactly, %s', (_, between) => {
    const mock = mockWith()
    for (const ETHUSD of [12.34, ...between, null]) mock.change({ clock: { advance: 50 }, prices: { ETHUSD } })
    for (const id of FOLLOWERS.ETHUSD) expect(changeAt(mock, id, mock.clock.now() / 1000).change).toBe(1)
  })

  it('behavior: a price that is set again is no further override', () => {
    const mock = mockWith()
    const countAfter = (seconds: number, price: number): number => {
      mock.change({ clock: { advance: seconds }, prices: { FLOKIUSD: price } })
      return mock.sessions.default.record.setup.overrides.FLOKIUSD!.length
    }
    // Its ticks are 8 s apart, the third and the fourth price are of one.
    expect([0, 80, 80, 1].map((seconds, i) => countAfter(seconds, [0.0002, 0.0003, 0.0004, 0.0004][i]!))).toEqual([
      1, 2, 3, 3,
    ])
  })

  it('behavior: alone leaves derived feeds where they are, also under an earlier override', () => {
    const mock = mockWith()
    mock.change({ prices: { BTCUSD: { price: 50_000, alone: true } } })
    expect(answeredAt(mock, 'BTCUSD', NOW).price).toBe(50_000e8)
    expect(changeAt(mock, 'WBTCUSD', NOW).change).toBe(1)
    const alone = changeAt(mock, 'BTCUSD', NOW)
    mock.change({ clock: { advance: 50 }, prices: { BTCUSD: { price: 60_000 } } })
    const before = changeAt(mock, 'WBTCUSD', NOW + 50)
    expect(before.change).toBeCloseTo(changeAt(mock, 'BTCUSD', NOW + 50).change / alone.change, 5)
    mock.change({ clock: { advance: 50 }, prices: { BTCUSD: { price: 1, alone: true } } })
    expectClose(before, changeAt(mock, 'WBTCUSD', NOW + 100), 'WBTCUSD')
    mock.change({ clock: { advance: 50 }, prices: { BTCUSD: null } })
    expect(changeAt(mock, 'WBTCUSD', NOW + 150).change).toBe(1)
  })

  it.each([0, 50])('behavior: a later price moves derived feeds by its own change, after %s s', advance => {
    const mock = mockWith()
    mock.change({ prices: { BTCUSD: { price: 50_000, alone: true } } })
    const alone = changeAt(mock, 'BTCUSD', NOW)
    mock.change({ clock: { advance }, prices: { BTCUSD: 60_000 } })
    const [parent, derived] = ['BTCUSD', 'WBTCUSD'].map(id => changeAt(mock, id, NOW + advance)) as [
      ReturnType<typeof changeAt>,
      ReturnType<typeof changeAt>,
    ]
    expect(derived.change).toBeCloseTo(parent.change / alone.change, 5)
    mock.change({ clock: { advance }, prices: { BTCUSD: { price: 40_000, alone: true } } })
    expectClose(derived, changeAt(mock, 'WBTCUSD', NOW + 2 * advance), 'WBTCUSD')
  })

  it('behavior: an override of the derived feed is exact, in either order, and moves with later ones of the parent', () => {
    for (const prices of [
      { BTCUSD: 50_000, WBTCUSD: 49_000 },
      { WBTCUSD: 49_000, BTCUSD: 50_000 },
    ]) {
      const mock = mockWith()
      mock.change({ prices })
      expect(answeredAt(mock, 'BTCUSD', NOW).price).toBe(50_000e8)
      expect(answeredAt(mock, 'WBTCUSD', NOW).price).toBe(49_000e8)
      mock.change({ prices: { BTCUSD: 100_000 } })
      expect(answeredAt(mock, 'WBTCUSD', NOW).price).toBe(98_000e8)
      mock.change({ prices: { WBTCUSD: null } })
      expectSameChange(mock, 'BTCUSD', 'WBTCUSD', NOW)
    }
  })

  /** A derived feed of a millionth. */
  const TINY = {
    extends: 'none',
    feeds: [
      { id: 'ACMEUSD', base: 100, drivers: { a: 0.5 } },
      { id: 'TINYUSD', parent: 'ACMEUSD', ratio: 1e-6, expo: -8 },
    ],
  }
  const expectProblem = (change: () => unknown, problem: object): void =>
    expect(change).toThrow(expect.objectContaining({ problems: [expect.objectContaining(problem)] }))
  /** Expects a snapshot of a mock to be refused with other overrides. */
  const expectRefused = ({ sessions }: Mock, overrides: object, problem: object): void => {
    const snapshot = { ...takeSnapshot(sessions.default, 0), overrides }
    expectProblem(() => readSnapshot(JSON.parse(JSON.stringify(snapshot)), sessions.default), problem)
  }

  it('error: a price that a derived feed cannot have', () => {
    const mock = mockWith([], TINY)
    expectProblem(() => mock.change({ prices: { ACMEUSD: 0.01 } }), {
      at: 'prices.ACMEUSD',
      want: expect.stringMatching(/^a price from \S+ to \S+, which leaves room for the walk$/),
    })
    mock.change({ prices: { ACMEUSD: { price: 0.01, alone: true } } })
    expect(answeredAt(mock, 'ACMEUSD', NOW).price).toBe(1e6)
  })

  it('behavior: the ends of the range in the error are prices that it takes', () => {
    const { feeds } = mockWith().sessions.default.runtime.market
    for (const { id } of feeds)
      for (const price of [Number.MIN_VALUE, 1e-17, 1e15, Number.MAX_VALUE]) {
        const { problems } = failureOf(() => mockWith().change({ prices: { [id]: price } }))
        const ends = problems[0]!.want!.match(/from (\S+) to (\S+), which/)!.slice(1)
        for (const end of ends) mockWith().change({ prices: { [id]: Number(end) } })
      }
  })

  it('behavior: whatever prices a session takes, its snapshot can be restored', () => {
    const price = fc.oneof(
      fc.constant(null),
      fc.double({ min: -6, max: 7, noNaN: true }).map(power => 10 ** power),
    )
    const value = fc.oneof(price, fc.record({ price, alone: fc.constant(true) }))
    const prices = fc.dictionary(fc.constantFrom('BTCUSD', 'WBTCUSD', 'ETHUSD', 'STETHUSD', 'WSTETHUSD'), value, {
      minKeys: 1,
    })
    const change = fc.record({ prices, seconds: fc.integer({ min: -100, max: 100 }) })
    check([fc.array(change, { minLength: 1, maxLength: 8 })], changes => {
      const mock = mockWith()
      for (const { prices, seconds } of changes) {
        mock.change({ clock: { at: NOW + seconds } })
        try {
          mock.change({ prices } as never)
        } catch (error) {
          expect(error).toMatchObject({ code: 'SESSION_INVALID' })
        }
      }
      readSnapshot(JSON.parse(JSON.stringify(takeSnapshot(mock.sessions.default, 0))), mock.sessions.default)
    })
  })

  it('behavior: a price of a derived feed makes room, and needs it again when its parent returns', () => {
    const mock = mockWith()
    mock.change({ prices: { BTCUSD: 3 } })
    mock.change({ prices: { WBTCUSD: 40_000 } })
    expectProblem(() => mock.change({ prices: { BTCUSD: null } }), {
      at: 'prices.BTCUSD',
      want: 'a change that leaves room for the walk of WBTCUSD under all prices that are set: change them together',
    })
    mock.change({ prices: { BTCUSD: null, WBTCUSD: null } })
    expect(changeAt(mock, 'WBTCUSD', NOW).change).toBe(1)
  })

  it('error: a snapshot with a factor that a derived feed cannot have', () => {
    expectRefused(
      mockWith([], TINY),
      { ACMEUSD: [{ from: 5, factor: 1e-4 }] },
      { at: 'overrides.ACMEUSD[0].factor', want: expect.stringMatching(/ of TINYUSD, with all that it follows$/) },
    )
  })

  it('error: more overrides of a feed and its parent than a search can visit', () => {
    // WBTC ticks every two seconds: its own are at other ticks than those that it follows.
    const list = Array.from({ length: 3000 }, (_, i) => ({ from: 4 * i, factor: 1 + i / 9e4 }))
    const overrides = { BTCUSD: list, WBTCUSD: list }
    expectRefused(mockWith(), overrides, { at: 'overrides.WBTCUSD', got: 5999 })
  })

  it('behavior: no price that was published before changes, however old the tick of the parent is', () => {
    const mock = mockWith([], { feeds: [{ id: 'WFILUSD', parent: 'FILUSD', heartbeat: 1, lag: 0 }] })
    const published = () =>
      Array.from({ length: 40 }, (_, i) => answeredAt(mock, 'WFILUSD', NOW - 40 + i)).map(({ price }) => price)
    const before = published()
    for (const price of [5, 7]) {
      mock.clock.set(NOW)
      const { price: now } = answeredAt(mock, 'WFILUSD', NOW)
      mock.change({ prices: { FILUSD: price } })
      expect(answeredAt(mock, 'WFILUSD', NOW).price).not.toBe(now)
    }
    expect(published()).toEqual(before)
  })

  it('behavior: a snapshot holds what derived feeds follow', () => {
    const mock = mockWith()
    mock.change({ prices: { BTCUSD: { price: 70_000, alone: true }, ETHUSD: 1000 } })
    const { overrides } = mock.sessions.default.runtime
    const snapshot = JSON.parse(JSON.stringify(takeSnapshot(mock.sessions.default, 0)))
    const other = mockWith()
    other.sessions.default.run(restored(readSnapshot(snapshot, other.sessions.default), 0))
    for (const id of ['BTCUSD', 'WBTCUSD', 'WSTETHUSD'])
      expect(answeredAt(other, id, NOW), id).toEqual(answeredAt(mock, id, NOW))
    expect(overrides.BTCUSD).toEqual([{ from: NOW - 1, factor: expect.any(Number), alone: true }])
    expect(overrides.ETHUSD).toEqual([{ from: NOW - 1, factor: expect.any(Number) }])
    expect(Object.keys(overrides)).toEqual(['BTCUSD', 'ETHUSD'])
  })
})

it('behavior: the clock alone moves on the same stage, any other change makes a new one', () => {
  const mock = mockWith([{ fault: 'market/drift', options: { change: 0.1, per: '1h' } }])
  const stageAfter = (change: Parameters<Mock['change']>[0]) => {
    mock.change(change)
    return mock.sessions.default.runtime.stage
  }
  let before = stageAfter({ clock: { advance: '1m' } })
  expect(stageAfter({ clock: { advance: '1m' } })).toBe(before)
  // Before its start the scenario starts again.
  const changes = [{ seed: '7' }, { prices: { BTCUSD: 50_000 } }, { clock: { advance: -3600 } }, { scenario: 'calm' }]
  for (const change of changes as Parameters<Mock['change']>[0][]) {
    const after = stageAfter(change)
    expect(after, JSON.stringify(change)).not.toBe(before)
    before = after
  }
})

describe('extremes of derived feeds', () => {
  const random = (() => {
    let state = 13
    return (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return state % below
    }
  })()
  const SCENARIOS: readonly InlineScenario['faults'][] = [
    [{ fault: 'market/shock', feeds: ALL, from: '2m', for: '5m', repeat: '11m', options: { over: '3m' } }],
    [
      { fault: 'market/price', feeds: ['BTCUSD'], from: '1m', for: '5m', repeat: '7m', options: { price: 90_000 } },
      { fault: 'market/drift', feeds: ['BTCUSD', 'ETHUSD'], from: '10m', for: '20m', options: { change: -0.5 } },
      { fault: 'market/stale', feeds: ['WBTCUSD'], from: '3m', for: '2m', repeat: '13m' },
    ],
    [
      {
        fault: 'market/path',
        feeds: ['SOLUSD', 'ETHUSD'],
        for: '15m',
        repeat: '20m',
        options: {
          points: [
            { at: '1m', price: 120 },
            { at: '9m', price: 333 },
          ],
        },
      },
      { fault: 'market/gap', feeds: ['ETHUSD'], from: '15m', for: '10m' },
    ],
    // Crashes in each other, some of them cut off, with times below those of a window and above.
    [
      {
        fault: 'market/crash',
        feeds: ALL,
        for: '10m',
        repeat: '15m',
        options: { fall: '1m', bottom: '1m', recovery: '5m' },
      },
      {
        fault: 'market/crash',
        feeds: ['BTCUSD', 'ETHUSD'],
        from: '8m',
        options: { depth: 0.4, fall: '20s', bottom: '20s', recovery: '2m', seed: 2 },
      },
      { fault: 'market/crash', feeds: ['ETHUSD'], for: '7m', repeat: '20m', options: { depth: -0.2, fall: '10m' } },
    ],
  ]

  it('behavior: candles have the prices of their ticks', () => {
    const mock = mockWith(SCENARIOS[1])
    const { market, stage } = mock.sessions.default.runtime
    for (const id of ['WBTCUSD', 'WSTETHUSD']) {
      const { feed, path } = pathsOf(mock, id)
      const buckets = { width: 300, offset: 0 }
      const candles = finish(market.candles(feed, path, buckets, NOW + HOUR, 12, stage.volume(feed)))
      expect(candles).toHaveLength(12)
      for (const { start, open, high, low, close } of candles) {
        const end = Math.min(start + 299, NOW + HOUR)
        const inForce = path.at(path.lastTick(start)!)
        const ticks = everyTick(path, start, end) ?? { high: { price: inForce }, low: { price: inForce } }
        expect([open, close], `${id} ${start}`).toEqual([inForce, path.at(path.lastTick(end)!)])
        expect([high, low], `${id} ${start}`).toEqual([
          Math.max(inForce, ticks.high.price),
          Math.min(inForce, ticks.low.price),
        ])
      }
    }
  })

  it.each(SCENARIOS.map((faults, i) => [i, faults] as const))('behavior: as by every tick: %i', (_, faults) => {
    const mock = mockWith(faults)
    mock.change({ prices: { ETHUSD: 2000 } })
    mock.change({ clock: { advance: 600 }, prices: { ETHUSD: 2500, BTCUSD: { price: 100_000, alone: true } } })
    for (const id of ['WBTCUSD', 'LBTCUSD', 'WSTETHUSD', 'RETHUSD', 'JITOSOLUSD']) {
      const { path } = pathsOf(mock, id)
      for (let i = 0; i < 12; i++) {
        const from = NOW - 300 + random(HOUR)
        const to = from + random(i < 6 ? 200 : HOUR)
        expect(path.extremes(from, to), `${id} ${from} ${to}`).toEqual(everyTick(path, from, to))
      }
    }
  })
})

it('behavior: a request takes the same work, whatever was asked before', () => {
  const mock = mockWith([
    { fault: 'market/flatline', for: '30s', repeat: '60s' },
    { fault: 'market/stale', for: '20s', repeat: '70s' },
    { fault: 'market/gap', for: '5s', repeat: '80s' },
  ])
  const { market, scenario } = mock.sessions.default.runtime
  const feed = feedOf(mock, 'BTCUSD')
  const path = market.path(feed)
  let asked = 0
  const lastTick = (second: number) => {
    asked++
    return path.lastTick(second)
  }
  const stage = createMarketStage({ ...market, path: () => ({ ...path, lastTick }) }, scenario, {})
  const workOf = (count: number): number => {
    asked = 0
    stage.track(() => {
      const read = stage.path(feed)
      for (let i = 0; i < count; i++) stage.lookUp(String(i), () => read.lastTick(NOW + 3600))
      // The same second once more, after the look-ups.
      read.extremes(NOW + 3540, NOW + 3600)
    })
    return asked
  }
  const [none, one, two] = [0, 1, 2].map(workOf)
  expect(one).toBeGreaterThan(none!)
  expect(two! - one!).toBe(one! - none!)
  expect([0, 1, 2].map(workOf)).toEqual([none, one, two])
})

it('behavior: each window that a layer goes through is work', () => {
  const mock = mockWith([{ fault: 'market/gap', for: '1s', repeat: '60s' }])
  const { stage } = mock.sessions.default.runtime
  const workOf = (windows: number): number => {
    const work = { units: 0 }
    stage.track(() => stage.path(feedOf(mock, 'BTCUSD')).holes(NOW, NOW + 60 * windows - 1), work)
    return work.units
  }
  // Look-ups of ticks alone are less than half a unit.
  expect((workOf(2000) - workOf(1000)) / 1000).toBeGreaterThan(0.75)
  expect(() => workOf(100_000)).toThrow(expect.objectContaining({ code: 'SCENARIO_TOO_COSTLY' }))
})

it('behavior: in an answer that is made again, the paths of all feeds count, also those that an earlier one has made', () => {
  const faults = Array.from({ length: 50 }, (_, i) => ({ fault: 'market/shock' as const, from: `${i + 1}s` as const }))
  const { market, scenario, overrides } = mockWith(faults).sessions.default.runtime
  const stage = createMarketStage(market, scenario, overrides, createWorkMeter(50))
  const workOf = (ids: readonly string[]): number => {
    const work = { units: 0 }
    stage.track(() => ids.map(id => stage.latest(market.feed(id)!, NOW)), work)
    return work.units
  }
  // WBTC follows BTC, whose path is below its own.
  const first = workOf(['WBTCUSD'])
  expect(first).toBeGreaterThan(1000)
  expect([workOf(['BTCUSD']), workOf(['WBTCUSD'])]).toEqual([first, first])
  expect(workOf(['BTCUSD', 'WBTCUSD', 'BTCUSD'])).toBeGreaterThan(2 * first)
})
