import { expect, test, vi } from 'vitest'
import { untracked } from './change-tracking.js'
import { createFeedPath } from './feed-path.js'
import { catalogueFeeds } from './feeds-file.js'
import { rampTo } from './levels.js'
import type { PricePath } from './path.js'
import { transformedPath } from './price-transform.js'
import { repeatedWindows } from './windows.js'
import { withoutTicks } from './without-ticks.js'

const feed = catalogueFeeds()[0]!
const base: PricePath = createFeedPath('7', feed)
const always = repeatedWindows(0, [{ from: 0, until: Number.POSITIVE_INFINITY }])
const scaled = (below: typeof base, factor: number, markApplied: () => void) =>
  transformedPath(below, { windows: always, appliedAt: 0, feed, markApplied }, rampTo(factor))

test('default: each layer reports its own changes', () => {
  const [first, second] = [vi.fn(), vi.fn()]
  const path = scaled(scaled(base, 2, first), 1, second)
  path.at(100)
  path.extremes(100, 200)
  expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([2, 0])
})

test('behavior: an untracked path reports nothing and gives the same answers', () => {
  const markApplied = vi.fn()
  const path = withoutTicks(
    scaled(base, 2, markApplied),
    repeatedWindows(150, [{ from: 0, until: 20 }]),
    'hole',
    markApplied,
  )
  const plain = untracked(path)
  const answers = [
    plain.at(100),
    plain.extremes(100, 200),
    plain.lastTick(160),
    plain.nextTick(160),
    plain.holes(0, 999),
  ]
  expect(markApplied).not.toHaveBeenCalled()
  expect([path.at(100), path.extremes(100, 200), path.lastTick(160), path.nextTick(160), path.holes(0, 999)]).toEqual(
    answers,
  )
  expect(markApplied).toHaveBeenCalled()
  expect(untracked(base)).toBe(base)
})

test('behavior: a look-up is made once, however many layers there are', () => {
  const at = vi.fn(base.at)
  let path: typeof base = { ...base, at }
  for (let i = 0; i < 20; i++) path = scaled(path, 1.01, () => {})
  path.at(100)
  expect(at).toHaveBeenCalledTimes(1)
})
