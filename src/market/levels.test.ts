import { describe, expect, it, test, vi } from 'vitest'
import { createFeedPath } from './feed-path.js'
import { parseFeeds } from './feeds-file.js'
import { alongLevels, fitsFeed, type Leader, rampTo, scaledBy, toUnits } from './levels.js'
import type { PricePath } from './path.js'
import { transformedPath } from './price-transform.js'
import { repeatedWindows } from './windows.js'
import { withoutTicks } from './without-ticks.js'

const { POSITIVE_INFINITY: EVER } = Number
const feed = parseFeeds(
  { extends: 'none', feeds: [{ id: 'ACMEUSD', base: 100, drivers: { a: 2 }, heartbeat: 4, step: 1000, lag: 0 }] },
  'feeds',
)[0]!
const path = createFeedPath('7', feed)
const window = { from: 1000, until: EVER }

test('default: without levels the price stays at the one in force at the start', () => {
  const { at, breakpointAfter } = alongLevels(path, []).in(window)
  expect([1000, 1004, 1e9].map(second => at(7, second))).toEqual(Array(3).fill(path.at(1000)))
  expect([999, 1000].map(second => breakpointAfter!(second))).toEqual([1000, EVER])
})

test('args: levels: straight lines from the start through each level, then constant', () => {
  const start = path.at(1000)
  const { at, breakpointAfter } = alongLevels(path, [
    { at: 10, price: start + 100 },
    { at: 30, price: start - 100 },
  ]).in(window)
  expect([1000, 1005, 1010, 1015, 1020, 1030, 1031].map(second => at(7, second) - start)).toEqual([
    0, 50, 100, 50, 0, -100, -100,
  ])
  expect([0, 1000, 1009, 1010, 1030].map(second => breakpointAfter!(second))).toEqual([1000, 1010, 1010, 1030, EVER])
})

test('args: levels: a level at 0 applies at once', () => {
  const { at } = alongLevels(path, [
    { at: 0, price: 5 },
    { at: 2, price: 9 },
  ]).in(window)
  expect([1000, 1001, 1002].map(second => at(7, second))).toEqual([5, 7, 9])
})

test('behavior: without a price at the start, the first tick counts', () => {
  const gone = withoutTicks(path, repeatedWindows(990, [{ from: 0, until: 50 }]), 'hole')
  expect(alongLevels(gone, []).in(window).at(7, 1040)).toBe(path.at(1040))
  const never = withoutTicks(path, repeatedWindows(0, [{ from: 0, until: EVER }]), 'hole')
  expect(alongLevels(never, []).in(window).at(7, 1040)).toBe(7)
  expect(
    alongLevels(never, [{ at: 50, price: 3 }])
      .in(window)
      .at(7, 1040),
  ).toBe(3)
})

test('behavior: looking up the start does not mark the path below as applied', () => {
  const markApplied = vi.fn()
  const below = transformedPath(
    path,
    { windows: repeatedWindows(0, [{ from: 0, until: EVER }]), appliedAt: 0, feed, markApplied },
    { in: () => ({ at: () => 3000 }), bounds: () => [3000, 3000] },
  )
  expect(alongLevels(below, []).in(window).at(7, 1000)).toBe(3000)
  expect(markApplied).not.toHaveBeenCalled()
})

test('args: factor: at once, or in a straight line', () => {
  const [now, later] = [rampTo(3).in(window), rampTo(3, 10).in(window)]
  expect([1000, 1001, 1e9].map(second => now.at(7, second))).toEqual([21, 21, 21])
  expect([1000, 1005, 1010, 1e9].map(second => later.at(7, second))).toEqual([7, 14, 21, 21])
})

test('default: toUnits and fitsFeed', () => {
  expect(toUnits(1.5, feed)).toBe(150_000_000)
  expect([1e-5, 100, 90_071_992.5].map(price => fitsFeed(price, feed))).toEqual([undefined, undefined, undefined])
  for (const price of [0.9e-5, 90_071_993])
    expect(fitsFeed(price, feed)).toBe('a price from 0.00001 to 90000000, which ACMEUSD can have')
})

/** The part of time; only levels of a leader depend on it. */
const HERE = { from: 0, to: 0 }

