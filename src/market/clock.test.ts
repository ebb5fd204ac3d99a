// The clock against its own definition in exact arithmetic, and against the shares that the bounds of searches allow.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sharesAt } from '../../test/support/reach.js'
import { check } from '../../test/support/seed.js'
import { aheadOf, chooseOf, clockOf, distanceOf, usualAt } from './cascade.js'
import { ACTIVITY, FEED_GROUPS, type FeedGroup } from './groups.js'
import { keysOf, scatter } from './random.js'

/** The start of the first block and the end of the last one. */
const [FIRST, LAST] = [-125_829_120, 4_303_355_904]
/** From second `FIRST` on; starts of nodes of 2^16 s. */
const second = fc.integer({ min: FIRST / 65_536, max: LAST / 65_536 }).map(k => k * 65_536)
const group = fc.constantFrom(...FEED_GROUPS)
const seed = fc.integer({ min: 0, max: 50 }).map(String)

/** Exact for shares, which have 54 bits after the point at most, over all levels. */
const BITS = 54n
const SCALE = 1n << (BITS * 17n)
const exact = (x: number): bigint => {
  const whole = Math.floor(x)
  return BigInt(whole) * SCALE + (BigInt((x - whole) * 2 ** 40) * SCALE) / 2n ** 40n
}
const toNumber = (x: bigint): number => Number((x * 2n ** 60n) / SCALE) / 2 ** 60

/** The time at a second, node by node from 2^32 seconds down to 2^16. */
function exactTime(seed: string, of: FeedGroup, at: number): bigint {
  const { k1, k2 } = keysOf(seed, `waves:${of}`)
  const x = usualAt(aheadOf(of), at) + 2 ** 28 + (keysOf(seed, `waves offset:${of}`).k1 >>> 1)
  const period = Math.floor(x / 2 ** 32)
  let [start, time, mass] = [0, exact(period * 2 ** 32), exact(2 ** 32)]
  let rest = x - period * 2 ** 32
  for (let level = 32; level > 16; level--) {
    const half = 2 ** (level - 1)
    const distance = distanceOf(chooseOf(k1, k2 | 1, scatter((start + half) / 65_536)))
    const share = 0.5 + ACTIVITY[of].unevenness(level) * distance
    const left = (mass * BigInt(share * 2 ** Number(BITS))) >> BITS
    if (rest < half) mass = left
    else {
      time += left
      mass -= left
      rest -= half
      start += half
    }
  }
  return time + (mass * exact(rest)) / (65_536n * SCALE)
}

test('default', () => {
  const clock = clockOf('42', 'crypto')
  expect(clock(1_753_219_072)).toBe(clock(1_753_219_072))
  expect(clockOf('42', 'crypto')).toBe(clock)
  // In the long run time passes as it usually does.
  const passed = (clock(LAST) - clock(FIRST)) / (LAST - FIRST)
  expect(passed).toBeGreaterThan(0.8)
  expect(passed).toBeLessThan(1.25)
})

test('behavior: rounding changes a time by less than a hundred-thousandth of a second', () => {
  check([seed, group, second], 2000, (seed, of, at) => {
    const difference = toNumber(exact(clockOf(seed, of)(at)) - exactTime(seed, of, at))
    expect(Math.abs(difference)).toBeLessThan(1e-5)
  })
})

test('behavior: it rises, by so much that rounding leaves the shares of halves within their bounds', () => {
  const bounds = new Map(
    FEED_GROUPS.map(of => [
      of,
      [17, 18, 19].map(level => [sharesAt(of, level)[0]![0], sharesAt(of, level).at(-1)![1]]),
    ]),
  )
  let shortest = Number.POSITIVE_INFINITY
  for (const of of FEED_GROUPS)
    for (const seed of ['42', '1', '2', '3']) {
      const clock = clockOf(seed, of)
      for (let start = 0; start < 2 ** 32 - 2 ** 24; start += 2 ** 19)
        for (const level of [17, 18, 19]) {
          const [from, middle, until] = [0, 0.5, 1].map(part => clock(start + part * 2 ** level)) as [
            number,
            number,
            number,
          ]
          shortest = Math.min(shortest, middle - from, until - middle)
          const [least, most] = bounds.get(of)![level - 17]!
          const share = (middle - from) / (until - from)
          if (!(share > least! && share < most!)) expect.fail(`${of} ${seed} ${start} ${level}: ${share}`)
        }
    }
  expect(shortest).toBeGreaterThan(1)
})

test('args: seed and group: each has a time of its own', () => {
  const times = FEED_GROUPS.flatMap(of => ['42', '43'].map(seed => clockOf(seed, of)(1_753_219_072)))
  expect(new Set(times).size).toBe(6)
})
