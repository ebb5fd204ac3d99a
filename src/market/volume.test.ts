// Volume is additive to the last hundredth, never negative, and of the configured size.
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { check } from '../../test/support/seed.js'
import { aheadOf, usualAt } from './cascade.js'
import { feedDefinitionSchema } from './feeds.js'
import { FEED_GROUPS } from './groups.js'
import { changeVolume, createVolume, type Silence, type Surge, type Volume } from './volume.js'
import { repeatedWindows, type Windows } from './windows.js'

const LATEST = 4_291_747_199
const DAY = 86_400
const YEAR = 364 * DAY
/** Seconds after which the total is known: see the source. */
const ROOT = 2 ** 25
const volumeOf = (daily: number, id = 'BTCUSD', seed = '42', group = FEED_GROUPS[0]): Volume =>
  createVolume(seed, { id, group, volume: daily })

const second = fc.oneof(
  fc.integer({ min: 0, max: LATEST }),
  fc.integer({ min: 2_147_483_600, max: 2_147_483_700 }),
  fc.integer({ min: 1, max: 127 }).chain(k => fc.integer({ min: k * ROOT - 2, max: k * ROOT + 2 })),
)
const daily = fc.constantFrom(0, 1, 1234.56, 50e6, 90e9)
const ascending = (...seconds: number[]): number[] => seconds.toSorted((a, b) => a - b)

test('default', () => {
  const day = volumeOf(35e9).between(20_000 * DAY, 20_001 * DAY)
  expect(Number.isInteger(day)).toBe(true)
  expect(day).toBeGreaterThan(35e9 * 100 * 0.1)
  expect(day).toBeLessThan(35e9 * 100 * 10)
})

test('behavior: volumes of adjacent spans add up', () => {
  check([daily, second, fc.integer({ min: 0, max: YEAR }), fc.integer({ min: 0, max: YEAR })], 500, (usd, at, a, b) => {
    const volume = volumeOf(usd)
    const [from, middle, to] = ascending(at, at + a, at + b) as [number, number, number]
    expect(volume.between(from, middle) + volume.between(middle, to)).toBe(volume.between(from, to))
  })
})

test('behavior: a span is the sum of its seconds, and no second is negative', () => {
  check([daily, second, fc.integer({ min: 0, max: 300 })], (usd, from, length) => {
    const volume = volumeOf(usd)
    const seconds = Array.from({ length }, (_, i) => volume.between(from + i, from + i + 1))
    expect(seconds.filter(traded => !(Number.isInteger(traded) && traded >= 0))).toEqual([])
    expect(volume.between(from, from + length)).toBe(seconds.reduce((sum, traded) => sum + traded, 0))
  })
})

test('behavior: the mean is the configured one, by the hours of the week, exactly over every 2^25 seconds', () => {
  const volume = volumeOf(35e9)
  for (const k of [0, 1, 52, 63, 64, 126]) {
    const usual = usualAt(aheadOf('crypto'), (k + 1) * ROOT) - usualAt(aheadOf('crypto'), k * ROOT)
    expect(volume.between(k * ROOT, (k + 1) * ROOT)).toBe(Math.round((35e9 * 100 * usual) / DAY))
    expect(Math.abs(usual / ROOT - 1)).toBeLessThan(0.01)
  }
})

test('behavior: stretches of 48 days differ', () => {
  const volume = volumeOf(35e9)
  const totals = Array.from({ length: 16 }, (_, k) => volume.between(k * 2 ** 22, (k + 1) * 2 ** 22))
  expect(new Set(totals).size).toBe(16)
  expect(Math.max(...totals) / Math.min(...totals)).toBeGreaterThan(1.2)
})

test('behavior: days differ, and so do feeds and seeds', () => {
  const day = (seed: string, feed: string, n: number) => volumeOf(1e6, feed, seed).between(n * DAY, (n + 1) * DAY)
  const days = ['42', '43'].flatMap(seed =>
    ['BTCUSD', 'ETHUSD'].flatMap(feed => Array.from({ length: 50 }, (_, n) => day(seed, feed, 20_000 + n))),
  )
  expect(new Set(days).size).toBe(200)
})

test('args: from and to: an empty span has no volume', () => {
  const volume = volumeOf(35e9)
  check([second], at => {
    expect(volume.between(at, at)).toBe(0)
  })
})

