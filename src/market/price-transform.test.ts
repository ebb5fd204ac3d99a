import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { everyTick } from '../../test/support/paths.js'
import { check } from '../../test/support/seed.js'
import { createFeedPath } from './feed-path.js'
import { parseFeeds } from './feeds-file.js'
import type { PricePath } from './path.js'
import { breakpointsAt, type PriceTransform, type TransformedPath, transformedPath } from './price-transform.js'
import { repeatedWindows, type Window, type Windows } from './windows.js'

const { POSITIVE_INFINITY: EVER } = Number
const windowsOf = (...list: readonly Window[]) => repeatedWindows(0, list)
const feedOf = (heartbeat: number, step = 1) =>
  parseFeeds(
    { extends: 'none', feeds: [{ id: 'ACMEUSD', base: 100, drivers: { a: 2 }, heartbeat, step, lag: 0 }] },
    'feeds',
  )[0]!
/** Faults that begin between requests, not before the first one. */
const when = (windows: Windows, feed = feedOf(1)): TransformedPath => ({
  windows,
  feed,
  appliedAt: Number.NEGATIVE_INFINITY,
})
/** The reach of factors from 1 to one. */
const scaledBy =
  (factor: number): PriceTransform['bounds'] =>
  (low, high) => [low * Math.min(1, factor), high * Math.max(1, factor)]
const doubled: PriceTransform = { in: () => ({ at: price => price * 2 }), bounds: scaledBy(2) }

/** The prices are those of a look at every tick. */
function expectExtremes(path: PricePath, from: number, to: number): void {
  const found = path.extremes(from, to)
  const wanted = everyTick(path, from, to)
  expect([found?.high.price, found?.low.price]).toEqual([wanted?.high.price, wanted?.low.price])
  for (const { price, ts } of found ? [found.high, found.low] : []) {
    expect(ts >= from && ts <= to).toBe(true)
    expect(path.at(ts)).toBe(price)
  }
}

test('default: prices in the window change, the seconds of ticks do not', () => {
  const base = createFeedPath('7', feedOf(1))
  const path = transformedPath(base, when(windowsOf({ from: 100, until: 200 })), doubled)
  for (const tick of [99, 200]) expect(path.at(tick)).toBe(base.at(tick))
  for (const tick of [100, 150, 199]) expect(path.at(tick)).toBe(base.at(tick) * 2)
  expect([path.lastTick(150), path.nextTick(150), path.holes(0, 300)]).toEqual([150, 150, []])
  expectExtremes(path, 50, 250)
  expectExtremes(path, 100, 100)
})

test('behavior: a window starts with its first tick; one without ticks changes nothing', () => {
  const base = createFeedPath('7', feedOf(8))
  const path = transformedPath(
    base,
    when(windowsOf({ from: 19, until: 20 }, { from: 22, until: 25 }), feedOf(8)),
    doubled,
  )
  expect([8, 16, 24, 32].map(tick => path.at(tick) / base.at(tick))).toEqual([1, 1, 2, 1])
  for (const [from, to] of [
    [0, 40],
    [24, 24],
    [17, 40],
    [9, 18],
  ] as const)
    expectExtremes(path, from, to)
})

test('behavior: a window that is active from the start starts with the tick in force, even if it ends before the next tick', () => {
  const base = createFeedPath('7', feedOf(8))
  const windows = repeatedWindows(19, [{ from: 0, until: 1 }], 8)
  const path = transformedPath(base, { ...when(windows, feedOf(8)), appliedAt: 19 }, doubled)
  expect([8, 16, 24, 32].map(tick => path.at(tick) / base.at(tick))).toEqual([1, 2, 1, 1])
  for (const [from, to] of [
    [0, 40],
    [16, 16],
    [17, 40],
  ] as const)
    expectExtremes(path, from, to)
})

test('behavior: prices are whole steps, at least one, and exact', () => {
  const feed = feedOf(1, 1000)
  const base = createFeedPath('7', feed)
  const at = (price: number) =>
    transformedPath(base, when(windowsOf({ from: 0, until: EVER }), feed), {
      in: () => ({ at: () => price }),
      bounds: () => [price, price],
    }).at(5)
  expect([1499, 1500, 1, -5, 0].map(at)).toEqual([1000, 2000, 1000, 1000, 1000])
  expect(at(1e300)).toBe(Math.floor(Number.MAX_SAFE_INTEGER / 1000) * 1000)
})

