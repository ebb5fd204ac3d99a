// The parameters of the five endpoints: accepted values, and the errors for the rest.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../test/support/seed.js'
import { type Parameter, ServiceError } from '../service/endpoint.js'
import { DEFAULT_POLICY, type Policy } from '../settings/policy.js'
import * as parameters from './parameters.js'

const { feedIds, feedIdInPath, minutes, chartFeedIds, chartFeed, chartType, chartInterval, toBuckets } = parameters

/** The parsed value of a parameter, or status and code of its error. */
function parse<T>(parameter: Parameter<T>, values: readonly string[], policy: Partial<Policy> = {}): unknown {
  try {
    return parameter.parse(values, 'name', { ...DEFAULT_POLICY, ...policy })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [error.status, error.value.error]
  }
}
const messageOf = <T>(parameter: Parameter<T>, values: readonly string[], policy: Partial<Policy> = {}): string => {
  try {
    parameter.parse(values, 'name', { ...DEFAULT_POLICY, ...policy })
  } catch (error) {
    return (error as ServiceError).value.message
  }
  throw new Error('no error was thrown')
}
const BAD = [400, 'bad_request']
const NOT_FOUND = [404, 'not_found']

describe('feedIds', () => {
  it('default', () => expect(parse(feedIds, ['BTCUSD,ETHUSD'])).toEqual(['BTCUSD', 'ETHUSD']))

  it.each([
    ['ids keep their spelling', 'btcUSD', ['btcUSD']],
    ['duplicates collapse onto their first place and spelling', 'btcusd,ETHUSD,BTCUSD,ETHUSD', ['btcusd', 'ETHUSD']],
    ['empty items are skipped', ',BTCUSD,,ETHUSD,', ['BTCUSD', 'ETHUSD']],
    ['blanks belong to ids', 'BTCUSD, ETHUSD', ['BTCUSD', ' ETHUSD']],
  ])('behavior: %s', (_title, value, ids) => expect(parse(feedIds, [value])).toEqual(ids))

  it.each([
    ['missing', [], 'The parameter "name" is missing.'],
    ['empty', [''], 'The parameter "name" is empty.'],
    ['commas alone', [',,'], '"name" names no feed: give ids separated by commas, such as BTCUSD,ETHUSD.'],
    ['given twice', ['BTCUSD', 'BTCUSD'], '"name" is given 2 times: give it once.'],
  ])('error: %s', (_title, values, message) => {
    expect(parse(feedIds, values)).toEqual(BAD)
    expect(messageOf(feedIds, values)).toBe(message)
    expect(parse(feedIds, values, { missingParameter: 422 })).toEqual([422, 'bad_request'])
  })

  it('args: policy.maxFeedIds', () => {
    expect(parse(feedIds, ['A,B'], { maxFeedIds: 2 })).toEqual(['A', 'B'])
    expect(parse(feedIds, ['A,B,C'], { maxFeedIds: 2 })).toEqual([400, 'too_many_feeds'])
    expect(messageOf(feedIds, ['A,B,C'], { maxFeedIds: 2 })).toBe(
      '"name" names 3 feeds, more than the 2 of one request.',
    )
    expect(parse(feedIds, ['A,a,B,b,A'], { maxFeedIds: 2 })).toEqual(['A', 'B'])
  })

  it('behavior: no id comes twice, in any case', () => {
    const ids = fc.array(fc.constantFrom('', 'a', 'A', 'b', 'B', 'ab', 'aB', 'Ab'), { maxLength: 30 })
    check([ids], 500, ids => {
      const wanted = [...new Set(ids.filter(id => id !== '').map(id => id.toUpperCase()))]
      const parsed = parse(feedIds, [ids.join(',')])
      if (wanted.length === 0) expect(parsed).toEqual(BAD)
      else expect((parsed as string[]).map(id => id.toUpperCase())).toEqual(wanted)
    })
  })
})

it('default: feedIdInPath', () => expect(parse(feedIdInPath, ['btcusd'])).toBe('btcusd'))

