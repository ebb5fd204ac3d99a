// The course of a crash: its exact points, its shape, and its bounds against every second.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../test/support/seed.js'
import { alongCrash, type CrashOptions, createCrash, excitementAt } from './crash.js'
import { createFeedPath } from './feed-path.js'
import { catalogueFeeds } from './feeds-file.js'
import { overriddenPath } from './overridden.js'
import type { PricePath } from './path.js'
import { transformedPath } from './price-transform.js'
import { repeatedWindows } from './windows.js'

const USUAL: CrashOptions = { depth: 0.4, fall: 600, bottom: 300, recovery: 3600, rebound: 0.5, seed: 1 }
const END = 4500
const seconds = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const seeds = [1, 2, 3, 4, 5]

describe('createCrash', () => {
  it.each(seeds)('default: start, lowest price and end are exact with seed %i', seed => {
    const crash = createCrash({ ...USUAL, seed })
    expect([crash.factorAt(0), crash.factorAt(600)]).toEqual([1, 0.6])
    expect(crash.factorAt(END)).toBeCloseTo(Math.sqrt(0.6), 6)
    for (const later of [END + 1, 1e9, Number.POSITIVE_INFINITY])
      expect(crash.factorAt(later)).toBe(crash.factorAt(END))
    expect(seconds(0, END).filter(second => crash.factorAt(second) <= 0.6)).toEqual([600])
  })

  it.each(seeds)(
    'behavior: it declines ever faster, overshoots and returns to the low in wicks, with seed %i',
    seed => {
      const { factorAt, range } = createCrash({ ...USUAL, seed })
      expect(1 - factorAt(300)).toBeLessThan(0.5 * (1 - factorAt(600)))
      // After the lowest price most of the overshoot is regained, but some wicks return.
      const panic = seconds(660, 900).map(factorAt)
      expect(panic.toSorted((a, b) => a - b)[panic.length >> 1]).toBeGreaterThan(0.62)
      expect(range(610, 1200)[0]).toBeLessThan(0.66)
      const turns = panic.filter((factor, i) => i > 1 && (factor - panic[i - 1]!) * (panic[i - 1]! - panic[i - 2]!) < 0)
      expect(turns.length).toBeGreaterThan(50)
    },
  )

  it.each(seeds)(
    'behavior: the decline has setbacks from the start, and prices never rest on the low: seed %i',
    seed => {
      const { factorAt } = createCrash({ ...USUAL, seed })
      const rises = seconds(6, 29).filter(ten => factorAt(10 * ten + 10) > factorAt(10 * ten))
      expect(rises.length).toBeGreaterThan(1)
      const deep = createCrash({ depth: 0.85, fall: 600, bottom: 600, recovery: 600, rebound: 0.05, seed })
      const still = seconds(605, 1200).filter(
        second => deep.range(second - 4, second)[0] === deep.range(second - 4, second)[1],
      )
      expect(still).toEqual([])
    },
  )

  it('default: the same course and trade in every version', () => {
    const { factorAt, tradedBy } = createCrash(USUAL)
    const shown = [100, 450, 600, 750, 2500, END, 20 * END].map(
      at => `${factorAt(at).toFixed(6)} ${tradedBy(at).toFixed(3)}`,
    )
    expect(shown).toMatchInlineSnapshot(`
      [
        "0.977215 6.831",
        "0.781604 746.911",
        "0.600000 1865.450",
        "0.614692 3195.035",
        "0.705252 12453.852",
        "0.774597 17542.584",
        "0.774597 66046.206",
      ]
    `)
  })

  it.each(seeds)('behavior: volatility and trade rise with the fall and decay in the recovery, with seed %i', seed => {
    const { factorAt, tradedBy } = createCrash({ ...USUAL, seed })
    const moved = (from: number, to: number) =>
      seconds(from + 1, to).reduce((sum, at) => sum + Math.abs(factorAt(at) - factorAt(at - 1)), 0) / (to - from)
    const traded = (from: number, to: number) => (tradedBy(to) - tradedBy(from)) / (to - from)
    for (const [rate, decay] of [
      [moved, 3],
      [traded, 1.5],
    ] as const) {
      expect(rate(600, 900)).toBeGreaterThan(3 * rate(0, 150))
      expect(rate(600, 900)).toBeGreaterThan(1.5 * rate(1500, 2500))
      expect(rate(1500, 2500)).toBeGreaterThan(decay * rate(4000, END))
    }
    expect(traded(600, 900)).toBeGreaterThan(2)
    // Aftershocks have trade as well, for thirty times as long.
    expect(traded(2 * END, 3 * END)).toBeGreaterThan(traded(20 * END, 21 * END))
    expect([tradedBy(0), traded(31 * END, 1e9)]).toEqual([0, 0])
    expect(seconds(1, END).every(at => tradedBy(at) >= tradedBy(at - 1))).toBe(true)
  })

  it('args: seed: the same seed gives the same course, another one another', () => {
    const at = (seed: number) => seconds(0, END).map(createCrash({ ...USUAL, seed }).factorAt)
    expect(at(1)).toEqual(at(1))
    expect(at(1)).not.toEqual(at(2))
  })

  it('args: rebound: nothing and everything', () => {
    expect(createCrash({ ...USUAL, rebound: 1 }).factorAt(END)).toBe(1)
    expect(createCrash({ ...USUAL, rebound: 0 }).factorAt(END)).toBe(0.6)
  })

  it('args: depth: a spike upwards, and a fall of almost everything', () => {
    const spike = createCrash({ ...USUAL, depth: -0.5 })
    expect([spike.factorAt(600), spike.range(0, 1e9)[1]]).toEqual([1.5, 1.5])
    const end = createCrash({ ...USUAL, depth: 0.999_999 })
    expect(end.range(0, 1e9)[0]).toBe(1 - 0.999_999)
    expect(end.factorAt(END) / 1e-3).toBeCloseTo(1, 3)
  })

  it('behavior: the bounds of a part are those of its seconds', () => {
    const anything = fc.record({
      depth: fc.constantFrom(0.01, 0.5, 0.999, -3),
      fall: fc.integer({ min: 1, max: 900 }),
      bottom: fc.integer({ min: 1, max: 900 }),
      recovery: fc.integer({ min: 1, max: 3000 }),
      rebound: fc.constantFrom(0, 0.1, 0.5, 1),
      seed: fc.integer({ min: 0, max: 1e9 }),
    })
    check([anything, fc.nat(5000), fc.nat(3000)], [40, 100], (options, from, length) => {
      const { factorAt, range } = createCrash(options)
      const factors = seconds(from, from + length).map(factorAt)
      const [low, high] = range(from, from + length)
      expect(Math.min(...factors)).toBe(low)
      expect(Math.max(...factors)).toBe(high)
    })
  })
})

