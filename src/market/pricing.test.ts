// The exponential against the one of the engine, and the table of powers against exact integers.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { createBend, createPricing, exponential, maxLogOf, POWERS_OF_TEN } from './pricing.js'

const log = fc.double({ min: -2, max: 2, noNaN: true })

test('default', () => {
  expect(exponential(0)).toBe(1)
  expect(exponential(0.01)).toBeCloseTo(Math.exp(0.01), 6)
  expect(exponential(-0.01)).toBeCloseTo(Math.exp(-0.01), 6)
})

test('behavior: it is as near to e^x as (1 + x/1024)^1024 is', () => {
  check([log], 1000, x => {
    // ln (1 + y)^n = n · (y − y²/2 + …): the first term left out is x²/2048.
    const relative = exponential(x) / Math.exp(x) - 1
    expect(Math.abs(relative)).toBeLessThanOrEqual((x * x) / 2048 + Math.abs(x ** 3) / 1e6 + 1e-12)
  })
})

test('behavior: a higher log price never gives a lower price, down to the last bit', () => {
  check([log, fc.integer({ min: 1, max: 1000 })], 2000, (x, bits) => {
    const higher = x + Math.max(Math.abs(x), 1e-3) * bits * Number.EPSILON
    expect(exponential(higher)).toBeGreaterThanOrEqual(exponential(x))
  })
})

test('behavior: it equals ten squarings', () => {
  check([log], x => {
    const squared = (y: number, times: number): number => (times === 0 ? y : squared(y * y, times - 1))
    expect(exponential(x)).toBe(squared(1 + x / 1024, 10))
  })
})

test('behavior: powers of ten are exact', () => {
  expect(POWERS_OF_TEN.map(BigInt)).toEqual(Array.from({ length: 19 }, (_, i) => 10n ** BigInt(i)))
})

const limit = fc.constantFrom(0.004, 0.35, 1, 5)
/** Log prices, in units of the limit: most are bent. */
const units = fc.double({ min: -20, max: 20, noNaN: true })

test('behavior: a bent log price keeps to its limit, and those near 0 are not bent', () => {
  check([limit, units], 1000, (most, x) => {
    const { bend } = createBend(most)
    expect(Math.abs(bend(x * most))).toBeLessThanOrEqual(most)
    if (Math.abs(x) < 0.75) expect(bend(x * most)).toBe(x * most)
    expect(bend(-x * most)).toBe(-bend(x * most))
  })
})

test('behavior: bending keeps the order of log prices, down to the last bit', () => {
  check([limit, units, fc.integer({ min: 1, max: 1000 })], 2000, (most, x, bits) => {
    const { bend } = createBend(most)
    const log = x * most
    expect(bend(log + Math.abs(log) * bits * Number.EPSILON)).toBeGreaterThanOrEqual(bend(log))
  })
})

test('behavior: away: no log price beyond it is as near, when bent', () => {
  const distance = fc.double({ min: 0, max: 0.1, noNaN: true })
  check([limit, units, distance, fc.constantFrom(1, -1)], 2000, (most, x, part, sign) => {
    const { bend } = createBend(most)
    const [log, least] = [x * most, part * most]
    const { away } = createPricing({ base: 1, expo: 0, step: 1 }, most)
    const far = away(log, sign as 1 | -1, least)
    if (Number.isFinite(far)) expect(sign * (bend(log) - bend(far))).toBeGreaterThanOrEqual(least)
    // It is not much further than that where nothing is bent.
    if (Math.abs(x) < 0.6) expect(Math.abs(log - far)).toBeLessThan(least + 1e-11)
  })
})

test('behavior: a limit grows with the volatility up to 5, and is that of the parent for a derived feed', () => {
  const [span, short] = [134_217_728, 65_536]
  expect(maxLogOf({ drivers: { crypto: 0.56, BTCUSD: 0.31 }, span })).toBeCloseTo(4 * 0.64 * Math.sqrt(4.253 / 2), 2)
  expect(maxLogOf({ drivers: { a: 3, b: 3 }, span })).toBe(5)
  expect(maxLogOf({ drivers: { a: 0.5, b: 0.9 }, trend: { a: 0.5 }, span })).toBe(
    maxLogOf({ drivers: { a: 0.5 }, span }),
  )
  // The smallest limit leaves a stablecoin within half a percent.
  expect(maxLogOf({ drivers: { peg: 0.0027, USDEUSD: 0.0054 }, span: short })).toBeLessThan(0.0045)
})