describe('minutes', () => {
  it.each([
    ['1', 1],
    ['5', 5],
    ['525600', 525_600],
  ])('default: %s', (value, parsed) => expect(parse(minutes, [value])).toBe(parsed))

  it.each([
    '0',
    '-5',
    '+5',
    '05',
    '5.0',
    '5.5',
    '1e3',
    '0x5',
    ' 5',
    '5 ',
    '5\n',
    '٥',
    'five',
    'NaN',
    'Infinity',
    '525601',
    '1000000000',
    '9'.repeat(400),
  ])('error: %j', value => expect(parse(minutes, [value])).toEqual(BAD))

  it.each([
    ['missing', []],
    ['empty', ['']],
    ['given twice', ['5', '5']],
  ])('error: %s', (_title, values) => {
    expect(parse(minutes, values)).toEqual(BAD)
    expect(parse(minutes, values, { missingParameter: 422 })).toEqual([422, 'bad_request'])
  })

  it('error: the message says what was expected', () => {
    expect(messageOf(minutes, ['1e3'])).toBe('"name" expected an integer from 1 to 525600 in plain digits, got "1e3".')
  })

  it('error: a long value is cut', () => {
    expect(messageOf(minutes, ['9'.repeat(400)])).toContain(`got "${'9'.repeat(40)}…"`)
  })

  it('args: policy.maxMinutes', () => {
    expect(parse(minutes, ['60'], { maxMinutes: 60 })).toBe(60)
    expect(parse(minutes, ['61'], { maxMinutes: 60 })).toEqual(BAD)
    expect(messageOf(minutes, ['61'], { maxMinutes: 60 })).toContain('from 1 to 60 ')
    expect(parse(minutes, ['5256000'], { maxMinutes: 5_256_000 })).toBe(5_256_000)
  })
})

describe('chart parameters', () => {
  it('default', () => {
    expect(parse(chartFeedIds, ['btcusd,ethusd'])).toEqual(['btcusd', 'ethusd'])
    expect(parse(chartFeed, ['btcusd'])).toBe('btcusd')
    expect(parse(chartType, ['1'])).toBe(1)
    expect(parse(chartInterval, ['24h'])).toBe('24h')
  })

  it.each([
    ['feedids', chartFeedIds],
    ['feed', chartFeed],
    ['type', chartType],
    ['interval', chartInterval],
  ] as [string, Parameter][])('error: %s missing, empty or given twice is 404 with any policy', (_name, parameter) => {
    for (const values of [[], [''], ['1', '1']])
      expect(parse(parameter, values, { missingParameter: 422 })).toEqual(NOT_FOUND)
  })

  it.each(['0', '2', '01', '+1', '1.0', ' 1', 'one'])('error: type %j', value => {
    expect(parse(chartType, [value])).toEqual(NOT_FOUND)
  })

  it.each(['1s', '59s', '1m', '90m', '24h', '1d', '364d', '1w', '52w', '31449600s'])('args: interval %s', value => {
    expect(parse(chartInterval, [value])).toBe(value)
  })

  it.each([
    '0m',
    '00m',
    '01m',
    '-1m',
    '+1m',
    '1.5h',
    '1e3s',
    ' 1h',
    '1h ',
    '1H',
    '1M',
    '1D',
    '1y',
    '1mo',
    'h',
    '60',
    '53w',
    '365d',
    '31449601s',
    '8737h',
    '1hh',
    '1h1m',
    '9'.repeat(400),
  ])('error: interval %j', value => expect(parse(chartInterval, [value])).toEqual(NOT_FOUND))
})

describe('toBuckets', () => {
  it('default', () => expect(toBuckets('5m')).toEqual({ width: 300, offset: 0 }))

  it('behavior: only weeks begin on a Monday', () => {
    expect(toBuckets('7d')).toEqual({ width: 604_800, offset: 0 })
    const { width, offset } = toBuckets('2w')
    expect(width).toBe(1_209_600)
    expect(new Date(offset * 1000).toISOString()).toBe('1970-01-05T00:00:00.000Z')
  })
})
