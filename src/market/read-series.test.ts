// Series are read whatever form they have, exactly, and every mistake is named with its line.
import { expect, test } from 'vitest'
import { failureOf } from '../../test/support/problem-paths.js'
import { catalogueFeeds } from './feeds-file.js'
import { readRows, readSeries } from './read-series.js'
import type { Series } from './series.js'
import { MAX_ROWS } from './series-text.js'

const FEEDS = catalogueFeeds()

function seriesOf(rows: string | Iterable<unknown>, as: string | undefined = 'BTCUSD', id = as): Series {
  return readSeries([{ as, rows, name: 'rows.csv' }], FEEDS).find(feed => feed.id === id)!.series!
}

const problemsOf = (rows: string | Iterable<unknown>) =>
  failureOf(() => readSeries([{ as: 'BTCUSD', rows, name: 'rows.csv' }], FEEDS))

/** Times and prices of ticks, in units of 10^−8. */
const ticksOf = ({ times, prices }: Series) => [...times].map((time, i) => [time, prices[i]])
const TICKS = [
  [1_753_354_104, 11_138_375_000_000],
  [1_753_354_105, 11_138_400_000_001],
]

test('default', () => {
  const series = seriesOf('ts,price\n1753354104,111383.75\n1753354105,111384.00000001\n')
  expect(ticksOf(series)).toEqual(TICKS)
  expect({ width: series.width, low: series.low, high: series.high }).toEqual({
    width: 0,
    low: 11_138_375_000_000,
    high: 11_138_400_000_001,
  })
})

test.each([
  ['1753354104,"1.5', 'line 1'],
  ['ts,price\n1753354104,"1.5\n1753354105,"2"\n', 'line 2'],
  ['ts,price\n1753354104,"1.5"\n1753354105,"2', 'line 3'],
  ['"ts","price\n1753354104,1.5', 'line 1'],
  ['ts,price\n1753354104,1.5\n1753354105,2.', 'line 3'],
])('error: a text that ends within a number, or with an open quote: %j', (text, at) => {
  expect(problemsOf(text).problems).toContainEqual(expect.objectContaining({ at }))
})

test.each([
  ['no header', '1753354104,111383.75\n1753354105,111384.00000001'],
  ['other order and names', 'Price;ignored;Timestamp\r\n111383.75;x;1753354104\r\n111384.00000001;y;1753354105\r\n'],
  [
    'quotes, tabs and comments',
    '\uFEFF# a note\n"Date"\t"Close"\n"1753354104"\t"111383.75"\n\n1753354105\t111384.00000001',
  ],
  ['an index column without a name', ',ts,price\n0,1753354104,111383.75\n1,1753354105,111384.00000001'],
  ['milliseconds', 'time,price\n1753354104000,111383.75\n1753354105999,111384.00000001'],
  ['microseconds', 'time,price\n1753354104000000,111383.75\n1753354105000001,111384.00000001'],
  ['ISO 8601', 'time,price\n2025-07-24T10:48:24Z,111383.75\n2025-07-24 12:48:25.5+02:00,111384.00000001'],
  ['exponents', 'ts,price\n1753354104,1.1138375e5\n1753354105,11138400000001E-8'],
  ['more places than the feed has', 'ts,price\n1753354104,111383.750000004999\n1753354105,111384.000000005'],
  ['JSON objects', '[{"ts":1753354104,"price":111383.75},\n{"price":"111384.00000001","ts":1753354105}]'],
  ['JSON lists', '[[1753354104,111383.75],[1753354105,"111384.00000001"]]'],
  ['JSON lists below a header', '[["price","ts"],[111383.75,1753354104],["111384.00000001","1753354105"]]'],
  [
    'JSON, one row a line',
    '{"ts":1753354104,"price":"111383.75","s":"}\\"{"}\n{"ts":1753354105,"price":111384.00000001}\n',
  ],
])('args: %s', (_, text) => {
  expect(ticksOf(seriesOf(text))).toEqual(TICKS)
  // However the text is divided.
  expect(ticksOf(seriesOf([...text]))).toEqual(TICKS)
})

