// The bounds of src/market/reach.ts are those that test/support/reach.ts computes from above, rounded up.
import { expect, test } from 'vitest'
import { FEED_GROUPS } from '../../src/market/groups.js'
import { RISE, SLOPES, TAIL } from '../../src/market/reach.js'
import { KEPT_SLOPES, reachFromAbove } from '../support/reach.js'

/** The level of a root. */
const HIGHEST = 16

test('behavior: the bounds are the computed ones', () => {
  expect(SLOPES).toEqual(KEPT_SLOPES)
  const groups = FEED_GROUPS.map(group => reachFromAbove(group, HIGHEST))
  for (let level = 1; level <= HIGHEST; level++) {
    const levels = groups.map(levels => levels[level]!)
    for (const k of SLOPES.keys()) {
      const rise = Math.max(0, ...levels.map(computed => computed.rise[k]!))
      expect(RISE[k]![level]! - rise, `level ${level}`).toBeGreaterThanOrEqual(0)
      expect(RISE[k]![level]! - rise, `level ${level}`).toBeLessThan(0.0011)
    }
    const tail = Math.max(...levels.map(computed => computed.tail))
    expect(TAIL[level]! - tail, `level ${level}`).toBeGreaterThanOrEqual(0)
    expect(TAIL[level]! - tail, `level ${level}`).toBeLessThan(0.011)
  }
})