test('behavior: bounds of each rule', () => {
  expect(rampTo(3).bounds(2, 5, 1, HERE)).toEqual([2, 15])
  expect(rampTo(0.5, 10).bounds(2, 5, 5, HERE)).toEqual([1.5, 5])
  expect(scaledBy(passed => 1 + passed).bounds(2, 5, 9, HERE)).toEqual([2, 50])
  const levels = [
    { at: 0, price: 1 },
    { at: 5, price: 4 },
  ]
  expect(alongLevels(path, levels).bounds(2, 3, 5, HERE)).toEqual([1, 4])
  // A window that ends before the second level reaches a fifth of the way to it.
  expect(alongLevels(path, levels).bounds(1, 1, 1, HERE)).toEqual([1, 1.6])
  expect(alongLevels(path, [{ at: 100, price: 1000 }]).bounds(10, 20, 50, HERE)).toEqual([10, 510])
  expect(alongLevels(path, []).bounds(2, 3, 1, HERE)).toEqual([2, 3])
})

test('behavior: the bounds hold every level that a window reaches, in between as well', () => {
  const levels = [
    { at: 10, price: 500 },
    { at: 20, price: 10 },
    { at: 30, price: 100 },
  ]
  expect(alongLevels(path, levels).bounds(90, 110, 60, HERE)).toEqual([10, 500])
  expect(alongLevels(path, levels).bounds(90, 110, 12, HERE)).toEqual([90, 500])
})

describe('levels of a leader', () => {
  /** A path with a tick every second at these prices, the last one for ever. */
  const listPath = (...prices: number[]): PricePath => {
    const at = (tick: number): number => prices[Math.min(tick, prices.length - 1)]!
    const lastTick = (second: number): number | undefined => (second < 0 ? undefined : second)
    const extremes = (from: number, to: number) => {
      const ticks = Array.from({ length: to - from + 1 }, (_, i) => ({ ts: from + i, price: at(from + i) }))
      const sorted = ticks.toSorted((a, b) => a.price - b.price)
      return { low: sorted[0]!, high: sorted.at(-1)! }
    }
    return { at, lastTick, nextTick: second => Math.max(0, second), extremes, holes: () => [] }
  }
  const child = listPath(50, 52, 54, 60)
  const leaderOf = (path: PricePath, offset = 0, appliedAt = 0): Leader => ({ path, offset, appliedAt, ratio: 0.5 })
  const level = { at: 10, price: 300 }
  const priceOf = (leader: Leader, from: number, second: number) =>
    alongLevels(child, [level], leader).in({ from, until: 1e9 }).at(1, second)

  it('default: the price changes by the ratio of the leader since the start of the window', () => {
    const leader = leaderOf(listPath(100, 100, 120, 150))
    // At second 2 the leader is at 120 and goes to 300, two and a half times as much: 54 goes to 135.
    expect([2, 7, 12, 99].map(second => priceOf(leader, 2, second))).toEqual([54, 94.5, 135, 135])
  })

  it('behavior: the leader starts at the tick that is published at the same time, not before the scenario', () => {
    expect(priceOf(leaderOf(listPath(100, 100, 120, 150), 1), 2, 99)).toBe((54 * 300) / 150)
    expect(priceOf(leaderOf(listPath(100, 100, 120, 150), 0, 3), 2, 99)).toBe((54 * 300) / 150)
  })

  it('behavior: where the leader has no price, the usual ratio counts', () => {
    expect(priceOf(leaderOf(listPath(100), -5), 2, 99)).toBe(150)
  })

  it('behavior: bounds hold for every price of the leader at which a window may start', () => {
    const leader = leaderOf(listPath(100, 100, 120, 150))
    const [low, high] = alongLevels(child, [level], leader).bounds(50, 60, 100, { from: 0, to: 5 })
    for (const from of [0, 1, 2, 3, 4, 5])
      for (const second of [from, from + 5, from + 10, from + 99]) {
        expect(priceOf(leader, from, second)).toBeGreaterThanOrEqual(low)
        expect(priceOf(leader, from, second)).toBeLessThanOrEqual(high)
      }
  })
})