test.each([
  ['1970-01-01T00:00:00Z', '2105-12-31T23:59:59Z', '1969-12-31T23:59:59Z', '2106-01-01T00:00:00Z'],
  ['0', '4291747199', '-1', '4291747200'],
])('behavior: times from %s to %s', (first, last, before, after) => {
  expect([...seriesOf(`ts,price\n${first},1\n${last},2`).times]).toEqual([0, 4_291_747_199])
  for (const time of [before, after])
    expect(problemsOf(`ts,price\n${time},1`).problems).toContainEqual(
      expect.objectContaining({ at: 'line 2, time', want: expect.stringMatching(/^a time from 1970 to 2105: /) }),
    )
})

test('error: an offset that no place has, as of swapped digits', () => {
  const of = (offset: string) => `ts,price\n2025-07-24T10:48:24${offset},1`
  expect([...seriesOf(of('+14:00')).times, ...seriesOf(of('-0930')).times]).toEqual([1_753_303_704, 1_753_388_304])
  for (const offset of ['+20:00', '+15:00', '-40:00', '+0160'])
    expect(problemsOf(of(offset)).problems).toMatchObject([
      {
        at: 'line 2, time',
        got: `2025-07-24T10:48:24${offset}`,
        want: expect.stringMatching(/offset up to 14 hours$/),
      },
    ])
})

test('args: rows as data', () => {
  expect(
    ticksOf(
      seriesOf([
        [1_753_354_104, 111_383.75],
        ['1753354105', '111384.00000001'],
      ]),
    ),
  ).toEqual(TICKS)
  expect(
    ticksOf(
      seriesOf([
        { time: 1_753_354_104, value: 111_383.75 },
        { value: '111384.00000001', time: 1_753_354_105 },
      ]),
    ),
  ).toEqual(TICKS)
})

test('args: rows as data with bigints, and with objects in other columns', () => {
  expect(ticksOf(seriesOf([{ ts: 1_753_354_104n, price: 111_383n, note: { a: 1 } }]))).toEqual([
    [1_753_354_104, 11_138_300_000_000],
  ])
})

test.each([
  [{ ts: new Date(0), price: 1 }, 'time', 'an object'],
  [{ ts: 1, price: true }, 'price', 'true'],
  [{ ts: 1, price: { toString: 1 } }, 'price', 'an object'],
  [{ ts: 1, price: null }, 'price', ''],
])('error: %o says what it has in place of a number', (row, name, got) => {
  expect(problemsOf([row]).problems).toMatchObject([{ at: `row 1, ${name}`, got }])
})

test('args: candles, with the low before the high when they rise', () => {
  const series = seriesOf('volume,close,low,high,open,time\n12.5,11,9,12,10,600\n0.125,10,8,11.5,11,660\n')
  expect([...series.times]).toEqual([600, 660])
  expect([...series.prices].map(price => price / 1e8)).toEqual([10, 9, 12, 11, 11, 11.5, 8, 10])
  expect([...series.volumes!]).toEqual([12_500, 125])
  expect([series.volumeUnits, series.width]).toEqual([1000, 60])
})

test.each([
  ['near the start', [0, 120, 300, 360]],
  ['until the last two', [0, 180, 300, 540, 600]],
  ['at first', [0, 120, 180, 240]],
])('args: candles of a minute, some of which are missing: %s', (_, times) => {
  expect(seriesOf(times.map(time => [time, 1, 1, 1, 1])).width).toBe(60)
})

test.each([
  ['one that starts late', [0, 60, 121, 180], 'line 3, time', '121', 'a multiple of 60 s after line 2'],
  ['an interval that no two show', [0, 120, 300], 'line 3, time', '300', 'a multiple of 120 s after line 2'],
])('error: candles with %s', (_, times, at, got, want) => {
  const rows = times.map(time => `${time},1,1,1,1\n`).join('')
  expect(problemsOf(rows).problems).toEqual([{ at, got, want }])
})

