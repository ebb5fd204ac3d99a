// The course of a crash: its exact points, its shape, and its bounds against every second.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../test/support/seed.js'
import { type CrashOptions, createCrash } from './crash.js'

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
    'behavior: it declines faster and faster, overshoots and returns to the low in wicks, with seed %i',
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
    'behavior: the decline has setbacks from the start, and prices do not rest on the low, with seed %i',
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

  it.each(seeds)('behavior: volatility and trade rise with the fall and decay in the recovery, with seed %i', seed => {
    const { factorAt, tradedBy } = createCrash({ ...USUAL, seed })
    const moved = (from: number, to: number) =>
      seconds(from + 1, to).reduce((sum, at) => sum + Math.abs(factorAt(at) - factorAt(at - 1)), 0) / (to - from)
    const traded = (from: number, to: number) => (tradedBy(to) - tradedBy(from)) / (to - from)
    for (const rate of [moved, traded]) {
      expect(rate(600, 900)).toBeGreaterThan(3 * rate(0, 150))
      expect(rate(600, 900)).toBeGreaterThan(1.5 * rate(1500, 2500))
      expect(rate(1500, 2500)).toBeGreaterThan(3 * rate(4000, END))
    }
    expect(traded(600, 900)).toBeGreaterThan(2)
    expect([tradedBy(0), traded(END, END + 1000)]).toEqual([0, 0])
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
    check(
      fc.property(anything, fc.nat(5000), fc.nat(3000), (options, from, length) => {
        const { factorAt, range } = createCrash(options)
        const factors = seconds(from, from + length).map(factorAt)
        const [low, high] = range(from, from + length)
        expect(Math.min(...factors)).toBe(low)
        expect(Math.max(...factors)).toBe(high)
      }),
      40,
      100,
    )
  })
})
