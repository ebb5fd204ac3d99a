// Price overrides against brute force: every look-up and every window by single ticks of a small path of known prices.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../test/support/seed.js'
import { addOverride, overriddenPath, type PriceOverride } from './overridden.js'
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
/** The earliest highest and the earliest lowest. */
function extremesOf(ticks: readonly { ts: number; price: number }[]) {
  const [first] = ticks
  if (first === undefined) return undefined
  let [high, low] = [first, first]
  for (const tick of ticks) {
    if (tick.price > high.price) high = tick
    if (tick.price < low.price) low = tick
  }
  return { high, low }
}

const PATH = listPath([100, 130, 90, 110, 120, 80, 105, 95], 10)

describe('overriddenPath', () => {
  it('default: unchanged before the override, scaled from its tick on', () => {
    const path = overriddenPath(PATH, [{ from: 30, factor: 2 }], 1)
    expect([0, 10, 20, 30, 40, 50].map(path.at)).toEqual([100, 130, 90, 220, 240, 160])
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
      1,
    )
    expect([10, 20, 30, 40, 50].map(path.at)).toEqual([130, 270, 330, 120, 80])
  })

  it('behavior: prices stay on the step, and the override price is exact', () => {
    const path = overriddenPath(PATH, [{ from: 0, factor: 5000 / 130 }], 25)
    expect(path.at(10)).toBe(5000)
    for (const tick of [0, 20, 30, 40]) expect(path.at(tick) % 25).toBe(0)
  })

  it('behavior: a window without ticks has no extremes', () => {
    const path = overriddenPath(PATH, [{ from: 10, factor: 2 }], 1)
    expect(path.extremes(11, 19)).toBeUndefined()
    expect(path.extremes(5, 4)).toBeUndefined()
  })

  it('behavior: of equal highs and lows across an override the earliest is named', () => {
    const high = overriddenPath(PATH, [{ from: 30, factor: 130 / 120 }], 1)
    expect([high.at(10), high.at(40)]).toEqual([130, 130])
    expect(high.extremes(0, 70)!.high).toEqual({ price: 130, ts: 10 })
    const low = overriddenPath(PATH, [{ from: 50, factor: 90 / 80 }], 1)
    expect([low.at(20), low.at(50)]).toEqual([90, 90])
    expect(low.extremes(0, 70)!.low).toEqual({ price: 90, ts: 20 })
  })

  it('behavior: the extremes of any window equal those of its ticks', () => {
    const cases = fc.record({
      heartbeat: fc.constantFrom(1, 2, 4),
      prices: fc.array(fc.integer({ min: 50, max: 60 }), { minLength: 40, maxLength: 40 }),
      changes: fc.array(fc.record({ from: fc.nat({ max: 39 }), factor: fc.constantFrom(0.5, 0.9, 1, 1.1, 2) }), {
        maxLength: 6,
      }),
      step: fc.constantFrom(1, 5),
      window: fc.tuple(fc.integer({ min: -5, max: 45 }), fc.integer({ min: 0, max: 45 })),
    })
    check(
      fc.property(cases, ({ heartbeat, prices, changes, step, window: [from, length] }) => {
        const overrides = changes.reduce<PriceOverride[]>(
          (all, { from, factor }) => addOverride(all, { from: from * heartbeat, factor }),
          [],
        )
        const path = overriddenPath(listPath(prices, heartbeat), overrides, step)
        const to = Math.min(from + length, 39 * heartbeat)
        const ticks = ticksIn(from, to, heartbeat).map(ts => ({ ts, price: path.at(ts) }))
        const found = path.extremes(from, to)
        const wanted = extremesOf(ticks)
        expect([found?.high.price, found?.low.price]).toEqual([wanted?.high.price, wanted?.low.price])
        // Rounding can make prices equal, so its second has that price, but need not be the first such second.
        if (found) expect([path.at(found.high.ts), path.at(found.low.ts)]).toEqual([found.high.price, found.low.price])
      }),
      2000,
    )
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

  it('behavior: an override of the same second is replaced, later ones are dropped', () => {
    const all = [5, 9, 12].map(from => ({ from, factor: 2 }))
    expect(addOverride(all, { from: 9, factor: 7 })).toEqual([all[0], { from: 9, factor: 7 }])
    expect(addOverride(all, { from: 0, factor: 7 })).toEqual([{ from: 0, factor: 7 }])
    expect(all).toHaveLength(3)
  })
})
