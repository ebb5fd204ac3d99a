// Windows that are dragged on the axis of the console.
import { expect, test } from 'vitest'
import { draggedWindow, edited, gripAt, limitedBy, MAX_POINTS, roundTo, toPoints } from '../../console/src/axis/edit.js'

const NOW = 1000
const toX = (second: number) => second - 900

test('behavior: only what lies after now has a grip', () => {
  const window = { from: 1050, until: 1100 }
  expect(gripAt([window], toX(1052), NOW, toX)?.grip).toBe('from')
  expect(gripAt([window], toX(1097), NOW, toX)?.grip).toBe('until')
  expect(gripAt([window], toX(1075), NOW, toX)?.grip).toBe('both')
  expect(gripAt([window], toX(1110), NOW, toX)).toBeUndefined()
  // It has begun: only its end can move. It is over: nothing can.
  const begun = { from: 950, until: 1100 }
  expect(gripAt([begun], toX(951), NOW, toX)).toBeUndefined()
  expect(gripAt([begun], toX(1100), NOW, toX)?.grip).toBe('until')
  expect(gripAt([{ from: 920, until: 980 }], toX(980), NOW, toX)).toBeUndefined()
  // Too narrow to be gripped.
  expect(gripAt([{ from: 1050, until: 1058 }], toX(1054), NOW, toX)).toBeUndefined()
})

test('behavior: a window stays after now and keeps a second', () => {
  const window = { from: 1050, until: 1100 }
  expect(limitedBy(window, 'both', -100, NOW)).toBe(-49)
  expect(limitedBy(window, 'from', 80, NOW)).toBe(49)
  expect(limitedBy(window, 'until', -80, NOW)).toBe(-49)
  expect(limitedBy({ from: 950, until: 1100 }, 'until', -200, NOW)).toBe(-99)
  expect(draggedWindow(window, { grip: 'from', by: 10 })).toEqual({ from: 1060, until: 1100 })
  expect(draggedWindow({ from: 1050, until: null }, { grip: 'both', by: 10 })).toEqual({ from: 1060, until: null })
})

test('behavior: the entry changes by virtual seconds times the pace, and keeps the rest', () => {
  const entry = { fault: 'market/gap', from: '1m', for: '20s', repeat: '30s', options: {} }
  expect(edited(entry, 'both', 5)).toEqual({ ...entry, from: '65s', for: '20s' })
  expect(edited(entry, 'from', 5)).toEqual({ ...entry, from: '65s', for: '15s' })
  expect(edited(entry, 'until', 100)).toEqual({ ...entry, from: '60s', for: '29s' })
  expect(edited(entry, 'until', -1, 60)).toEqual({ ...entry, from: '60s', for: '1s' })
  expect(edited({ fault: 'market/gap' }, 'both', 2, 60)).toEqual({ fault: 'market/gap', from: '120s' })
})

test('behavior: a course is thinned out, in order, from its first point', () => {
  const drawn = Array.from({ length: 200 }, (_, i) => ({ at: NOW + i, price: 100 + i }))
  const points = toPoints(drawn)
  expect(points).toHaveLength(MAX_POINTS)
  expect([points[0], points.at(-1)]).toEqual([
    { at: '0s', price: 100 },
    { at: '199s', price: 299 },
  ])
  expect(toPoints([{ at: NOW, price: 7 }], 60)).toEqual([{ at: '0s', price: 7 }])
  expect(toPoints([])).toEqual([])
})

test('behavior: a price has the digits that a pixel tells', () => {
  expect(roundTo(113_961.894_3, 0.3)).toBe(113_961.9)
  expect(roundTo(113_961.894_3, 12)).toBe(113_962)
  expect(roundTo(0.123_456_78, 0.000_02)).toBe(0.123_46)
})
