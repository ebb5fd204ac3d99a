// Price overrides against brute force: every look-up and every window by single ticks of a small path of known prices.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extremesOf } from '../../test/support/paths.js'
import { check } from '../../test/support/seed.js'
import { catalogueFeeds } from './feeds-file.js'
import { addOverride, followedOverrides, overriddenPath, overridesInForce, type PriceOverride } from './overridden.js'
import type { PricePath } from './path.js'

/** A path that ticks every `heartbeat` seconds with the prices of a list, from second 0. */
function listPath(prices: readonly number[], heartbeat: number): PricePath {
  const at = (tick: number): number => prices[tick / heartbeat]!
  return {
    at,
    lastTick: second => (second < 0 ? undefined : second - (second % heartbeat)),
    nextTick: second => Math.max(0, Math.ceil(second / heartbeat) * heartbeat),
    holes: () => [],
    extremes: (from, to) => extremesOf(ticksIn(from, to, heartbeat).map(ts => ({ ts, price: at(ts) }))),
  }
}
const ticksIn = (from: number, to: number, heartbeat: number): number[] => {
  const ticks = []
  for (let ts = Math.max(0, Math.ceil(from / heartbeat) * heartbeat); ts <= to; ts += heartbeat) ticks.push(ts)
  return ticks
}

const feedOf = (step: number) => ({ step, heartbeat: 10 })
const PATH = listPath([100, 130, 90, 110, 120, 80, 105, 95], 10)

describe('overriddenPath', () => {
  it('default: unchanged before the override, scaled from its tick on', () => {
    const path = overriddenPath(PATH, [{ from: 30, factor: 2 }], feedOf(1))
    expect([0, 10, 20, 30, 40, 50].map(second => path.at(second))).toEqual([100, 130, 90, 220, 240, 160])
    expect(path.lastTick(39)).toBe(30)
    expect(path.extremes(0, 70)).toEqual({ high: { price: 240, ts: 40 }, low: { price: 90, ts: 20 } })
    expect(path.extremes(0, 29)).toEqual({ high: { price: 130, ts: 10 }, low: { price: 90, ts: 20 } })
  })

  it('behavior: factor 1 removes the override', () => {
    const path = overriddenPath(
      PATH,
      [
        { from: 20, factor: 3 },
        { from: 40, factor: 1 },
      ],
      feedOf(1),
    )
    expect([10, 20, 30, 40, 50].map(second => path.at(second))).toEqual([130, 270, 330, 120, 80])
  })

  it('behavior: prices stay on the step, and the override price is exact', () => {
    const path = overriddenPath(PATH, [{ from: 0, factor: 5000 / 130 }], feedOf(25))
    expect(path.at(10)).toBe(5000)
    for (const tick of [0, 20, 30, 40]) expect(path.at(tick) % 25).toBe(0)
  })

  it('behavior: of equal highs and lows across an override the earliest is named', () => {
    const high = overriddenPath(PATH, [{ from: 30, factor: 130 / 120 }], feedOf(1))
    expect([high.at(10), high.at(40)]).toEqual([130, 130])
    expect(high.extremes(0, 70)!.high).toEqual({ price: 130, ts: 10 })
    const low = overriddenPath(PATH, [{ from: 50, factor: 90 / 80 }], feedOf(1))
    expect([low.at(20), low.at(50)]).toEqual([90, 90])
    expect(low.extremes(0, 70)!.low).toEqual({ price: 90, ts: 20 })
  })

  it('behavior: the extremes of any window equal those of its ticks', () => {
    const cases = fc.record({
      heartbeat: fc.constantFrom(1, 2, 4),
      prices: fc.array(fc.integer({ min: 50, max: 60 }), { minLength: 40, maxLength: 40 }),
      changes: fc.array(fc.record({ from: fc.nat({ max: 39 }), factor: fc.constantFrom(0.5, 0.9, 1, 1.1, 2) }), {
        maxLength: 30,
      }),
      step: fc.constantFrom(1, 5),
      window: fc.tuple(fc.integer({ min: -5, max: 45 }), fc.integer({ min: 0, max: 45 })),
    })
    check([cases], [400, 2000], ({ heartbeat, prices, changes, step, window: [from, length] }) => {
      const overrides = changes.reduce<PriceOverride[]>(
        (all, { from, factor }) => addOverride(all, { from: from * heartbeat, factor }),
        [],
      )
      const path = overriddenPath(listPath(prices, heartbeat), overrides, { heartbeat, step })
      const to = Math.min(from + length, 39 * heartbeat)
      const ticks = ticksIn(from, to, heartbeat).map(ts => ({ ts, price: path.at(ts) }))
      const found = path.extremes(from, to)
      const wanted = extremesOf(ticks)
      expect([found?.high.price, found?.low.price]).toEqual([wanted?.high.price, wanted?.low.price])
      // Rounding can make prices equal, so its second has that price, but need not be the first such second.
      if (found) expect([path.at(found.high.ts), path.at(found.low.ts)]).toEqual([found.high.price, found.low.price])
      const range = path.extremes(from, to, true)
      expect([range?.high.price, range?.low.price]).toEqual([wanted?.high.price, wanted?.low.price])
      if (range) expect([path.at(range.high.ts), path.at(range.low.ts)]).toEqual([range.high.price, range.low.price])
    })
  })
})

