// The bounds of the cascades against ways that rise as far as any: they are large enough, and hardly larger.
import { expect, test } from 'vitest'
import { highestWay } from '../../test/support/reach.js'
import { createReach, reachOf, SLOPES } from './reach.js'

/** The levels of roots and below. */
const LEVELS = Array.from({ length: 16 }, (_, i) => i + 1)
const STEEP = Array.from({ length: 40 }, (_, i) => 0.2 * 1.15 ** i)
const BOUNDS = createReach(1)
/** The way of the group that rises most: the bounds are those of all groups. */
const riseOf = (level: number, slope: number): number =>
  Math.max(...(['crypto', 'fx'] as const).map(group => highestWay(group, level, slope).rise))

test('behavior: no way rises above its reach, and at some slopes one comes within 4 % of it', () => {
  for (const level of LEVELS)
    for (const slope of SLOPES) {
      const [rise, reach] = [riseOf(level, slope), reachOf(BOUNDS, level, slope, 1)]
      expect(rise, `level ${level}, slope ${slope}`).toBeLessThanOrEqual(reach)
      // Steep and above the season, the smallest shares are those of different hours of the week: no way has them all.
      if (level > 2) expect(rise, `level ${level}, slope ${slope}`).toBeGreaterThan(reach * (slope > 2 ? 0.9 : 0.96))
    }
})

test('behavior: no way rises above its reach at any slope', () => {
  for (const level of LEVELS)
    for (const slope of STEEP)
      expect(riseOf(level, slope), `level ${level}, slope ${slope}`).toBeLessThanOrEqual(
        reachOf(BOUNDS, level, slope, 1),
      )
})

test('behavior: far beyond the kept slopes a way comes near the reach', () => {
  for (const level of LEVELS.slice(0, 12)) {
    const shares = STEEP.filter(slope => slope > 3).map(
      slope => riseOf(level, slope) / reachOf(BOUNDS, level, slope, 1),
    )
    if (level > 2) expect(Math.max(...shares), `level ${level}`).toBeGreaterThan(0.9)
  }
})

test('args: bound: a reach grows with the noise and with the deviation', () => {
  const wild = createReach(0.62)
  for (const slope of [0, 0.4, 1.5, 2, 3, 7])
    expect(reachOf(wild, 12, slope * 0.62 * 3, 3)).toBeCloseTo(0.62 * 3 * reachOf(BOUNDS, 12, slope, 1), 12)
})
