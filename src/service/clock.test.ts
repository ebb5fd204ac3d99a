// The virtual clock: where it starts, how fast it runs, where it stops. Real time is an argument, so nothing waits.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../test/support/seed.js'
import { LATEST } from '../settings/time.js'
import { changeClock, readClock, startClock } from './clock.js'

const REAL = 1_800_000_000_000
const AT = 1_753_354_105_000

describe('readClock', () => {
  it.each<[title: string, settings: Partial<Parameters<typeof startClock>[0]>, passed: number, now: number]>([
    ['default, at its start', {}, 0, REAL],
    ['default', {}, 1500, REAL + 1500],
    ['args: at, at its start', { at: AT }, 0, AT],
    ['args: at', { at: AT }, 1500, AT + 1500],
    ['args: at, the epoch', { at: 0 }, 5, 5],
    ['args: speed 60', { at: AT, speed: 60 }, 1500, AT + 90_000],
    ['args: speed 0.5', { at: AT, speed: 0.5 }, 1500, AT + 750],
    ['args: frozen', { at: AT, speed: 60, frozen: true }, 86_400_000, AT],
    ['args: frozen, without a time it stays at its start', { frozen: true }, 86_400_000, REAL],
    ['behavior: it does not fall before 1970 when real time falls back', { at: 1000 }, -5000, 0],
  ])('%s', (_, settings, passed, now) => {
    const clock = startClock({ speed: 1, frozen: false, ...settings }, REAL)
    expect(readClock(clock, REAL + passed)).toBe(now)
  })

  it('behavior: it stays at the last instant of 2105', () => {
    const clock = startClock({ at: LATEST * 1000, speed: 1000, frozen: false }, REAL)
    expect(readClock(clock, REAL + 1)).toBe(LATEST * 1000 + 999)
    expect(readClock(clock, REAL + 1_000_000)).toBe(LATEST * 1000 + 999)
  })

  it('behavior: it never runs backwards while real time does not', () => {
    const settings = fc.record({
      at: fc.integer({ min: 0, max: LATEST * 1000 }),
      speed: fc.double({ min: 0.001, max: 1e6, noNaN: true }),
      frozen: fc.boolean(),
    })
    check([settings, fc.nat(), fc.nat()], 1000, (settings, a, b) => {
      const clock = startClock(settings, REAL)
      expect(readClock(clock, REAL + a + b)).toBeGreaterThanOrEqual(readClock(clock, REAL + a))
    })
  })
})

describe('changeClock', () => {
  const clock = startClock({ at: AT, speed: 1, frozen: true }, REAL)
  const changed = (change: Parameters<typeof changeClock>[1]) => readClock(changeClock(clock, change, REAL), REAL)

  it('default: a time, a step, both', () => {
    expect(changed({ at: 5000 })).toBe(5000)
    expect(changed({ advance: -60 })).toBe(AT - 60_000)
    expect(changed({ at: 5000, advance: 1 })).toBe(6000)
  })

  it('error: before 1970 and after 2105, to the millisecond', () => {
    expect([changed({ at: 0 }), changed({ at: LATEST * 1000 + 999 })]).toEqual([0, LATEST * 1000 + 999])
    for (const change of [{ at: -1 }, { at: (LATEST + 1) * 1000 }, { at: LATEST * 1000, advance: 1 }])
      expect(() => changed(change)).toThrow(expect.objectContaining({ code: 'CLOCK_OUT_OF_RANGE' }))
    const want = `seconds from 0 to ${LATEST}, 1970-01-01T00:00:00Z to 2105-12-31T23:59:59Z`
    expect(() => changed({ at: -1500 })).toThrow(
      expect.objectContaining({ problems: [{ at: 'clock', got: -1.5, want }] }),
    )
  })
})