describe('addOverride', () => {
  it('default', () => {
    expect(addOverride([], { from: 5, factor: 2 })).toEqual([{ from: 5, factor: 2 }])
    expect(addOverride([{ from: 5, factor: 2 }], { from: 9, factor: 3 })).toEqual([
      { from: 5, factor: 2 },
      { from: 9, factor: 3 },
    ])
  })

  it('behavior: in one second, one that derived feeds follow and one that they do not both count', () => {
    const alone = { from: 5, factor: 2, alone: true } as const
    const followed = { from: 5, factor: 3 }
    const all = [alone, { ...alone, factor: 4 }, followed, { ...followed, factor: 5 }, alone].reduce<PriceOverride[]>(
      addOverride,
      [],
    )
    expect(all).toEqual([{ ...alone, factor: 4 }, { ...followed, factor: 5 }, alone])
  })

  it('behavior: an override of the same second is replaced, later ones are dropped', () => {
    const all = [5, 9, 12].map(from => ({ from, factor: 2 }))
    expect(addOverride(all, { from: 9, factor: 7 })).toEqual([all[0], { from: 9, factor: 7 }])
    expect(addOverride(all, { from: 0, factor: 7 })).toEqual([{ from: 0, factor: 7 }])
    expect(all).toHaveLength(3)
  })
})

describe('overridesInForce', () => {
  const feeds = catalogueFeeds()
  const feed = (id: string) => feeds.find(one => one.id === id)!
  /** BTC is published after 1 second; WBTC ticks every 2 seconds and is published after 2, LBTC 8 and 2. */
  const inForce = (id: string, overrides: Readonly<Record<string, readonly PriceOverride[]>>) =>
    overridesInForce(feeds, overrides, feed(id))

  it('default: those of the parent, at the tick that is in force at the same time', () => {
    const overrides = { BTCUSD: [{ from: 1000, factor: 2 }] }
    expect(inForce('BTCUSD', overrides)).toEqual(overrides.BTCUSD)
    expect(inForce('WBTCUSD', overrides)).toEqual([{ from: 998, factor: 2 }])
    expect(inForce('LBTCUSD', overrides)).toEqual([{ from: 992, factor: 2 }])
    expect(inForce('ETHUSD', overrides)).toEqual([])
    expect(inForce('LBTCUSD', { BTCUSD: [{ from: 0, factor: 2 }] })).toEqual([{ from: 0, factor: 2 }])
  })

  it('behavior: of several at one tick the last one counts', () => {
    const overrides = [1001, 1003, 1020].map((from, i) => ({ from, factor: i + 2 }))
    expect(inForce('LBTCUSD', { BTCUSD: overrides })).toEqual([
      { from: 1000, factor: 3 },
      { from: 1016, factor: 4 },
    ])
  })

  it('behavior: a feed that ticks more often than its parent changes from the second of the change on', () => {
    const fil = { ...feed('FILUSD'), heartbeat: 16, lag: 3 }
    const follower = { ...feed('WBTCUSD'), id: 'WFILUSD', parent: 'FILUSD', heartbeat: 1, lag: 0 }
    const overrides = { FILUSD: [29, 31].map((from, i) => ({ from, factor: i + 2 })) }
    expect(overridesInForce([fil, follower], overrides, fil)).toEqual([{ from: 16, factor: 3 }])
    expect(overridesInForce([fil, follower], overrides, follower)).toEqual([
      { from: 32, factor: 2 },
      { from: 34, factor: 3 },
    ])
  })

  it('behavior: factors of the feed and of its parent are multiplied', () => {
    const BTCUSD = [
      { from: 101, factor: 2 },
      { from: 301, factor: 3 },
    ]
    const WBTCUSD = [
      { from: 200, factor: 5 },
      { from: 300, factor: 7 },
      { from: 400, factor: 1 },
    ]
    expect(inForce('WBTCUSD', { BTCUSD, WBTCUSD })).toEqual([
      { from: 100, factor: 2 },
      { from: 200, factor: 10 },
      { from: 300, factor: 21 },
      { from: 400, factor: 3 },
    ])
    expect(followedOverrides(feeds, { BTCUSD, WBTCUSD }, feed('WBTCUSD')).map(({ factor }) => factor)).toEqual([2, 3])
  })

  it('behavior: an override alone keeps the factor that is followed, and later ones change it by theirs', () => {
    const BTCUSD = [
      { from: 101, factor: 2 },
      { from: 201, factor: 8, alone: true as const },
      { from: 301, factor: 12 },
      { from: 401, factor: 6, alone: true as const },
      { from: 501, factor: 1 },
      { from: 601, factor: 4 },
    ]
    expect(inForce('WBTCUSD', { BTCUSD }).map(({ factor }) => factor)).toEqual([2, 2, 3, 3, 1, 4])
    expect(inForce('BTCUSD', { BTCUSD })).toBe(BTCUSD)
  })
})

it('behavior: of ticks that rounding makes equal, the earliest is the extreme', () => {
  const path = overriddenPath(
    listPath([100, 139, 104, 140, 101, 96, 95, 99], 10),
    [{ from: 0, factor: 0.1 }],
    feedOf(1),
  )
  expect(path.extremes(0, 70)).toEqual({ high: { price: 14, ts: 10 }, low: { price: 10, ts: 0 } })
})

it.each(['constructor', 'toString'])('behavior: a feed called %s has no price that was set', id => {
  const feed = { ...catalogueFeeds()[0]!, id }
  expect(overridesInForce([feed], {}, feed)).toEqual([])
})
