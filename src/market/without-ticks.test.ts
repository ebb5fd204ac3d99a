import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { check } from '../../test/support/seed.js'
import type { PricePath } from './path.js'
import { earlierWindows, laterStarts, repeatedWindows, type Window } from './windows.js'
import { withoutTicks } from './without-ticks.js'

const { POSITIVE_INFINITY: EVER } = Number
const windowsOf = (...list: readonly Window[]) => repeatedWindows(0, list)

/** A tick at every multiple of the heartbeat from 0 on; its price is its second times a hundred. */
function steady(heartbeat: number): PricePath {
  const last = (second: number) => Math.floor(second / heartbeat) * heartbeat
  return {
    at: tick => tick * 100,
    lastTick: second => (second < 0 ? undefined : last(second)),
    nextTick: second => Math.max(0, -last(-second)),
    holes: (from, to) => (from < 0 ? [{ from, until: Math.min(to + 1, 0) }] : []),
    extremes(from, to) {
      const [first, end] = [Math.max(0, -last(-from)), last(to)]
      return first > end ? undefined : { high: { ts: end, price: end * 100 }, low: { ts: first, price: first * 100 } }
    },
  }
}

const lastTicks = (path: PricePath, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => path.lastTick(from + i))

test('default: carry: inside the window the tick before it stays in force', () => {
  const path = withoutTicks(steady(1), windowsOf({ from: 3, until: 6 }), 'carry')
  expect(lastTicks(path, 0, 8)).toEqual([0, 1, 2, 2, 2, 2, 6, 7, 8])
  expect([2, 3, 5, 6].map(path.nextTick)).toEqual([2, 6, 6, 6])
  expect(path.holes(0, 10)).toEqual([])
  expect(path.extremes(2, 5)).toEqual({ high: { ts: 2, price: 200 }, low: { ts: 2, price: 200 } })
  expect(path.extremes(3, 5)).toBeUndefined()
  expect(path.extremes(3, 7)).toEqual({ high: { ts: 7, price: 700 }, low: { ts: 6, price: 600 } })
})

test('args: hole: there is no price until the next tick', () => {
  const path = withoutTicks(steady(4), windowsOf({ from: 6, until: 9 }), 'hole')
  // 4 is in force until the window begins, 8 is lost, 12 is the first tick after it.
  expect(lastTicks(path, 4, 13)).toEqual([4, 4, ...Array(6).fill(undefined), 12, 12])
  expect(path.holes(0, 20)).toEqual([{ from: 6, until: 12 }])
  expect(path.holes(7, 9)).toEqual([{ from: 7, until: 10 }])
  expect(path.holes(12, 20)).toEqual([])
  expect(path.extremes(5, 11)).toBeUndefined()
})

test('args: hole: a window between two ticks removes the price, but no tick', () => {
  const path = withoutTicks(steady(8), windowsOf({ from: 10, until: 11 }), 'hole')
  expect([9, 10, 11, 15, 16].map(path.lastTick)).toEqual([8, undefined, undefined, undefined, 16])
  expect(path.holes(0, 30)).toEqual([{ from: 10, until: 16 }])
  expect(path.extremes(8, 15)).toEqual({ high: { ts: 8, price: 800 }, low: { ts: 8, price: 800 } })
})

test('behavior: a window that never ends', () => {
  const windows = windowsOf({ from: 3, until: EVER })
  const [stale, gone] = [withoutTicks(steady(1), windows, 'carry'), withoutTicks(steady(1), windows, 'hole')]
  expect([stale.lastTick(1e9), stale.nextTick(3)]).toEqual([2, undefined])
  expect([gone.lastTick(1e9), gone.nextTick(3)]).toEqual([undefined, undefined])
  expect(gone.holes(0, 100)).toEqual([{ from: 3, until: 101 }])
})

test('behavior: there is no price before the first tick that is left', () => {
  const path = withoutTicks(steady(1), windowsOf({ from: 0, until: 3 }), 'carry')
  expect([0, 2, 3].map(path.lastTick)).toEqual([undefined, undefined, 3])
  expect(path.holes(-5, 10)).toEqual([{ from: -5, until: 3 }])
})

test('behavior: several windows', () => {
  const windows = repeatedWindows(0, [{ from: 2, until: 4 }], 5)
  const path = withoutTicks(steady(1), windows, 'hole')
  expect(path.holes(0, 12)).toEqual([
    { from: 2, until: 4 },
    { from: 7, until: 9 },
    { from: 12, until: 13 },
  ])
  expect(path.extremes(2, 9)).toEqual({ high: { ts: 9, price: 900 }, low: { ts: 4, price: 400 } })
})

