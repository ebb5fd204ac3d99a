import { expect, test, vi } from 'vitest'
import { createFeedPath } from './feed-path.js'
import { readFeeds } from './feeds-file.js'
import { fitsFeed, levelRepricing, rampTo, toUnits } from './levels.js'
import { repricedPath } from './repriced.js'
import { repeatedWindows } from './windows.js'
import { withoutTicks } from './without-ticks.js'

const { POSITIVE_INFINITY: EVER } = Number
const feed = readFeeds(
  { extends: 'none', feeds: [{ id: 'ACMEUSD', base: 100, drivers: { a: 2 }, heartbeat: 4, step: 1000, lag: 0 }] },
  'feeds',
)[0]!
const path = createFeedPath('7', feed)
const window = { from: 1000, until: EVER }

test('default: without levels the price stays where it is at the start', () => {
  const { at, turns } = levelRepricing(path, window, [])
  expect([1000, 1004, 1e9].map(second => at(7, second))).toEqual(Array(3).fill(path.at(1000)))
  expect(turns).toEqual([1000])
})

test('args: levels: straight lines from the start through each, and the last one holds', () => {
  const start = path.at(1000)
  const { at, turns } = levelRepricing(path, window, [
    { at: 10, price: start + 100 },
    { at: 30, price: start - 100 },
  ])
  expect([1000, 1005, 1010, 1015, 1020, 1030, 1031].map(second => at(7, second) - start)).toEqual([
    0, 50, 100, 50, 0, -100, -100,
  ])
  expect(turns).toEqual([1000, 1010, 1030])
})

test('args: levels: one at 0 is there at once', () => {
  const { at } = levelRepricing(path, window, [
    { at: 0, price: 5 },
    { at: 2, price: 9 },
  ])
  expect([1000, 1001, 1002].map(second => at(7, second))).toEqual([5, 7, 9])
})

test('behavior: where there is no price at the start, it is that of the first tick', () => {
  const gone = withoutTicks(path, repeatedWindows(990, [{ from: 0, until: 50 }]), 'hole')
  expect(levelRepricing(gone, window, []).at(7, 1040)).toBe(path.at(1040))
  const never = withoutTicks(path, repeatedWindows(0, [{ from: 0, until: EVER }]), 'hole')
  expect(levelRepricing(never, window, []).at(7, 1040)).toBe(7)
  expect(levelRepricing(never, window, [{ at: 50, price: 3 }]).at(7, 1040)).toBe(3)
})

test('behavior: looking the start up is not an answer of the path below', () => {
  const touch = vi.fn()
  const below = repricedPath(
    path,
    repeatedWindows(0, [{ from: 0, until: EVER }]),
    feed,
    () => ({ at: () => 3000, turns: [] }),
    touch,
  )
  expect(levelRepricing(below, window, []).at(7, 1000)).toBe(3000)
  expect(touch).not.toHaveBeenCalled()
})

test('args: factor: at once, or in a straight line', () => {
  const [now, later] = [rampTo(window, 3), rampTo(window, 3, 10)]
  expect([1000, 1001, 1e9].map(second => now.at(7, second))).toEqual([21, 21, 21])
  expect([1000, 1005, 1010, 1e9].map(second => later.at(7, second))).toEqual([7, 14, 21, 21])
})

test('default: a price in units of its feed, and whether the feed can have it', () => {
  expect(toUnits(1.5, feed)).toBe(150_000_000)
  expect([1e-5, 100, 90_071_992.5].map(price => fitsFeed(price, feed))).toEqual([undefined, undefined, undefined])
  for (const price of [0.9e-5, 90_071_993])
    expect(fitsFeed(price, feed)).toBe('a price from 0.00001 to 90100000, which ACMEUSD can have')
})
