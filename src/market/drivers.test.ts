// The noise of several drivers is the sum of each alone, and never above its bound.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { createNoise } from './drivers.js'

const second = fc.integer({ min: 0, max: 4_294_967_295 })
const volatility = fc.integer({ min: -500, max: 500 }).map(percent => percent / 100)
const drivers = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), volatility), {
    minLength: 1,
    selector: ([name]) => name,
  })
  .map(entries => Object.fromEntries(entries))

test('default', () => {
  const noise = createNoise('42', { crypto: 0.4, BTCUSD: 0.22 })
  expect(noise.bound).toBeCloseTo(0.62, 12)
  expect(noise.at(1_753_354_105)).toBe(noise.at(1_753_354_105))
  expect(noise.at(1_753_354_105)).not.toBe(noise.at(1_753_354_106))
})

test('behavior: the noise is the sum of its drivers, each alone', () => {
  check(
    fc.property(drivers, second, (all, at) => {
      const alone = Object.entries(all).map(([name, volatility]) => createNoise('42', { [name]: volatility }).at(at))
      expect(createNoise('42', all).at(at)).toBe(alone.reduce((sum, part) => sum + part))
    }),
  )
})

test('behavior: no noise is above its bound', () => {
  check(
    fc.property(drivers, fc.array(second, { minLength: 100, maxLength: 100 }), (all, seconds) => {
      const { at, bound } = createNoise('42', all)
      expect(Math.max(...seconds.map(second => Math.abs(at(second))))).toBeLessThanOrEqual(bound)
    }),
  )
})

test('args: drivers: a negative one moves against the same driver', () => {
  check(
    fc.property(second, at => {
      expect(createNoise('42', { usd: -0.3 }).at(at)).toBe(-createNoise('42', { usd: 0.3 }).at(at))
    }),
  )
})

test('args: seed: two seeds give different noise', () => {
  check(
    fc.property(second, at => {
      expect(createNoise('42', { usd: 0.3 }).at(at)).not.toBe(createNoise('43', { usd: 0.3 }).at(at))
    }),
  )
})
