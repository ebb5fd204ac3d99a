// Volume under faults against a sum over single seconds.
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { check } from '../../test/support/seed.js'
import { trackVolume, withoutTrade, withSurge } from './traded.js'
import { createVolume } from './volume.js'
import { repeatedWindows } from './windows.js'

const volume = createVolume('7', 'ACMEUSD', 50e6)
const windows = repeatedWindows(100, [{ from: 0, until: 20 }], 50, 4)
/** A surge that ends after 15 seconds. */
const tradedBy = (passed: number): number => Math.round(1000.4 * Math.min(15, passed))

function sumOf(second: (at: number) => number, from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; at++) sum += second(at)
  return sum
}
const span = fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 300 }))

test('default: withoutTrade, only seconds outside of the windows trade', () => {
  const traded = withoutTrade(volume, windows)
  expect([traded.between(100, 120), traded.between(105, 110), traded.between(150, 151)]).toEqual([0, 0, 0])
  expect(traded.between(90, 130)).toBe(volume.between(90, 100) + volume.between(120, 130))
  const second = (at: number) => (windows.at(at) ? 0 : volume.between(at, at + 1))
  check(
    fc.property(span, ([from, length]) => {
      expect(traded.between(from, from + length)).toBe(sumOf(second, from, from + length))
    }),
  )
})

test('default: withSurge, volumes of adjacent times add up, and end with the window', () => {
  const traded = withSurge(volume, windows, tradedBy)
  const plain = (from: number, to: number) => traded.between(from, to) - volume.between(from, to)
  expect([plain(100, 110), plain(110, 120), plain(115, 120), plain(120, 150)]).toEqual([10_004, 5002, 0, 0])
  expect(plain(0, 1000)).toBe(4 * tradedBy(15))
  check(
    fc.property(span, ([from, length]) => {
      const second = (at: number) => traded.between(at, at + 1)
      expect(traded.between(from, from + length)).toBe(sumOf(second, from, from + length))
    }),
  )
})

test('behavior: overlapping silence removes nothing twice', () => {
  const twice = withoutTrade(withoutTrade(volume, windows), repeatedWindows(110, [{ from: 0, until: 20 }]))
  expect(twice.between(90, 140)).toBe(volume.between(90, 100) + volume.between(130, 140))
})

test('behavior: a layer is recorded where it changes an answer, and nowhere else', () => {
  const [surge, silence] = [vi.fn(), vi.fn()]
  const excited = withSurge(volume, windows, tradedBy)
  const quiet = withoutTrade(excited, repeatedWindows(300, [{ from: 0, until: 10 }]))
  const tracked = trackVolume(volume, [
    { volume: excited, markApplied: surge },
    { volume: quiet, markApplied: silence },
  ])
  expect(tracked.between(60, 90)).toBe(volume.between(60, 90))
  expect([surge, silence].map(fn => fn.mock.calls.length)).toEqual([0, 0])
  expect(tracked.between(100, 101)).toBe(volume.between(100, 101) + 1000)
  expect([surge, silence].map(fn => fn.mock.calls.length)).toEqual([1, 0])
  expect(tracked.between(300, 305)).toBe(0)
  expect([surge, silence].map(fn => fn.mock.calls.length)).toEqual([1, 1])
})
