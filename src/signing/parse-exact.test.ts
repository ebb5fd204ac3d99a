// The exact reader of JSON: as JSON.parse, but for integers that a number cannot hold.
import fc from 'fast-check'
import { expect, expectTypeOf, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { type ExactInteger, parseExact } from './signed-response.js'

test.each([
  ['9007199254740991', 9007199254740991],
  ['-9007199254740991', -9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['9007199254740993', 9007199254740993n],
  ['-9007199254740993', -9007199254740993n],
  ['18446744073709551615', 18446744073709551615n],
  // Neither has plain digits, so there is nothing to keep.
  ['1e20', 1e20],
  ['900719925474099312.5', Number('900719925474099312.5')],
  ['0', 0],
])('default: %s', (text, value) => {
  expect(parseExact(text)).toBe(value)
  expect(parseExact(`{"price":${text},"more":[${text}]}`)).toEqual({ price: value, more: [value] })
})

test('args: plainDigits keeps integers of another notation as texts, which are no prices', () => {
  const body =
    '{"price":11008588000000.0,"ts":1.1e13,"expo":-8,"more":[5E0,1.5,1e20,0.5e1,-1e1,9007199254740993,"1.0"]}'
  expect(parseExact(body, { plainDigits: true })).toEqual({
    price: '11008588000000.0',
    ts: '1.1e13',
    expo: -8,
    more: ['5E0', 1.5, 1e20, '0.5e1', '-1e1', 9007199254740993n, '1.0'],
  })
  expect(parseExact('{"price":11008588000000.0}')).toEqual({ price: 11008588000000 })
})

test('behavior: texts and keys that look like numbers stay texts and keys', () => {
  const body =
    '{"i9007199254740993" : "i9007199254740993", "9007199254740993":["\\u0069\\"9007199254740993:", 9007199254740993, ""]}'
  expect(parseExact(body)).toEqual({
    i9007199254740993: 'i9007199254740993',
    '9007199254740993': ['i"9007199254740993:', 9007199254740993n, ''],
  })
})

test.each([
  '',
  '{',
  '01',
  '00009007199254740993',
  '[9007199254740993,]',
  "{'a':9007199254740993}",
  '9007199254740993 1',
])('error: %j is not JSON', text => expect(() => parseExact(text)).toThrow(SyntaxError))

test('behavior: `__proto__` is a key like any other', () => {
  const body = parseExact('{"__proto__":{"price":9007199254740993}}') as object
  expect(Object.keys(body)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
})

test('behavior: all other JSON is that of JSON.parse, and every integer comes back exactly', () => {
  const json = fc.json().filter(text => !/\d{16}/.test(text))
  check([json], 300, text => {
    expect(parseExact(`[${text},9007199254740993]`)).toEqual([JSON.parse(text), 9007199254740993n])
  })
  check([fc.bigInt()], 300, number => {
    expect(String(parseExact(String(number)))).toBe(String(number))
  })
})

test('behavior: a text of a megabyte', () => {
  const long = '\\"x'.repeat(300_000)
  expect(parseExact(`["${long}",9007199254740993]`)).toHaveLength(2)
})

test('error: an integer that a number cannot hold, within thousands of lists', () => {
  const nested = (digits: string) => '['.repeat(20_000) + digits + ']'.repeat(20_000)
  expect(() => parseExact(nested('1'))).not.toThrow()
  expect(() => parseExact(nested('12345678901234567890'))).toThrow(SyntaxError)
})

test('args: typed', () => {
  expectTypeOf(parseExact).returns.toEqualTypeOf<unknown>()
  expectTypeOf<ExactInteger>().toEqualTypeOf<number | bigint>()
})

test('behavior: a string may have any number of escapes', () => {
  const text = '\\n\\"\\\\'.repeat(1_000_000)
  expect(parseExact(`{"a":"${text}","b":12345678901234567890,"c\\"" : "d"}`)).toEqual({
    a: JSON.parse(`"${text}"`),
    b: 12345678901234567890n,
    'c"': 'd',
  })
})