test('args: a column of feeds', () => {
  const text = 'ts,feed,price\n1,BTCUSD,5\n1,ethusd,6\n2,BTCUSD,7\n'
  const feeds = readSeries([{ rows: text }], FEEDS)
  const found = feeds.filter(({ series }) => series !== undefined)
  expect(found.map(({ id, series }) => [id, ticksOf(series!)])).toEqual([
    [
      'BTCUSD',
      [
        [1, 5e8],
        [2, 7e8],
      ],
    ],
    ['ETHUSD', [[1, 6e8]]],
  ])
  // One other name may be read as any feed.
  expect(ticksOf(seriesOf('ts,feed,price\n1,XBT,5\n', 'btcusd', 'BTCUSD'))).toEqual([[1, 5e8]])
})

test('behavior: several ticks of one second are the last of them, with all of their volume', () => {
  const series = seriesOf('ts,price,volume\n1000000000100,5,1\n1000000000900,6,2\n1000000001000,7,4\n')
  expect(ticksOf(series)).toEqual([
    [1e9, 6e8],
    [1e9 + 1, 7e8],
  ])
  expect([...series.volumes!]).toEqual([3, 4])
})

test('behavior: decimals are exact where arithmetic of doubles is not', () => {
  // 1.005 · 10^8 is 100499999.99999999 in doubles.
  expect(seriesOf('ts,price\n1,1.005').prices[0]).toBe(100_500_000)
  expect(seriesOf('ts,price\n1,0.00000001').prices[0]).toBe(1)
  expect(seriesOf('ts,price\n1,90071992.54740991').prices[0]).toBe(Number.MAX_SAFE_INTEGER)
  expect(problemsOf('ts,price\n1,90071992.54740992').problems[0]!.at).toBe('line 2, price')
})

test('behavior: the parts of a text may be single characters', () => {
  const json = '\uFEFF [ {"ts": 1753354104, "price": "111383.75"},{"ts":1753354105,"p\\u0072ice":111384.00000001}]'
  expect(ticksOf(seriesOf([...json]))).toEqual(TICKS)
  expect(ticksOf(seriesOf([...'ts,price\n1753354104,111383.75\n1753354105,111384.00000001\n']))).toEqual(TICKS)
  // Each character is read once: again and again, these would take minutes.
  const row = ['[', ...'1,'.repeat(4500), '1]', ',']
  for (const parts of [['[', ...new Array(200_000).fill(' ')], Array.from({ length: 40 }, () => row).flat()])
    expect(readRows(['[', ...parts], FEEDS, FEEDS[0]).problemCount).toBeGreaterThan(0)
})

test('error: all problems have their lines', () => {
  const text = [
    'time,open,high,low,close,volume',
    '60,10,12,9,11,1',
    '120,x,12,9,11,1',
    '120,10,12,9,11,1',
    '110,10,12,9,11,1',
    '240,10,9,9,11,1',
    '300,10,12,10.5,11,1',
    '330,10,12,9,11,1',
    '360,10,12,9,11,-1',
    '2025-07-24T10:48:24Z,10,12,9,11,1',
    '2025-07-24 10:48:24,10,12,9,11,1',
    '420,10,12,9',
  ].join('\n')
  expect(problemsOf(text).message).toMatchInlineSnapshot(`
    "rows.csv has 10 problems.
      at    line 3, open
      got   "x" (string)
      want  a price from 1e-8 to 90000000
      at    line 4, time
      got   "120" (string)
      want  a later time: that of line 3 is the same
      at    line 5, time
      got   "110" (string)
      want  a time after that of line 3: rows in order of time
      at    line 6, high
      got   "9" (string)
      want  the highest of the four prices
      at    line 7, low
      got   "10.5" (string)
      want  the lowest of the four prices
      at    line 9, volume
      got   "-1" (string)
      want  a volume of 0 or more in each row, or in none
      at    line 10, time
      got   "2025-07-24T10:48:24Z" (string)
      want  a time in seconds, as in the rows before
      at    line 11, time
      got   "2025-07-24 10:48:24" (string)
      want  a time from 1970 to 2105: seconds, milliseconds or microseconds since the epoch, or ISO 8601 with Z or an offset up to 14 hours
      at    line 12, close
      got   "" (string)
      want  a price from 1e-8 to 90000000
      at    line 12, volume
      got   "" (string)
      want  a volume of 0 or more in each row, or in none
      docs  price-feed-mock/docs/series.md
      code  SERIES_INVALID"
  `)
})