describe('alongCrash', () => {
  const START = 1_753_354_105
  const HOUR = 3600
  const THURSDAY: CrashOptions = {
    depth: 0.45,
    fall: 16 * HOUR,
    bottom: 2 * HOUR,
    recovery: 10 * HOUR,
    rebound: 0.5,
    seed: 312,
  }
  const feed = catalogueFeeds()[0]!
  const market: PricePath = createFeedPath('42', feed)
  const course = createCrash(THURSDAY)
  const windows = repeatedWindows(START, [{ from: 0, until: 1e9 }], undefined, 1)
  const crashed = (below = market) =>
    transformedPath(
      below,
      { windows, appliedAt: START, feed },
      alongCrash(() => () => course, below, market),
    )
  /** The mean move of 15 minutes over a day, in log prices. */
  const moved = (path: typeof market, from: number): number =>
    Array.from({ length: 96 }, (_, i) => from + i * 900).reduce(
      (sum, at) => sum + Math.abs(Math.log(path.at(at + 900) / path.at(at))),
      0,
    ) / 96

  it('default: the start and the lowest price are exact, and so is the end of all aftershocks', () => {
    const path = crashed()
    for (const passed of [0, 16 * HOUR, 16 * HOUR + 30 * 28 * HOUR + 1])
      expect(path.at(START + passed) / market.at(START + passed)).toBeCloseTo(course.factorAt(passed), 6)
  })

  it('behavior: aftershocks decay as a power of time, and moves two days later are still 1.5 times as large', () => {
    const path = crashed()
    const ratios = [1, 2, 5, 10, 20].map(days => {
      const from = START + 16 * HOUR + days * 24 * HOUR
      return moved(path, from) / moved(market, from)
    })
    expect(ratios[1]).toBeGreaterThan(1.5)
    expect(ratios.toSorted((a, b) => b - a)).toEqual(ratios)
    const excitement = (days: number) => excitementAt(THURSDAY, 16 * HOUR + days * 24 * HOUR)
    expect(excitement(2) / excitement(8)).toBeLessThan(3)
  })

  it('behavior: aftershocks make no jump where the price is measured from anew each day', () => {
    const path = crashed()
    const factorAt = (at: number) => path.at(at) / market.at(at)
    for (const day of [1, 2, 3, 4, 5]) {
      const knot = START + (28 + day * 24) * HOUR
      expect(Math.abs(factorAt(knot) / factorAt(knot - 1) - 1)).toBeLessThan(0.001)
    }
  })

  it('behavior: an override that is added later changes no price before it', () => {
    const later = START + 3 * 24 * HOUR
    const [before, after] = [crashed(), crashed(overriddenPath(market, [{ from: later, factor: 2 }], feed))]
    for (let at = START; at < later; at += 3607) expect(after.at(at)).toBe(before.at(at))
    expect(after.at(later) / before.at(later)).toBeCloseTo(2, 6)
  })

  it('args: beta and own: a feed falls by a power of the market, with noise of its own', () => {
    const [one, other] = ['a', 'b'].map(own => createCrash({ ...THURSDAY, beta: 1.3, own }))
    const low = 16 * HOUR
    for (const { factorAt } of [one!, other!]) expect(factorAt(low)).toBeCloseTo(0.55 ** 1.3, 5)
    const halfway = [course, one!, other!].map(({ factorAt }) => factorAt(low / 2))
    expect(new Set(halfway).size).toBe(3)
    // The same in every version.
    expect(halfway.map(factor => factor.toFixed(6))).toMatchInlineSnapshot(`
      [
        "0.914324",
        "0.913319",
        "0.892472",
      ]
    `)
  })
})
