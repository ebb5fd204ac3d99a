// The walk is a function of the second: whatever was looked up before, and at both ends of the mock's time.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { createWalk, maxAbsLog, type Walk } from './walk.js'

const DRIVERS = { crypto: 0.4, BTCUSD: 0.22 }
/** The last second of 2105. */
const LATEST = 4_291_747_199
const walkOf = (span: number): Walk => createWalk({ seed: '42', span, drivers: DRIVERS })

const span = fc.constantFrom(65_536, 262_144, 4_194_304, 67_108_864)
const second = fc.oneof(
  fc.integer({ min: 0, max: LATEST }),
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 2_147_483_640, max: 2_147_483_656 }),
  fc.integer({ min: LATEST - 20, max: LATEST }),
  fc.integer({ min: 0, max: 63 }).map(k => k * 67_108_864),
  fc.integer({ min: 0, max: 63 }).map(k => k * 67_108_864 + 67_108_863),
)
/** Look-ups that wander: anywhere, near the last one, and the same second again. */
const lookups = fc
  .array(fc.record({ anywhere: fc.boolean(), second, step: fc.integer({ min: -8192, max: 8192 }) }), {
    minLength: 2,
    maxLength: 60,
  })
  .map(moves => {
    let last = 1_753_354_105
    return moves.map(({ anywhere, second, step }) => (last = anywhere ? second : clamp(last + step)))
  })
const clamp = (second: number): number => Math.min(LATEST, Math.max(0, second))
/** A second and the start of the node of a level that holds it, not beyond the end of time. */
const node = (most: number) =>
  fc.record({ at: second, level: fc.integer({ min: 1, max: most }) }).map(({ at, level }) => {
    const size = 2 ** level
    return { level, size, start: Math.floor(Math.min(at, LATEST - size) / size) * size }
  })

test('default', () => {
  const walk = walkOf(4_194_304)
  expect(walk.rootLevel).toBe(22)
  const log = walk.at(1_753_354_105)
  expect(log).not.toBe(0)
  expect(Math.abs(log)).toBeLessThan(1)
  expect(walk.at(1_753_354_105)).toBe(log)
})

test('behavior: a look-up equals that of a fresh walk, in any order and when repeated', () => {
  check(
    fc.property(span, lookups, (length, seconds) => {
      const walk = walkOf(length)
      for (const at of seconds) {
        const fresh = walkOf(length).at(at)
        expect(walk.at(at)).toBe(fresh)
        expect(walk.at(at)).toBe(fresh)
      }
    }),
    200,
  )
})

test('behavior: neighbouring seconds have the same value in both directions', () => {
  for (const start of [0, 2_147_483_648 - 500, 4_194_304 * 418 - 500, LATEST - 1000]) {
    const forward = walkOf(4_194_304)
    const backward = walkOf(4_194_304)
    const logs = Array.from({ length: 1000 }, (_, i) => forward.at(start + i))
    for (let i = 999; i >= 0; i--) expect(backward.at(start + i)).toBe(logs[i])
  }
})

test('behavior: an anchor is the value of the walk at a multiple of its span', () => {
  check(
    fc.property(span, fc.integer({ min: 0, max: 63 }), (length, k) => {
      const walk = walkOf(length)
      expect(walk.at(k * length)).toBe(walk.anchor(k * length))
    }),
  )
})

test('behavior: a midpoint is the mean of the ends of its node and its displacement', () => {
  check(
    fc.property(span, node(16), (length, { level, size, start }) => {
      const walk = walkOf(length)
      const mean = (walk.at(start) + walk.at(start + size)) * 0.5
      expect(walk.at(start + size / 2)).toBe(mean + walk.displacement(level, start + size / 2))
    }),
    500,
  )
})

test('behavior: no point inside a node is beyond its ends by more than the overshoot of its level', () => {
  check(
    fc.property(span, node(10), (length, { level, size, start }) => {
      const walk = walkOf(length)
      const ends = [walk.at(start), walk.at(start + size)]
      const inside = Array.from({ length: size - 1 }, (_, i) => walk.at(start + 1 + i))
      expect(Math.max(...inside)).toBeLessThanOrEqual(Math.max(...ends) + walk.maxOvershoot[level]!)
      expect(Math.min(...inside)).toBeGreaterThanOrEqual(Math.min(...ends) - walk.maxOvershoot[level]!)
    }),
    200,
  )
})

test('behavior: the overshoot bounds the largest possible displacements, not only the drawn ones', () => {
  const walk = walkOf(65_536)
  const most = (0.4 + 0.22) * Math.sqrt(3 / 31_557_600)
  // The highest point of a node with level ends, when every midpoint below is displaced upwards by the most.
  const rise = (level: number): number => {
    let worst = 0
    const climb = (at: number, a: number, b: number): void => {
      if (at === 0) return
      const middle = (a + b) / 2 + (most * Math.sqrt(2 ** at)) / 2
      worst = Math.max(worst, middle)
      climb(at - 1, a, middle)
      climb(at - 1, middle, b)
    }
    climb(level, 0, 0)
    return worst
  }
  for (let level = 1; level <= 14; level++) expect(walk.maxOvershoot[level]).toBeGreaterThanOrEqual(rise(level))
})

test('behavior: maxAbsLog bounds every log price, and the largest possible one is close to it', () => {
  const options = { span: 65_536, drivers: { one: 0.4, other: -0.22 } }
  const { rootLevel, maxOvershoot } = createWalk({ seed: '42', ...options })
  const anchor = (0.4 + 0.22) * Math.sqrt(3 / 31_557_600) * Math.sqrt(65_536 / 2)
  expect(maxAbsLog(options)).toBeGreaterThanOrEqual(anchor + maxOvershoot[rootLevel]! - 1e-13)
  expect(maxAbsLog(options)).toBeLessThan((anchor + maxOvershoot[rootLevel]!) * 1.05)
})

test('args: drivers: opposite volatilities give the mirrored walk', () => {
  const up = createWalk({ seed: '42', span: 65_536, drivers: { usd: 0.05, own: 0.02 } })
  const down = createWalk({ seed: '42', span: 65_536, drivers: { usd: -0.05, own: -0.02 } })
  check(
    fc.property(second, at => {
      expect(down.at(at)).toBe(-up.at(at))
    }),
  )
})

test('args: drivers: a walk without volatility is constant', () => {
  const walk = createWalk({ seed: '42', span: 65_536, drivers: { still: 0 } })
  check(
    fc.property(second, at => {
      expect(Math.abs(walk.at(at))).toBe(0)
    }),
  )
})

test('args: seed: two seeds give two walks', () => {
  const walk = createWalk({ seed: '43', span: 4_194_304, drivers: DRIVERS })
  check(
    fc.property(second, at => {
      expect(walk.at(at)).not.toBe(walkOf(4_194_304).at(at))
    }),
  )
})