test('error: a bounded number of problems is kept, and the rest counted', () => {
  const error = problemsOf(`ts,price\n${'1,x\n'.repeat(5000)}`)
  expect(error.shortMessage).toBe('rows.csv has 5000 problems.')
  expect(error.problems).toHaveLength(20)
  expect(error.message).toContain('more  4980 further problems')
})

test.each([
  ['nothing', ''],
  ['only a header', 'ts,price\n'],
  ['no known columns', 'a,b\n1,2\n'],
  ['a column twice', 'ts,time,price\n1,2,3\n'],
  ['three columns without a header', '1,2,3\n'],
  ['an empty first field, and no header', ',1753354104,1\n'],
  ['candles of two seconds', '2,1,1,1,1\n4,1,1,1,1\n'],
  ['one candle', '60,1,1,1,1\n'],
  ['an empty list', '[[]]'],
  ['more columns than the header', 'ts,price\n1753354104,110085,88\n1753354105,110086,\n'],
  ['more columns than the first row', '1753354104,110085\n1753354105,110086,12'],
  ['more values than the first list', '[[1753354104,110085],[1753354105,110086,12]]'],
  ['a JSON value', '"text"'],
  ['broken JSON', '[{"ts":1,"price":2},'],
  ['words in JSON', '[{"ts":1,"price":2}, oops]'],
  ['a broken row', '[{"ts":1,"price":2,}]'],
  ['other rows than the first', '[{"ts":1,"price":2},[2,3]]'],
  ['a time out of range', '5000000000,1'],
])('error: %s', (_, text) => {
  const { shortMessage, problems } = problemsOf(text)
  expect([shortMessage, ...problems.map(({ at, got, want }) => `${at} | ${got} | ${want}`)]).toMatchSnapshot()
})

test('error: rows without a feed, and feeds that do not exist', () => {
  expect(() => readSeries([{ rows: 'ts,price\n1,2' }], FEEDS)).toThrow('--as FEED')
  expect(() => readSeries([{ as: 'BTCUDS', rows: '' }], FEEDS)).toThrow('BTCUSD (closest)')
  expect(() => readSeries([{ rows: 'ts,feed,price\n1,BTCUDS,2' }], FEEDS)).toThrow(
    'want  BTCUSD (closest), the id of a feed',
  )
  expect(() => readSeries([{ as: 'BTCUSD', rows: 'ts,feed,price\n1,A,2\n2,B,2' }], FEEDS)).toThrow('line 3, feed')
  const twice = [
    { as: 'BTCUSD', rows: '1,2' },
    { as: 'btcusd', rows: '1,2' },
  ]
  expect(() => readSeries(twice, FEEDS)).toThrow('series[1] is a second series of BTCUSD.')
})

test.each([
  ['broken JSON', '[{"ts":1,"price":2}] more', 'the JSON'],
  ['rows without known columns', '[{"a":1},', 'the header'],
])('behavior: no further part of %s is read', (_, part, place) => {
  function* parts() {
    yield part
    throw new Error('no further part is read')
  }
  expect(readRows(parts(), FEEDS, FEEDS[0]).problems.map(({ at }) => at)).toEqual([place])
})

test('error: more rows than a series may have', () => {
  function* parts() {
    yield Array.from({ length: 1000 }, (_, i) => `${i},1\n`).join('')
    yield '1000,1\n1001,1\n'
    throw new Error('no further part is read')
  }
  const { problems } = readRows(parts(), FEEDS, FEEDS[0], 1000)
  expect(problems).toEqual([{ at: 'line 1001', got: 'more than 1000 rows', want: 'at most 1000' }])
  expect(MAX_ROWS).toBe(2_000_000)
})

test('error: replies of the service, whose prices are in units of 10^expo', () => {
  const reply = '{"feedId":"DOGEUSD","price":20000000,"ts":1753354104,"expo":-8}'
  const { problems } = failureOf(() => seriesOf(reply, 'DOGEUSD'))
  expect(problems).toEqual([expect.objectContaining({ at: 'the header', got: 'expo' })])
})