test('behavior: a price removed by another layer returns only with a tick', () => {
  const gone = withoutTicks(steady(1), windowsOf({ from: 15, until: 20 }), 'hole')
  const path = withoutTicks(gone, windowsOf({ from: 11, until: 30 }), 'carry')
  expect([10, 14, 15, 19, 20, 29, 30].map(path.lastTick)).toEqual([
    10,
    10,
    undefined,
    undefined,
    undefined,
    undefined,
    30,
  ])
  expect(path.holes(0, 40)).toEqual([{ from: 15, until: 30 }])
  const other = withoutTicks(
    withoutTicks(steady(1), windowsOf({ from: 11, until: 30 }), 'carry'),
    windowsOf({ from: 15, until: 20 }),
    'hole',
  )
  expect(lastTicks(other, 0, 40)).toEqual(lastTicks(path, 0, 40))
  expect(other.holes(0, 40)).toEqual(path.holes(0, 40))
})

test('behavior: holes are exactly the seconds without a last tick', () => {
  const below = withoutTicks(steady(4), repeatedWindows(1, [{ from: 0, until: 3 }], 11), 'hole')
  const path = withoutTicks(below, repeatedWindows(2, [{ from: 0, until: 6 }], 13), 'carry')
  for (let from = 0; from < 60; from++) {
    const holes = path.holes(from, 90)
    for (let second = from; second <= 90; second++)
      if (holes.some(hole => second >= hole.from && second < hole.until) === (path.lastTick(second) !== undefined))
        expect.fail(`holes from ${from} at ${second}`)
  }
})

test('behavior: only changed answers are reported', () => {
  const markApplied = vi.fn()
  const path = withoutTicks(steady(1), windowsOf({ from: 3, until: 6 }), 'hole', markApplied)
  path.lastTick(2)
  path.lastTick(6)
  path.nextTick(6)
  path.at(4)
  path.holes(0, 2)
  path.holes(6, 9)
  path.extremes(0, 2)
  // The lowest and the highest tick are outside of the window.
  path.extremes(0, 9)
  expect(markApplied).not.toHaveBeenCalled()
  for (const ask of [
    () => path.lastTick(3),
    () => path.nextTick(5),
    () => path.holes(5, 9),
    () => path.extremes(4, 9),
  ]) {
    markApplied.mockClear()
    ask()
    expect(markApplied, String(ask)).toHaveBeenCalled()
  }
})

const ALWAYS = { from: 0, until: EVER }
const layers = fc.array(
  fc.record({
    start: fc.integer({ min: 0, max: 60 }),
    lag: fc.integer({ min: 0, max: 3 }),
    period: fc.integer({ min: 2, max: 24 }),
    pause: fc.integer({ min: 0, max: 3 }),
    late: fc.integer({ min: 0, max: 1 }),
    silence: fc.constantFrom('carry', 'hole'),
  }),
  { minLength: 1, maxLength: 3 },
)

test('behavior: a cycle saves work, and changes no answer', () => {
  check([layers, fc.constantFrom(1, 2, 4, 8, 16)], [200, 3000], (list, heartbeat) => {
    const over = (base: PricePath): PricePath =>
      list.reduce((path, { start, lag, period, pause, late, silence }) => {
        const windows = repeatedWindows(start, [{ from: 0, until: Math.max(1, period - pause) }], period, 40)
        const silent = laterStarts(earlierWindows(windows, lag), ({ from }) => from + late)
        return withoutTicks(path, silent, silence as 'carry' | 'hole')
      }, base)
    const [plain, quick] = [
      over(steady(heartbeat)),
      over({ ...steady(heartbeat), cycle: { seconds: heartbeat, ...ALWAYS } }),
    ]
    for (let second = -5; second < 1100; second += 3)
      for (const which of ['lastTick', 'nextTick'] as const)
        if (quick[which](second) !== plain[which](second)) expect.fail(`${which} at ${second}`)
    expect(quick.holes(-5, 1100)).toEqual(plain.holes(-5, 1100))
  })
})

test('behavior: a repetition without a free tick is not walked through', () => {
  // The free second is an odd one.
  const windows = repeatedWindows(1000, [{ from: 0, until: 9 }], 10)
  const base = { ...steady(16), cycle: { seconds: 16, ...ALWAYS } }
  const [nextTick, lastTick] = [vi.fn(base.nextTick), vi.fn(base.lastTick)]
  const path = withoutTicks({ ...base, nextTick, lastTick }, windows, 'carry')
  expect([path.nextTick(2000), path.lastTick(900_000)]).toEqual([1_001_008, 992])
  expect(nextTick.mock.calls.length + lastTick.mock.calls.length).toBeLessThan(40)
})
