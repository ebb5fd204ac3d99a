// The place of series in time: whole candles, from 1970 to 2105.
import { expect, test } from 'vitest'
import { createMock, type SeriesInput } from '../index.js'
import { readSnapshot, takeSnapshot } from '../service/snapshot.js'
import { LATEST } from '../settings/time.js'
import { catalogueFeeds } from './feeds-file.js'
import { readSeries } from './read-series.js'
import { type SeriesAt, seriesShift } from './series.js'

/** Two candles of some seconds each. */
const candlesOf = (as: string, first: number, width: number): SeriesInput => ({
  as,
  rows: [first, first + width].map(time => [time, 1, 1, 1, 1]),
})
const shiftOf = (inputs: readonly SeriesInput[], at: SeriesAt, now = 0): number =>
  seriesShift(readSeries(inputs, catalogueFeeds()), at, now)

test('default: by whole candles, to the second before the clock in which BTC publishes them', () => {
  expect(shiftOf([candlesOf('BTCUSD', 600, 60)], 'start', 5000)).toBe(0)
  expect(shiftOf([candlesOf('BTCUSD', 600, 60)], 'now', 1261)).toBe(660)
  expect(shiftOf([candlesOf('BTCUSD', 600, 60)], 'now', 1260)).toBe(600)
  expect(shiftOf([candlesOf('BTCUSD', 600, 60)], 1259)).toBe(600)
})

test('behavior: candles of several intervals move by a multiple of each', () => {
  const both = [candlesOf('BTCUSD', 900, 900), candlesOf('ETHUSD', 900, 600)]
  expect(shiftOf(both, 900 + 1799)).toBe(0)
  expect(shiftOf(both, 900 + 1800)).toBe(1800)
  // Their multiple is beyond all years.
  const odd = [172_801, 172_807, 3607].map((width, i) => candlesOf(['BTCUSD', 'ETHUSD', 'SOLUSD'][i]!, 9, width))
  expect(shiftOf(odd, 'now', LATEST)).toBe(0)
})

test.each([
  ['ticks', { as: 'BTCUSD', rows: [[5, 1]] }, -5],
  ['candles', candlesOf('BTCUSD', 90, 60), -60],
] as const)('behavior: no row is moved to before 1970: %s', (_, input, wanted) => {
  for (const now of [0, 1]) expect(shiftOf([input], 'now', now)).toBe(wanted)
  expect(shiftOf([input], 0)).toBe(wanted)
})

test('behavior: a session with a row of the last second starts in it, and can be restored', () => {
  const session = createMock({ clock: { frozen: true }, series: [{ as: 'BTCUSD', rows: [[LATEST, 1]] }] }).sessions
    .default
  const snapshot = takeSnapshot(session, 0)
  expect(snapshot.clock.virtualMs).toBe(LATEST * 1000)
  expect(readSnapshot(JSON.parse(JSON.stringify(snapshot)), session)).toEqual(snapshot)
})
