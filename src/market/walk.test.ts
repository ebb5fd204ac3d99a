// The walk is a function of the second: whatever was looked up before, and at both ends of the mock's time.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { nodeAt } from '../../test/support/tree.js'
import { FEED_GROUPS, type FeedGroup } from './groups.js'
import { reachOf } from './reach.js'
import { createNoise, createWalk, type Walk } from './walk.js'

const DRIVERS = { crypto: 0.4, BTCUSD: 0.22 }
/** The last second of 2105. */
const LATEST = 4_291_747_199
/** Blocks are counted from here. */
const REFERENCE = 418 * 2 ** 22
const walkOf = (span: number, group: FeedGroup = 'crypto'): Walk =>
  createWalk({ seed: '42', group, span, drivers: DRIVERS })

const span = fc.constantFrom(65_536, 262_144, 4_194_304, 134_217_728)
const second = fc.oneof(
  fc.integer({ min: 0, max: LATEST }),
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 2_147_483_640, max: 2_147_483_656 }),
  fc.integer({ min: LATEST - 20, max: LATEST }),
  // Ends of blocks, with their neighbours: 2025-07-22T21:17:52Z is one.
  fc
    .integer({ min: -13, max: 18 })
    .chain(k => fc.constantFrom(-1, 0, 1, 65_536).map(at => REFERENCE + k * 134_217_728 + at)),
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

test('behavior: a look-up equals that of a fresh walk, in any order and when repeated', () => {
  check([span, lookups], 200, (length, seconds) => {
    const walk = walkOf(length)
    for (const at of seconds) {
      const fresh = walkOf(length).at(at)
      expect(walk.at(at)).toBe(fresh)
      expect(walk.at(at)).toBe(fresh)
    }
  })
})

const group = fc.constantFrom(...FEED_GROUPS)

test('behavior: a second is an end of its node, whatever the level, down to the last bit', () => {
  check([span, group, node(16)], 500, (length, of, { level, start }) => {
    const walk = walkOf(length, of)
    const { a, b } = nodeAt(walk, start, level)
    expect(walk.at(start)).toBe(a)
    expect(walk.at(start + 2 ** level)).toBe(b)
  })
})

test('behavior: no point inside a node is beyond its ends by more than its reach', () => {
  check([span, group, fc.oneof(node(10), node(16))], 200, (length, of, { level, size, start }) => {
    const walk = walkOf(length, of)
    const { a, b, s } = nodeAt(walk, start, level)
    const step = Math.max(1, size / 1024)
    const inside = Array.from({ length: size / step - 1 }, (_, i) => walk.at(start + (i + 1) * step))
    const most = reachOf(walk.reach, level, Math.abs(b - a), s)
    expect(Math.max(...inside)).toBeLessThanOrEqual(Math.max(a, b) + most)
    expect(Math.min(...inside)).toBeGreaterThanOrEqual(Math.min(a, b) - most)
  })
})

test('behavior: the halves of a node have its variance, divided by its split', () => {
  check([group, second, fc.integer({ min: 2, max: 16 })], 500, (of, at, level) => {
    const walk = walkOf(4_194_304, of)
    const { start, s } = nodeAt(walk, at, level)
    const [left, right] = [start, start + 2 ** (level - 1)].map(half => nodeAt(walk, half, level - 1).s)
    expect(left! ** 2 + right! ** 2).toBeCloseTo(s ** 2, 14)
    expect(Math.min(left!, right!)).toBeGreaterThan(0)
  })
})

test('args: trend: a driver that is none counts in nodes of three days and less, and nowhere above', () => {
  const drivers = { crypto: 0.4, basis: 0.1 }
  const options = { seed: '42', group: 'crypto', span: 134_217_728, drivers } as const
  const [trend, walk] = [{ crypto: 0.4 }, createWalk({ ...options, trend: { crypto: 0.4 } })]
  const parent = createWalk({ ...options, drivers: trend })
  const size = 2 ** 18
  for (let at = 6000 * size; at < 6100 * size; at += size) {
    expect(walk.at(at)).toBe(parent.at(at))
    expect(walk.at(at + size / 2)).not.toBe(parent.at(at + size / 2))
  }
})

test('args: group: walks of a group have their wild hours together, and groups apart', () => {
  const deviations = (walk: Walk): number[] =>
    Array.from({ length: 500 }, (_, k) => nodeAt(walk, 1_700_000_000 + k * 4096, 12).s)
  const own = createWalk({ seed: '42', group: 'crypto', span: 4_194_304, drivers: { ETHUSD: 0.3 } })
  expect(deviations(own)).toEqual(deviations(walkOf(4_194_304)))
  expect(deviations(walkOf(4_194_304, 'fx'))).not.toEqual(deviations(own))
})

test('args: drivers: opposite volatilities give the mirrored walk', () => {
  const up = createWalk({ seed: '42', group: 'fx', span: 65_536, drivers: { usd: 0.05, own: 0.02 } })
  const down = createWalk({ seed: '42', group: 'fx', span: 65_536, drivers: { usd: -0.05, own: -0.02 } })
  check([second], at => {
    expect(down.at(at)).toBe(-up.at(at))
  })
})

test('args: drivers: a walk without volatility is constant', () => {
  const walk = createWalk({ seed: '42', group: 'fx', span: 65_536, drivers: { still: 0 } })
  check([second], at => {
    expect(Math.abs(walk.at(at))).toBe(0)
  })
})

test('args: seed: two seeds give two walks', () => {
  const walk = createWalk({ seed: '43', group: 'crypto', span: 4_194_304, drivers: DRIVERS })
  check([second], at => {
    expect(walk.at(at)).not.toBe(walkOf(4_194_304).at(at))
  })
})

const scattered = fc.integer({ min: 0, max: 4_294_967_295 })
const volatility = fc.integer({ min: -500, max: 500 }).map(percent => percent / 100)
const drivers = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), volatility), {
    minLength: 1,
    selector: ([name]) => name,
  })
  .map(entries => Object.fromEntries(entries))

test('default: the noise of some drivers', () => {
  const noise = createNoise('42', { crypto: 0.4, BTCUSD: 0.22 })
  expect(noise.bound).toBeCloseTo(0.62, 12)
  expect(noise.at(1_753_354_105)).toBe(noise.at(1_753_354_105))
  expect(noise.at(1_753_354_105)).not.toBe(noise.at(1_753_354_106))
})

test('behavior: the noise is the sum of its drivers, each alone', () => {
  check([drivers, scattered], (all, at) => {
    const alone = Object.entries(all).map(([name, volatility]) => createNoise('42', { [name]: volatility }).at(at))
    expect(createNoise('42', all).at(at)).toBe(alone.reduce((sum, part) => sum + part))
  })
})

test('behavior: no noise is above its bound', () => {
  check([drivers, fc.array(scattered, { minLength: 100, maxLength: 100 })], (all, seconds) => {
    const { at, bound } = createNoise('42', all)
    expect(Math.max(...seconds.map(second => Math.abs(at(second))))).toBeLessThanOrEqual(bound)
  })
})

test('args: drivers: a negative one moves against the same driver', () => {
  check([scattered], at => {
    expect(createNoise('42', { usd: -0.3 }).at(at)).toBe(-createNoise('42', { usd: 0.3 }).at(at))
  })
})

test('args: seed: two seeds give different noise', () => {
  check([scattered], at => {
    expect(createNoise('42', { usd: 0.3 }).at(at)).not.toBe(createNoise('43', { usd: 0.3 }).at(at))
  })
})