test('behavior: extremes equal those of all ticks, for any rules and windows', () => {
  const rules: Readonly<Record<string, PriceTransform>> = {
    doubled,
    rising: { in: ({ from }) => ({ at: (price, second) => price * (1 + (second - from) / 300) }), bounds: scaledBy(2) },
    falling: {
      in: ({ from }) => ({ at: (price, second) => price / (1 + (second - from) / 3000) }),
      bounds: scaledBy(0.5),
    },
    tooth: {
      in: ({ from }) => ({
        at: (price, second) => price * (1 + ((second - from) % 50) / 100),
        ...breakpointsAt(...Array.from({ length: 40 }, (_, i) => from + i * 50)),
      }),
      bounds: scaledBy(1.5),
    },
    spike: {
      in: ({ from }) => ({
        at: (price, second) => (second === from ? price * 3 : price),
        ...breakpointsAt(from, from + 1),
      }),
      bounds: scaledBy(3),
    },
    level: {
      in: () => ({ at: () => 12_345_678 }),
      bounds: (low, high) => [Math.min(low, 12_345_678), Math.max(high, 12_345_678)],
    },
  }
  const layer = fc.record({
    rule: fc.constantFrom(...Object.keys(rules)),
    from: fc.nat(300),
    length: fc.integer({ min: 1, max: 200 }),
    pause: fc.nat(100),
  })
  const range = fc.record({ from: fc.nat(600), length: fc.nat(700) })
  check(
    [
      fc.constantFrom(1, 2, 8),
      fc.array(layer, { minLength: 1, maxLength: 3 }),
      fc.array(range, { minLength: 1, maxLength: 3 }),
    ],
    [40, 150],
    (heartbeat, layers, ranges) => {
      const feed = feedOf(heartbeat, 1000)
      const path = layers.reduce<PricePath>(
        (below, { rule, from, length, pause }) =>
          transformedPath(
            below,
            when(repeatedWindows(from, [{ from: 0, until: length }], length + pause), feed),
            rules[rule]!,
          ),
        createFeedPath('7', feed),
      )
      for (const { from, length } of ranges) expectExtremes(path, from, from + length)
    },
  )
})

test('behavior: of equal ticks the earliest wins, unless a layer leaves the one below unchanged', () => {
  const base = createFeedPath('7', feedOf(1))
  const level: PriceTransform = {
    in: () => ({ at: () => 9e15 }),
    bounds: (low, high) => [Math.min(low, 9e15), Math.max(high, 9e15)],
  }
  const path = transformedPath(base, when(windowsOf({ from: 100, until: 110 }, { from: 200, until: 300 })), level)
  expect([path.extremes(0, 400), path.extremes(150, 400)].map(found => found!.high.ts)).toEqual([100, 200])
  expect(path.extremes(0, 400)!.low).toEqual(
    [base.extremes(0, 99)!, base.extremes(110, 199)!, base.extremes(300, 400)!]
      .map(({ low }) => low)
      .reduce((a, b) => (b.price < a.price ? b : a)),
  )
  const same = transformedPath(base, when(windowsOf({ from: 100, until: 110 })), {
    ...level,
    in: () => ({ at: price => price }),
  })
  expect(same.extremes(0, 400)).toEqual(base.extremes(0, 400))
})

test('behavior: only changed answers are reported', () => {
  const feed = feedOf(1)
  const markApplied = vi.fn()
  const base = createFeedPath('7', feed)
  const path = transformedPath(
    base,
    { ...when(windowsOf({ from: 100, until: 110 }), feed), markApplied },
    {
      in: ({ from }) => ({
        at: (price, second) => (second === from ? price : price * 1.5),
        ...breakpointsAt(from + 1),
      }),
      bounds: scaledBy(1.5),
    },
  )
  path.at(99)
  path.at(100)
  path.at(110)
  path.extremes(0, 100)
  path.extremes(110, 300)
  path.lastTick(105)
  path.nextTick(105)
  path.holes(0, 300)
  expect(markApplied).not.toHaveBeenCalled()
  path.at(101)
  expect(markApplied).toHaveBeenCalledTimes(1)
  path.extremes(90, 105)
  expect(markApplied).toHaveBeenCalledTimes(2)
})
