import { expect, test } from 'vitest'
import {
  earlierStart,
  earlierWindows,
  endedWindows,
  intersectWindows,
  laterStarts,
  outside,
  repeatedWindows,
  type Windows,
} from './windows.js'

const { POSITIVE_INFINITY: EVER } = Number
const within = (windows: Windows, from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i).filter(second => windows.at(second) !== undefined)
/** The answers of `between`, second by second: they must equal those of `at`. */
const listed = (windows: Windows, from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i).filter(second =>
    [...windows.between(from, to)].some(window => second >= window.from && second < window.until),
  )
const expectSame = (windows: Windows, from: number, to: number): void => {
  for (let start = from; start <= to; start++)
    for (const end of [start, start + 1, start + 7, to]) {
      expect(listed(windows, start, end)).toEqual(within(windows, start, end))
      const [first] = windows.between(start, end)
      expect(windows.first(start, end)).toEqual(first)
    }
}

test('args: period: adjacent windows stay separate', () => {
  const windows = repeatedWindows(0, [{ from: 0, until: 4 }], 4)
  expect([windows.at(3), windows.at(4)]).toEqual([
    { from: 0, until: 4 },
    { from: 4, until: 8 },
  ])
})

test('behavior: a repetition ends after 100,000 windows', () => {
  const windows = repeatedWindows(0, [{ from: 0, until: 1 }], 2)
  expect([windows.at(199_998), windows.at(200_000)]).toEqual([{ from: 199_998, until: 199_999 }, undefined])
  expect([...windows.between(-5, 1e9)]).toHaveLength(100_000)
  const three = repeatedWindows(
    0,
    Array.from({ length: 3 }, (_, i) => ({ from: i * 2, until: i * 2 + 1 })),
    6,
  )
  expect([...three.between(0, 1e9)]).toHaveLength(99_999)
})

test('behavior: earlierWindows moves windows earlier', () => {
  const windows = repeatedWindows(100, [{ from: 0, until: 2 }], 10)
  expect(within(earlierWindows(windows, 3), 90, 112)).toEqual([97, 98, 107, 108])
  expect(earlierWindows(windows, 3).at(98)).toEqual({ from: 97, until: 99 })
  expectSame(earlierWindows(windows, 3), 92, 120)
  expect(earlierWindows(windows, 0)).toBe(windows)
})

test('behavior: intersectWindows keeps the overlap', () => {
  const windows = intersectWindows(
    repeatedWindows(0, [{ from: 0, until: 6 }], 10),
    repeatedWindows(
      0,
      [
        { from: 2, until: 4 },
        { from: 5, until: 7 },
      ],
      7,
    ),
  )
  for (let second = 0; second < 100; second++) {
    const phase = second % 7
    expect(windows.at(second) !== undefined, `${second}`).toBe(
      second % 10 < 6 && phase !== 0 && phase !== 1 && phase !== 4,
    )
  }
  expectSame(windows, 0, 60)
  const ever = intersectWindows(
    repeatedWindows(5, [{ from: 0, until: EVER }]),
    repeatedWindows(8, [{ from: 0, until: EVER }]),
  )
  expect([...ever.between(0, 100)]).toEqual([{ from: 8, until: EVER }])
})

test('behavior: laterStarts drops windows that become empty', () => {
  const windows = repeatedWindows(
    0,
    [
      { from: 0, until: 3 },
      { from: 5, until: 10 },
    ],
    20,
  )
  const later = laterStarts(windows, ({ until }) => until - 4)
  expect(within(later, 0, 30)).toEqual([0, 1, 2, 6, 7, 8, 9, 20, 21, 22, 26, 27, 28, 29])
  expectSame(later, 0, 45)
  const tails = laterStarts(windows, ({ from }) => from + 4)
  expect(within(tails, 0, 30)).toEqual([9, 29])
  expectSame(tails, 0, 45)
  const never = laterStarts(repeatedWindows(0, [{ from: 0, until: EVER }]), ({ until }) => until - 60)
  expect([never.at(1e9), [...never.between(0, 1e9)]]).toEqual([undefined, []])
})

