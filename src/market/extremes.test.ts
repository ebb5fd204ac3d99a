// The search of extremes against a look at every tick, with any windows and with walks of repeated prices.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { createExtremesSearch } from './extremes.js'
import { createWalk, type Walk } from './walk.js'

const LATEST = 4_291_747_199

/** The earliest extremes of all ticks, by looking at each. */
function everyTick(at: (second: number) => number, from: number, to: number, heartbeat: number) {
  let high = { second: from, log: at(from) }
  let low = high
  for (let second = from; second <= to; second += heartbeat) {
    const log = at(second)
    if (log > high.log) high = { second, log }
    if (log < low.log) low = { second, log }
  }
  return { high, low }
}

/** A window of at most `ticks` ticks, in the units of its heartbeat. */
const windows = (ticks: number) =>
  fc
    .record({
      tickLevel: fc.integer({ min: 0, max: 7 }),
      start: fc.oneof(
        fc.integer({ min: 0, max: LATEST }),
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 2_147_483_000, max: 2_147_484_000 }),
        fc.integer({ min: LATEST - 5000, max: LATEST }),
        // Across an anchor of every span.
        fc.integer({ min: 1, max: 63 }).chain(k => fc.integer({ min: k * 67_108_864 - 3000, max: k * 67_108_864 })),
      ),
      ticks: fc.oneof(fc.integer({ min: 1, max: ticks }), fc.integer({ min: 1, max: 20 })),
    })
    .map(({ tickLevel, start, ticks }) => {
      const heartbeat = 2 ** tickLevel
      const from = Math.floor(start / heartbeat) * heartbeat
      const last = Math.floor(LATEST / heartbeat) * heartbeat
      return { tickLevel, heartbeat, from, to: Math.min(last, from + (ticks - 1) * heartbeat) }
    })

test('default', () => {
  const walk = createWalk({ seed: '42', span: 4_194_304, drivers: { crypto: 0.4, BTCUSD: 0.22 } })
  const found = createExtremesSearch(walk, 0)(1_753_350_506, 1_753_354_105)
  expect(found).toEqual(everyTick(walk.at, 1_753_350_506, 1_753_354_105, 1))
  expect(found.high.log).toBeGreaterThan(found.low.log)
})

test('behavior: it finds the same extremes as a look at every tick', () => {
  const span = fc.constantFrom(65_536, 262_144, 4_194_304, 67_108_864)
  const drivers = fc.constantFrom({ one: 0.5 }, { one: 0.4, two: -0.3 }, { one: 0.55, two: 0.4, three: 0.25 })
  check(
    fc.property(windows(3000), span, drivers, fc.integer({ min: 0, max: 9 }), (window, length, shares, seed) => {
      const { tickLevel, heartbeat, from, to } = window
      const walk = createWalk({ seed: String(seed), span: length, drivers: shares })
      const fresh = createWalk({ seed: String(seed), span: length, drivers: shares })
      expect(createExtremesSearch(walk, tickLevel)(from, to)).toEqual(everyTick(fresh.at, from, to, heartbeat))
    }),
    400,
  )
})

test('behavior: of equally extreme ticks it finds the earliest', () => {
  check(
    fc.property(windows(600), fc.integer({ min: 0, max: 1000 }), ({ tickLevel, heartbeat, from, to }, salt) => {
      const walk = coarseWalk(salt)
      const expected = everyTick(walk.at, from, to, heartbeat)
      expect(createExtremesSearch(walk, tickLevel)(from, to)).toEqual(expected)
    }),
    400,
  )
})

test('behavior: earlier searches do not affect a search', () => {
  const walk = createWalk({ seed: '42', span: 65_536, drivers: { one: 0.5 } })
  const search = createExtremesSearch(walk, 2)
  check(
    fc.property(fc.array(windows(200), { minLength: 2, maxLength: 5 }), list => {
      for (const { from, to } of list) {
        const window = [Math.floor(from / 4) * 4, Math.floor(to / 4) * 4] as const
        expect(search(...window)).toEqual(createExtremesSearch(walk, 2)(...window))
      }
    }),
  )
})

