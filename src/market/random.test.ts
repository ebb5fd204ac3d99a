// The hash behind every price: range, purity and keys. Whether it is random enough is a matter of test/properties.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check, IS_FULL_RUN } from '../../test/support/seed.js'
import { keysOf, scatter, uniformOf } from './random.js'

const int32 = fc.integer({ min: -2_147_483_648, max: 2_147_483_647 })
const second = fc.integer({ min: 0, max: 4_294_967_295 })

test('default', () => {
  const { k1, k2 } = keysOf('42', 'BTCUSD')
  const u = uniformOf(k1, k2, scatter(1_753_354_105))
  expect(u).toBeGreaterThanOrEqual(-1)
  expect(u).toBeLessThan(1)
  expect(uniformOf(k1, k2, scatter(1_753_354_105))).toBe(u)
  expect(uniformOf(k1, k2, scatter(1_753_354_106))).not.toBe(u)
})

test('behavior: the keys depend on seed and name only, not on earlier calls', () => {
  const first = keysOf('42', 'BTCUSD')
  keysOf('42', 'ETHUSD')
  expect(keysOf('42', 'BTCUSD')).toEqual(first)
  const all = ['42', '43', '4', ''].flatMap(seed =>
    ['BTCUSD', 'BTCUSE', 'btcusd', 'B', ''].map(name => keysOf(seed, name)),
  )
  expect(new Set(all.map(({ k1 }) => k1)).size).toBe(all.length)
  expect(new Set(all.map(({ k2 }) => k2)).size).toBe(all.length)
})

test('behavior: the keys are whole numbers of 32 bits', () => {
  check([fc.string(), fc.string()], (seed, name) => {
    const { k1, k2 } = keysOf(seed, name)
    expect([k1 | 0, k2 | 0]).toEqual([k1, k2])
  })
})

test('behavior: names do not share a stream', () => {
  const random = Math.random
  keysOf('42', 'BTCUSD')
  expect(Math.random).toBe(random)
})

test('behavior: the scattered second is that of the finaliser of MurmurHash3', () => {
  const expected = (h: bigint): number => {
    const mask = 0xffff_ffffn
    let x = h & mask
    x = ((x ^ (x >> 16n)) * 0x85ebca6bn) & mask
    x = ((x ^ (x >> 13n)) * 0xc2b2ae35n) & mask
    return Number(BigInt.asIntN(32, x ^ (x >> 16n)))
  }
  expect(scatter(1) >>> 0).toBe(0x514e28b7)
  check([second], value => {
    expect(scatter(value)).toBe(expected(BigInt(value)))
  })
})

test('behavior: seconds count modulo 2^32, so signed and unsigned ones are the same', () => {
  check([second], value => {
    expect(scatter(value | 0)).toBe(scatter(value))
    expect(scatter(value + 4_294_967_296)).toBe(scatter(value))
  })
})

test('behavior: a number is a whole multiple of 2^−31 in [−1, 1)', () => {
  check([int32, int32, int32], 1000, (k1, k2, scattered) => {
    const u = uniformOf(k1, k2, scattered)
    expect(u * 2_147_483_648).toBe((u * 2_147_483_648) | 0)
  })
})

test('behavior: no two of many seconds share their number', () => {
  const { k1, k2 } = keysOf('42', 'crypto')
  const numbers = Float64Array.from({ length: IS_FULL_RUN ? 1_000_000 : 300_000 }, (_, i) =>
    uniformOf(k1, k2, scatter(1_700_000_000 + i)),
  ).sort()
  let equal = 0
  for (let i = 1; i < numbers.length; i++) if (numbers[i] === numbers[i - 1]) equal++
  expect(equal).toBe(0)
})
