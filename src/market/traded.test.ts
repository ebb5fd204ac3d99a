// Volume under faults against a sum over single seconds.
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { check } from '../../test/support/seed.js'
import { changeVolume, type Silence, type Surge } from './traded.js'
import type { Volume } from './volume.js'
import { repeatedWindows, type Windows } from './windows.js'

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
  check(
    fc.property(some, some, fc.nat(300), fc.nat(300), (surging, silent, from, length) => {
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
          if (start !== undefined) sum += tradedBy(at + 1 - start) - tradedBy(at - start)
        }
      }
      expect(traded.between(from, from + length)).toBe(sum)
    }),
  )
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
