// The bounds of src/market/reach.ts are those that test/support/reach.ts computes from above.
import { expect, test } from 'vitest'
import { REACH } from '../../src/market/reach.js'
import { reachFromAbove } from '../support/reach.js'

test.each(['crypto', 'fx'] as const)('behavior: the bounds of %s are above the computed ones, by rounding', group => {
  const { reach, slopeReach } = REACH[group]
  for (const [level, computed] of reachFromAbove(group, 26).entries()) {
    if (level === 0) continue
    expect(reach[level], `level ${level}`).toBeGreaterThanOrEqual(computed.reach)
    expect(reach[level], `level ${level}`).toBeLessThan(computed.reach + 0.0011)
    expect(slopeReach[level], `level ${level}`).toBeGreaterThanOrEqual(computed.slopeReach)
    expect(slopeReach[level], `level ${level}`).toBeLessThan(computed.slopeReach + 0.011)
  }
})
