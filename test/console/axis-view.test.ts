// The time in sight on the axis of the console.
import { expect, test } from 'vitest'
import { readAddress, secondsOf, viewOf, zoomed } from '../../console/src/axis/view.js'
import { LATEST } from '../../src/settings/time.js'

test('default: whole seconds around the view', () => {
  expect(secondsOf({ from: 100.5, to: 200.5 })).toEqual({ from: 100, to: 201 })
})

test('behavior: the seconds asked for end with the first and the last one of the clock', () => {
  expect(secondsOf(viewOf({ span: 480 }, LATEST - 90))).toEqual({ from: LATEST - 450, to: LATEST })
  expect(secondsOf({ from: LATEST + 5, to: LATEST + 10 })).toEqual({ from: LATEST, to: LATEST })
  expect(secondsOf({ from: -60, to: 60 })).toEqual({ from: 0, to: 60 })
})

test('behavior: a cursor of an address is one of the supported seconds', () => {
  expect(readAddress('#/axis?t=1969-12-31T23:59:57Z').cursor).toBe(0)
  expect(readAddress('#/axis?t=2200-01-01T00:00:00Z').cursor).toBe(LATEST)
  expect(readAddress('#/axis?t=2025-07-24T10:48:25.500Z').cursor).toBe(1_753_354_105)
})

test.each([
  ['the middle', undefined, 75],
  ['the place of the pointer', 100, 100],
  ['a place of its own', 175, 62.5],
])('behavior: a zoom keeps %s', (_, at, from) => {
  expect(zoomed({ span: 100, from: 100 }, 1.5, at)).toEqual({ span: 150, from })
  expect(zoomed({ span: 100 }, 1.5, at)).toEqual({ span: 150 })
})