test('args: daily: the largest that a file of feeds may hold is exact over the longest candle', () => {
  const largest = 2e11
  const feed = { id: 'X', base: 1, drivers: { a: 0.1 } }
  expect(feedDefinitionSchema.safeParse({ ...feed, volume: largest }).success).toBe(true)
  expect(feedDefinitionSchema.safeParse({ ...feed, volume: largest + 1 }).success).toBe(false)
  const volume = volumeOf(largest)
  // The wildest year so far: half of a root and half of the next.
  for (const first of [0, 4, 388 / 2, 20_000, 20_020, 48_000]) {
    let sum = 0
    for (let day = first; day < first + 364; day++) sum += volume.between(day * DAY, (day + 1) * DAY)
    expect(volume.between(first * DAY, (first + 364) * DAY)).toBe(sum)
    expect(Number.isSafeInteger(sum)).toBe(true)
  }
})

/** Trade that differs from second to second. */
const tradedUntil = (second: number): number => 100 * second + ((second * second) % 97)
const volume: Volume = { between: (from, to) => tradedUntil(to) - tradedUntil(from) }
/** 20 of 50 seconds, four times from second 100 on. */
const windows = repeatedWindows(100, [{ from: 0, until: 20 }], 50, 4)
const ignore = (): void => {}
const silence = (windows: Windows, markApplied = ignore): Silence => ({ windows, markApplied })
/** A surge that ends after 15 seconds. */
const surge = (windows: Windows, markApplied = ignore): Surge => ({
  windows,
  tradedBy: passed => Math.round(1000.4 * Math.min(15, passed)),
  markApplied,
})

test('default: nothing is traded in silence', () => {
  const traded = changeVolume(volume, [], [silence(windows)])
  expect([traded.between(100, 120), traded.between(105, 110), traded.between(150, 151)]).toEqual([0, 0, 0])
  expect(traded.between(90, 130)).toBe(volume.between(90, 100) + volume.between(120, 130))
})

test('default: a surge adds to volume, and ends with its window', () => {
  const traded = changeVolume(volume, [surge(windows)], [])
  const added = (from: number, to: number) => traded.between(from, to) - volume.between(from, to)
  expect([added(100, 110), added(110, 120), added(115, 120), added(120, 150)]).toEqual([10_004, 5002, 0, 0])
  expect(added(0, 1000)).toBe(4 * 15_006)
})

test('behavior: overlapping silence removes nothing twice', () => {
  const others = [repeatedWindows(110, [{ from: 0, until: 20 }]), repeatedWindows(95, [{ from: 0, until: 80 }])]
  const [twice, thrice] = [1, 2].map(count =>
    changeVolume(volume, [], [silence(windows), ...others.slice(0, count).map(other => silence(other))]),
  )
  expect(twice!.between(90, 140)).toBe(volume.between(90, 100) + volume.between(130, 140))
  expect(thrice!.between(90, 180)).toBe(volume.between(90, 95) + volume.between(175, 180))
})

test('behavior: any volume is the sum of its seconds: none in silence, more in a surge', () => {
  const times = fc
    .record({
      start: fc.nat(200),
      length: fc.integer({ min: 1, max: 60 }),
      pause: fc.nat(40),
      isRepeated: fc.boolean(),
    })
    .map(({ start, length, pause, isRepeated }) =>
      repeatedWindows(start, [{ from: 0, until: length }], isRepeated ? length + pause : undefined, 9),
    )
  const some = fc.array(times, { maxLength: 3 })
  check([some, some, fc.nat(300), fc.nat(300)], (surging, silent, from, length) => {
    const surges = surging.map(windows => surge(windows))
    const traded = changeVolume(
      volume,
      surges,
      silent.map(windows => silence(windows)),
    )
    let sum = 0
    for (let at = from; at < from + length; at++) {
      if (silent.some(windows => windows.at(at))) continue
      sum += volume.between(at, at + 1)
      for (const { windows, tradedBy } of surges) {
        const start = windows.at(at)?.from
        if (start !== undefined) sum += tradedBy(at + 1 - start, start) - tradedBy(at - start, start)
      }
    }
    expect(traded.between(from, from + length)).toBe(sum)
  })
})

test('behavior: a fault is recorded where it changes an answer, and nowhere else', () => {
  const marks = [vi.fn(), vi.fn(), vi.fn()] as const
  const closed = repeatedWindows(300, [{ from: 0, until: 20 }])
  const traded = changeVolume(
    volume,
    [surge(repeatedWindows(100, [{ from: 0, until: 15 }], 200, 2), marks[0])],
    [silence(closed, marks[1]), silence(closed, marks[2])],
  )
  const counts = () => marks.map(mark => mark.mock.calls.length)
  expect(traded.between(60, 90)).toBe(volume.between(60, 90))
  expect(counts()).toEqual([0, 0, 0])
  expect(traded.between(100, 101)).toBe(volume.between(100, 101) + 1000)
  expect(counts()).toEqual([1, 0, 0])
  // The surge in the closed market changes nothing, nor does the second silence.
  expect(traded.between(300, 305)).toBe(0)
  expect(counts()).toEqual([1, 1, 0])
})