test('behavior: earlierStart extends the window that contains the second', () => {
  const windows = repeatedWindows(100, [{ from: 0, until: 4 }], 10)
  const earlier = earlierStart(windows, 102, 90)
  expect(within(earlier, 80, 125)).toEqual([
    ...Array.from({ length: 14 }, (_, i) => 90 + i),
    ...within(windows, 105, 125),
  ])
  expect(earlier.at(101)).toEqual({ from: 90, until: 104 })
  expectSame(earlier, 85, 130)
  expect([...earlier.between(85, 115)]).toEqual([
    { from: 90, until: 104 },
    { from: 110, until: 114 },
  ])
  for (const [second, from] of [
    [99, 90],
    [104, 90],
    [102, 100],
  ] as const)
    expect(earlierStart(windows, second, from)).toBe(windows)
})

test('behavior: the latest tick bounds the length of every window', () => {
  const [some, ever] = [repeatedWindows(0, [{ from: 0, until: 4 }], 10), repeatedWindows(7, [{ from: 0, until: EVER }])]
  expect([some.latestTick(1), ever.latestTick(1), earlierWindows(some, 3).latestTick(1)]).toEqual([3, EVER, 3])
  expect(intersectWindows(some, ever).latestTick(1)).toBe(3)
  expect(laterStarts(some, ({ from }) => from + 1).latestTick(1)).toBeGreaterThanOrEqual(2)
  expect(earlierStart(some, 2, -9).latestTick(1)).toBe(12)
  expect(repeatedWindows(0, []).latestTick(1)).toBe(-1)
})

test('behavior: windows that only touch do not overlap', () => {
  const [first, second] = [repeatedWindows(0, [{ from: 0, until: 10 }]), repeatedWindows(10, [{ from: 0, until: 10 }])]
  expect([...intersectWindows(first, second).between(0, 30)]).toEqual([])
  expect([...intersectWindows(second, first).between(0, 30)]).toEqual([])
})

test('behavior: a window that has ended is not met, one that begins with the last second is', () => {
  const windows = repeatedWindows(0, [{ from: 0, until: 10 }], 20, 2)
  expect([...windows.between(10, 19)]).toEqual([])
  expect([...windows.between(10, 20)]).toEqual([{ from: 20, until: 30 }])
  expect([...windows.between(30, 100)]).toEqual([])
})

test.each([
  ['an endless one', repeatedWindows(100, [{ from: 5, until: EVER }])],
  [
    'a pattern',
    repeatedWindows(
      100,
      [
        { from: 1, until: 3 },
        { from: 6, until: 10 },
      ],
      10,
    ),
  ],
])('behavior: endedWindows: %s up to a second', (_, whole) => {
  const all = within(whole, 90, 160)
  for (const end of [95, 100, 102, 105, 106, 120, 137, 200]) {
    const windows = endedWindows(whole, 100, end)
    const seconds = all.filter(second => second < end)
    expect(within(windows, 90, 160), `${end}`).toEqual(seconds)
    expectSame(windows, 98, 160)
    const found = [...windows.between(0, 300)]
    for (const { from, until } of found) expect(until - from - 1).toBeLessThanOrEqual(windows.latestTick(1))
    for (const second of seconds) expect(second - windows.at(second)!.from).toBeLessThanOrEqual(windows.latestTick(1))
    // Whole windows repeat in the cycle.
    const { cycle } = windows
    for (let at = cycle?.from ?? EVER; cycle !== undefined && at + cycle.seconds < Math.min(cycle.until, 200); at++) {
      const [now, later] = [windows.at(at), windows.at(at + cycle.seconds)]
      expect(later && later.until - later.from, `${at} of ${end}`).toBe(now && now.until - now.from)
    }
  }
})

test.each([
  [[], [[0, 9]]],
  [
    [[3, 5]],
    [
      [0, 3],
      [5, 9],
    ],
  ],
  // One within another, and one beyond the end.
  [
    [
      [1, 7],
      [2, 3],
      [8, 20],
    ],
    [
      [0, 1],
      [7, 8],
    ],
  ],
  [[[0, 9]], []],
] as const)('behavior: windows %j leave of 0 to 9 %j', (others, left) => {
  const toWindow = ([from, until]: readonly [number, number]) => ({ from, until })
  expect(outside(others.map(toWindow), [{ from: 0, until: 9 }])).toEqual(left.map(toWindow))
})