test('args: from and to: a window of one tick is that tick', () => {
  const walk = createWalk({ seed: '42', span: 65_536, drivers: { one: 0.5 } })
  for (const second of [0, 65_536, 65_535, 65_537, 2_147_483_648, LATEST]) {
    const tick = { second, log: walk.at(second) }
    expect(createExtremesSearch(walk, 0)(second, second)).toEqual({ high: tick, low: tick })
  }
})

test('args: from and to: an extreme on the first or the last tick is found, also on an anchor', () => {
  const walk = createWalk({ seed: '42', span: 65_536, drivers: { one: 0.5 } })
  const search = createExtremesSearch(walk, 0)
  const ends = new Set<number>()
  for (let anchor = 65_536; anchor < 400 * 65_536; anchor += 65_536)
    for (const [from, to] of [
      [anchor - 300, anchor],
      [anchor, anchor + 300],
    ] as const) {
      const found = search(from, to)
      expect(found).toEqual(everyTick(walk.at, from, to, 1))
      for (const { second } of [found.high, found.low]) if (second === anchor) ends.add(to - second)
    }
  expect(ends).toEqual(new Set([0, 300]))
})

test('args: tickLevel: with a heartbeat as long as the span, ticks are anchors', () => {
  const walk = createWalk({ seed: '42', span: 65_536, drivers: { one: 0.5 } })
  const found = createExtremesSearch(walk, 16)(0, 100 * 65_536)
  expect(found).toEqual(everyTick(walk.anchor, 0, 100 * 65_536, 65_536))
})

/** A walk of few different log prices, all of them exact: it repeats itself all the time. */
function coarseWalk(salt: number): Walk {
  const rootLevel = 16
  const span = 2 ** rootLevel
  // The salt decides how often a midpoint is displaced: if rarely, prices stay equal for hours.
  const draw = (second: number): number =>
    Math.max(0, (Math.imul((second | 0) ^ salt, 0x9e3779b1) >>> 22) - 960 + (salt % 15) * 64) >> 8
  const anchor = (second: number): number => draw(second) / 4
  const displacement = (level: number, second: number): number => (level > 12 ? 0 : (draw(second) - 1) / 4)
  const at = (second: number): number => {
    let level = rootLevel
    let start = Math.floor(second / span) * span
    let [a, b] = [anchor(start), anchor(start + span)]
    for (; second !== start; level--) {
      const middle = start + 2 ** (level - 1)
      const m = (a + b) * 0.5 + displacement(level, middle)
      if (second >= middle) [start, a] = [middle, m]
      else b = m
    }
    return a
  }
  const maxOvershoot = Float64Array.from({ length: rootLevel + 1 }, (_, level) => Math.min(level, 12) / 2)
  return { rootLevel, at, anchor, displacement, maxOvershoot }
}

test.each([
  ['inside the window', 4092, 8000],
  ['at its edge', 7996, 7996],
])('behavior: a peak is found that the bound just allows: %s', (_, peak, to) => {
  const heights = new Map([
    [4, 0.9],
    [peak, 1],
  ])
  const search = (sign: number) => createExtremesSearch(peakedWalk(heights, sign), 0)(1, to)
  expect(search(1).high).toEqual({ second: peak, log: 1 })
  expect(search(-1).low).toEqual({ second: peak, log: -1 })
})

/** A flat walk with peaks in the middle of nodes of eight seconds: all that a node can hold is one of them. */
function peakedWalk(heights: ReadonlyMap<number, number>, sign: number): Walk {
  const displacement = (level: number, second: number): number => (level === 3 ? sign * (heights.get(second) ?? 0) : 0)
  const at = (second: number): number => {
    const middle = Math.floor(second / 8) * 8 + 4
    return displacement(3, middle) * (1 - Math.abs(second - middle) / 4)
  }
  const maxOvershoot = Float64Array.from({ length: 17 }, (_, level) => (level < 3 ? 0 : 1))
  return { rootLevel: 16, at, anchor: () => 0, displacement, maxOvershoot }
}
