// The place of series in time: whole candles, from 1970 to 2105.
import { expect, test } from 'vitest'
import { createMock, type SeriesInput } from '../index.js'
import { readSnapshot, takeSnapshot } from '../service/snapshot.js'
import { read } from '../settings/schema.js'
import { LATEST } from '../settings/time.js'
import { catalogueFeeds } from './feeds-file.js'
import { readSeries } from './read-series.js'
import {
  candleOffsets,
  MAX_NAME,
  MAX_SERIES,
  type SeriesAt,
  seriesAtSchema,
  seriesBytes,
  seriesSchema,
  seriesShift,
  seriesSpan,
  seriesStart,
  shiftFeeds,
} from './series.js'

/** Two candles of some seconds each. */
const candlesOf = (as: string, first: number, width: number): SeriesInput => ({
  as,
  rows: [first, first + width].map(time => [time, 1, 1, 1, 1]),
})
const shiftOf = (inputs: readonly SeriesInput[], at: SeriesAt, now = 0): number =>
  seriesShift(readSeries(inputs, catalogueFeeds()), at, now)

test.each([
  [new Date(0), /; of a Date its toISOString\(\)$/],
  [{ toString: 1 }, /^"start", "now", or an ISO 8601 time .* since the epoch$/],
])('error: %j is no time of the first row', (at, want) => {
  expect(read(seriesAtSchema, at).problems?.[0]?.want).toMatch(want)
})

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

test('default: the span, the bytes and the start of ticks and candles, which move together', () => {
  const ticks = { as: 'DOTUSD', rows: [5, 7, 9].map(time => [time, 1]) }
  const feeds = readSeries([ticks, candlesOf('BTCUSD', 600, 60)], catalogueFeeds())
  const found = (shift: number) =>
    shiftFeeds(feeds, shift).flatMap(({ series }) => (series ? [[seriesSpan(series), seriesBytes(series)]] : []))
  // Times have 4 bytes and prices 8, of which a candle has four.
  const [ofTicks, ofCandles] = [3 * (4 + 8), 2 * (4 + 32)]
  expect(found(0)).toEqual([
    [{ from: 600, to: 719 }, ofCandles],
    [{ from: 5, to: 9 }, ofTicks],
  ])
  expect(found(60)).toEqual([
    [{ from: 660, to: 779 }, ofCandles],
    [{ from: 65, to: 69 }, ofTicks],
  ])
  const lagOf = (id: string) => feeds.find(feed => feed.id === id)!.lag
  expect(seriesStart(feeds)).toBe(5 + Math.max(lagOf('BTCUSD'), lagOf('DOTUSD')))
  expect([seriesStart(catalogueFeeds()), seriesShift(catalogueFeeds(), 'now', 5000)]).toEqual([undefined, 0])
})

test('default: the four prices of a candle have a second each', () => {
  expect([4, 5, 60].map(candleOffsets)).toEqual([
    [0, 1, 2, 3],
    [0, 1, 3, 4],
    [0, 20, 40, 59],
  ])
})

const row = { rows: [] }
test.each<[given: unknown, path: (string | number)[] | undefined, message: string]>([
  [Array(MAX_SERIES).fill({ rows: '', as: 'x'.repeat(32), name: 'x'.repeat(MAX_NAME) }), undefined, ''],
  [row, [], 'a list of series, each { "as": "BTCUSD", "rows": … }'],
  [Array(MAX_SERIES + 1).fill(row), [], `at most ${MAX_SERIES} series`],
  [[{ rows: 1 }], [0, 'rows'], 'CSV or JSON as a text, or a list of rows'],
  [[{ ...row, as: 'BTC USD' }], [0, 'as'], 'the id of a feed'],
  [[{ ...row, as: 'x'.repeat(33) }], [0, 'as'], 'the id of a feed'],
  [[{ ...row, name: 'x'.repeat(MAX_NAME + 1) }], [0, 'name'], `at most ${MAX_NAME} characters`],
])('args: series in a body, and the message of a wrong one: %#', (given, path, message) => {
  expect(seriesSchema.safeParse(given).error?.issues ?? []).toMatchObject(path ? [{ path, message }] : [])
})
