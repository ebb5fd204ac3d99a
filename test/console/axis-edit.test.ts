// Windows that are dragged on the axis of the console.
import { expect, test } from 'vitest'
import { draggedWindow, edited, gripAt, limitedBy, MAX_POINTS, roundTo, toPoints } from '../../console/src/axis/edit.js'
import { toSeconds } from '../../console/src/faults/entry.js'

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

test('behavior: a window is dragged as far as its entry can follow', () => {
  const entry = { fault: 'market/gap', from: '5s', for: '10s', repeat: '60s' }
  const window = { from: 1065, until: 1075 }
  const by = (grip: 'from' | 'until' | 'both', wanted: number, pace = 1) =>
    limitedBy(window, grip, wanted, NOW, entry, pace)
  // The first window begins with the scenario.
  expect([by('both', -20), by('both', -3), by('both', 30)]).toEqual([-5, -3, 30])
  // None is as long as its repetition.
  expect([by('until', 70), by('until', 20)]).toEqual([49, 20])
  expect([by('from', -20), by('from', 4), by('from', 30)]).toEqual([-5, 4, 9])
  expect(limitedBy(window, 'from', -60, 1000, { ...entry, from: '100s', repeat: '30s' })).toBe(-19)
  expect(by('both', -20, 5)).toBe(-1)
  for (const grip of ['from', 'until', 'both'] as const)
    for (let wanted = -80; wanted <= 80; wanted++) {
      const moved = by(grip, wanted)
      const next = edited(entry, grip, moved)
      expect(by(grip, moved)).toBe(moved)
      expect(toSeconds(next.from!) - 5, `${grip} ${wanted}`).toBe(grip === 'until' ? 0 : moved)
      expect(toSeconds(next.for!)).toBe(10 + { from: -moved, until: moved, both: 0 }[grip])
    }
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
