// The exponential against the one of the engine, and the table of powers against exact integers.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { exponential, POWERS_OF_TEN } from './pricing.js'

const log = fc.double({ min: -2, max: 2, noNaN: true })

test('default', () => {
  expect(exponential(0)).toBe(1)
  expect(exponential(0.01)).toBeCloseTo(Math.exp(0.01), 6)
  expect(exponential(-0.01)).toBeCloseTo(Math.exp(-0.01), 6)
})

test('behavior: it is as near to e^x as (1 + x/1024)^1024 is', () => {
  check(
    fc.property(log, x => {
      // ln (1 + y)^n = n · (y − y²/2 + …): the first term left out is x²/2048.
      const relative = exponential(x) / Math.exp(x) - 1
      expect(Math.abs(relative)).toBeLessThanOrEqual((x * x) / 2048 + Math.abs(x ** 3) / 1e6 + 1e-12)
    }),
    1000,
  )
})

test('behavior: a higher log price never gives a lower price, down to the last bit', () => {
  check(
    fc.property(log, fc.integer({ min: 1, max: 1000 }), (x, bits) => {
      const higher = x + Math.max(Math.abs(x), 1e-3) * bits * Number.EPSILON
      expect(exponential(higher)).toBeGreaterThanOrEqual(exponential(x))
    }),
    2000,
  )
})

test('behavior: it equals ten squarings', () => {
  check(
    fc.property(log, x => {
      const squared = (y: number, times: number): number => (times === 0 ? y : squared(y * y, times - 1))
      expect(exponential(x)).toBe(squared(1 + x / 1024, 10))
    }),
  )
})

test('behavior: powers of ten are exact', () => {
  expect(POWERS_OF_TEN.map(BigInt)).toEqual(Array.from({ length: 19 }, (_, i) => 10n ** BigInt(i)))
})
