// The bounds of the cascades against ways that rise as far as any: they are large enough, and hardly larger.
import { expect, test } from 'vitest'
import { durationFromAbove, highestWay } from '../../test/support/reach.js'
import { FEED_GROUPS } from './groups.js'
import { maxDuration, REACH } from './reach.js'

const LEVELS = Array.from({ length: 26 }, (_, i) => i + 1)
const SLOPES = Array.from({ length: 48 }, (_, i) => 0.4 * 1.12 ** i)

test.each(FEED_GROUPS)('behavior: %s: no way rises above its reach, and one comes within 3 %% of it', group => {
  for (const level of LEVELS) {
    const { rise } = highestWay(group, level)
    const reach = REACH[group].reach[level]!
    expect(rise, `level ${level}`).toBeLessThanOrEqual(reach)
    expect(rise, `level ${level}`).toBeGreaterThan(reach * 0.97)
  }
})

test.each(FEED_GROUPS)(
  'behavior: %s: no way rises above a slope by more than its reach, and one comes near it',
  group => {
    for (const level of LEVELS) {
      const products = SLOPES.map(slope => highestWay(group, level, slope).rise * slope)
      const reach = REACH[group].slopeReach[level]!
      expect(Math.max(...products), `level ${level}`).toBeLessThanOrEqual(reach)
      // Above the season the smallest shares are those of different hours of the week: no way has them all.
      expect(Math.max(...products), `level ${level}`).toBeGreaterThan(reach * (level < 13 ? 0.9 : 0.5))
    }
  },
)

test.each(FEED_GROUPS)('behavior: %s: no root lasts longer', group => {
  for (let level = 16; level <= 26; level++) {
    const longest = durationFromAbove(group, level) * 2 ** level
    expect(maxDuration(group, level)).toBeGreaterThanOrEqual(longest)
    expect(maxDuration(group, level)).toBeLessThan(longest * 1.001)
  }
})
