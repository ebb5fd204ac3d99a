// Parsing and formatting of instants and durations.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../test/support/seed.js'
import { EARLIEST, LATEST, parseDuration, parseInstant, parseRetryAfter, toHttpDate, toInstant } from './time.js'

describe('parseInstant', () => {
  it('default', () => expect(parseInstant('2025-07-24T10:48:25Z')).toBe(1_753_354_105_000))

  it.each([
    ['without seconds', '2025-07-24T10:48Z', 1_753_354_080_000],
    ['tenths', '2025-07-24T10:48:25.5Z', 1_753_354_105_500],
    ['hundredths', '2025-07-24T10:48:25.05Z', 1_753_354_105_050],
    ['milliseconds', '2025-07-24T10:48:25.007Z', 1_753_354_105_007],
    ['nanoseconds, which are cut off', '2025-07-24T10:48:25.007999999Z', 1_753_354_105_007],
    ['29 February of a leap year', '2024-02-29T00:00:00Z', 1_709_164_800_000],
    ['29 February 2000', '2000-02-29T00:00:00Z', 951_782_400_000],
    ['the first instant', '1970-01-01T00:00:00Z', 0],
    ['the last instant', '2105-12-31T23:59:59.999Z', 4_291_747_199_999],
    ['seconds as text', '1753354105', 1_753_354_105_000],
    ['second 0 as text', '0', 0],
  ])('args: %s', (_title, value, ms) => expect(parseInstant(value)).toBe(ms))

  it('args: seconds as a number', () => {
    expect(parseInstant(1_753_354_105)).toBe(1_753_354_105_000)
    expect(parseInstant(0.5)).toBe(500)
    expect(parseInstant(LATEST)).toBe(4_291_747_199_000)
  })

  it.each([
    ['30 February', '2024-02-30T00:00:00Z'],
    ['29 February of a common year', '2025-02-29T00:00:00Z'],
    ['29 February 2100', '2100-02-29T00:00:00Z'],
    ['31 April', '2025-04-31T00:00:00Z'],
    ['month 0', '2025-00-01T00:00:00Z'],
    ['month 13', '2025-13-01T00:00:00Z'],
    ['day 0', '2025-01-00T00:00:00Z'],
    ['hour 24', '2025-07-24T24:00:00Z'],
    ['minute 60', '2025-07-24T10:60:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['ten decimals', '2025-07-24T10:48:25.1234567890Z'],
    ['a point without decimals', '2025-07-24T10:48:25.Z'],
    ['a comma', '2025-07-24T10:48:25,5Z'],
    ['no zone', '2025-07-24T10:48:25'],
    ['an offset', '2025-07-24T10:48:25+00:00'],
    ['lower case', '2025-07-24t10:48:25z'],
    ['a blank for T', '2025-07-24 10:48:25Z'],
    ['a date alone', '2025-07-24'],
    ['blanks around', ' 2025-07-24T10:48:25Z '],
    ['a line after', '2025-07-24T10:48:25Z\n'],
    ['1969', '1969-12-31T23:59:59Z'],
    ['2106', '2106-01-01T00:00:00Z'],
    ['a year of two digits', '0050-01-01T00:00:00Z'],
    ['a year of five digits', '12025-07-24T10:48:25Z'],
    ['a sign', '-1'],
    ['a fraction as text', '1753354105.5'],
    ['an exponent', '1e9'],
    ['milliseconds as text', '1753354105000'],
    ['the second after the last, as text', String(LATEST + 1)],
    ['nothing', ''],
    ['a word', 'now'],
  ])('error: %s', (_title, value) => expect(parseInstant(value)).toBeUndefined())

  it.each([-1, -0.001, LATEST + 1, Number.NaN, Number.POSITIVE_INFINITY])('error: the number %d', value => {
    expect(parseInstant(value)).toBeUndefined()
  })

  it('behavior: parses the output of toInstant', () => {
    check([fc.integer({ min: EARLIEST * 1000, max: LATEST * 1000 + 999 })], 1000, ms => {
      expect(parseInstant(toInstant(ms))).toBe(ms)
    })
  })
})

describe('toInstant', () => {
  it('default', () => expect(toInstant(1_753_354_105_000)).toBe('2025-07-24T10:48:25Z'))

  it('behavior: a fraction of a second is kept', () => {
    expect(toInstant(1_753_354_105_050)).toBe('2025-07-24T10:48:25.050Z')
  })
})

describe('toHttpDate', () => {
  it('default', () => expect(toHttpDate(1_753_354_105)).toBe('Thu, 24 Jul 2025 10:48:25 GMT'))

  it('behavior: days have two digits', () => expect(toHttpDate(0)).toBe('Thu, 01 Jan 1970 00:00:00 GMT'))
})

describe('parseDuration', () => {
  it.each([
    ['1s', 1, 's'],
    ['90s', 90, 's'],
    ['5m', 300, 'm'],
    ['24h', 86_400, 'h'],
    ['1d', 86_400, 'd'],
    ['2w', 1_209_600, 'w'],
    ['9999999999s', 9_999_999_999, 's'],
  ] as const)('default: %s', (value, seconds, unit) => expect(parseDuration(value)).toEqual({ seconds, unit }))

  it.each([
    '',
    '5',
    'm',
    '0s',
    '05m',
    '-5m',
    '+5m',
    '1.5h',
    '1e3s',
    '5 m',
    ' 5m',
    '5m\n',
    '5M',
    '5H',
    '1y',
    '5mm',
    '٥m',
  ])('error: %j', value => expect(parseDuration(value)).toBeUndefined())

  it('error: too many digits', () => expect(parseDuration('10000000000s')).toBeUndefined())
})

it('args: Retry-After is in seconds, or a date', () => {
  const now = Date.parse('2025-07-24T10:48:25Z') / 1000
  expect(parseRetryAfter('7', now)).toBe(7)
  expect(parseRetryAfter('99999999999', now)).toBe(99_999_999_999)
  expect(parseRetryAfter('Thu, 24 Jul 2025 10:48:30 GMT', now)).toBe(5)
  expect(parseRetryAfter('Thu, 24 Jul 2025 10:48:20 GMT', now)).toBe(-5)
  expect(parseRetryAfter('soon', now)).toBeNaN()
  expect(parseRetryAfter('', now)).toBeNaN()
})
