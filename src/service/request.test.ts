// The one parser of request targets: it never fails, and what it makes of odd targets is what every host makes of them.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { check } from '../../test/support/seed.js'
import { parseTarget } from './request.js'

const queryOf = (query: string) => parseTarget(`/p?${query}`).query
const segmentsOf = (path: string) => parseTarget(path).segments

it('default', () => {
  expect(parseTarget('/prices/batch?feedIds=BTCUSD,ETHUSD&minutes=5')).toEqual({
    path: '/prices/batch',
    segments: ['prices', 'batch'],
    query: [
      ['feedIds', 'BTCUSD,ETHUSD'],
      ['minutes', '5'],
    ],
  })
})

it.each<[title: string, query: string, pairs: [string, string][]]>([
  [
    'a name given twice is two pairs',
    'a=1&a=2',
    [
      ['a', '1'],
      ['a', '2'],
    ],
  ],
  ['+ is a blank in names and values', 'a+b=c+d', [['a b', 'c d']]],
  ['an escaped + is a plus', 'a=1%2B2', [['a', '1+2']]],
  ['an escaped & and = separate nothing', 'a%26b%3Dc=1%26d%3D2', [['a&b=c', '1&d=2']]],
  ['a second = belongs to the value', 'a=b=c', [['a', 'b=c']]],
  ['a name alone has an empty value', 'a', [['a', '']]],
  ['a name with = has an empty value', 'a=', [['a', '']]],
  ['a name may be empty', '=1', [['', '1']]],
  ['= alone is a pair', '=', [['', '']]],
  [
    'empty pairs are skipped',
    '&&a=1&&b=2&',
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  ['an escaped comma is a comma', 'a=1%2c2', [['a', '1,2']]],
  ['UTF-8 is decoded', 'a=%E2%82%AC', [['a', '€']]],
  ['a malformed escape stays', 'a=%zz', [['a', '%zz']]],
  ['a value with a malformed escape stays as a whole', 'a=%41%zz', [['a', '%41%zz']]],
  ['a lone % stays', 'a=100%', [['a', '100%']]],
  ['bytes that are not UTF-8 stay', 'a=%ff%fe', [['a', '%ff%fe']]],
  ['an overlong encoding stays', 'a=%c0%af', [['a', '%c0%af']]],
  ['a surrogate in UTF-8 stays', 'a=%ed%a0%80', [['a', '%ed%a0%80']]],
  ['%00 is decoded', 'a=%00', [['a', '\0']]],
  ['a second question mark belongs to the value', 'a=b?c', [['a', 'b?c']]],
  ['a semicolon separates nothing', 'a=1;b=2', [['a', '1;b=2']]],
  [
    'one malformed value leaves the others alone',
    'a=%zz&b=%41',
    [
      ['a', '%zz'],
      ['b', 'A'],
    ],
  ],
])('behavior: %s', (_title, query, pairs) => expect(queryOf(query)).toEqual(pairs))

it('behavior: no query and an empty one are the same', () => expect(parseTarget('/p')).toEqual(parseTarget('/p?')))

it.each<[title: string, path: string, segments: string[]]>([
  ['the root has one empty segment', '/', ['']],
  ['double slashes make empty segments', '//a//b', ['', 'a', '', 'b']],
  ['a slash at the end makes an empty segment', '/a/', ['a', '']],
  ['segments are decoded', '/a%20b/c', ['a b', 'c']],
  ['an escaped slash separates nothing', '/a%2Fb', ['a/b']],
  ['+ is a plus in a path', '/a+b', ['a+b']],
  ['%zz stays', '/%zz/%41', ['%zz', 'A']],
  ['%00 is decoded', '/%00', ['\0']],
  ['bytes that are not UTF-8 stay', '/%ff', ['%ff']],
  ['dots are not resolved', '/a/../b', ['a', '..', 'b']],
  ['a path without a slash gets one', 'a/b', ['a', 'b']],
  ['nothing is the root', '', ['']],
  ['* is a path', '*', ['*']],
])('behavior: %s', (_title, path, segments) => expect(segmentsOf(path)).toEqual(segments))

it('behavior: the path keeps its escapes', () => expect(parseTarget('/a%20b?c').path).toBe('/a%20b'))

it.each([
  ['http', 'http://api.example/prices/batch?a=1'],
  ['https with a port', 'https://api.example:8443/prices/batch?a=1'],
  ['a scheme in upper case', 'HTTP://API.EXAMPLE/prices/batch?a=1'],
  ['an address of IPv6', 'http://[::1]:4700/prices/batch?a=1'],
  ['a user', 'http://user:password@api.example/prices/batch?a=1'],
])('behavior: the absolute form loses its origin: %s', (_title, target) => {
  expect(parseTarget(target)).toEqual(parseTarget('/prices/batch?a=1'))
})

it('behavior: an origin alone is the root', () => {
  expect(parseTarget('http://api.example')).toEqual(parseTarget('/'))
  expect(parseTarget('http://api.example?a=1')).toEqual(parseTarget('/?a=1'))
})

it('behavior: a URL in a value is not an origin', () => {
  expect(queryOf('a=http://b/c')).toEqual([['a', 'http://b/c']])
})

it('behavior: a fragment is dropped, wherever it begins', () => {
  expect(parseTarget('/p?a=1#b=2')).toEqual(parseTarget('/p?a=1'))
  expect(parseTarget('/p#x?a=1')).toEqual(parseTarget('/p'))
  expect(parseTarget('http://api.example#x')).toEqual(parseTarget('/'))
})

it('behavior: an escaped # is not a fragment', () => expect(queryOf('a=1%23b')).toEqual([['a', '1#b']]))

it('behavior: it never fails', () => {
  const pieces = fc.constantFrom('/', '?', '&', '=', '+', '%', '%4', '%41', '%ff', '#', 'a', 'http://', '€', '\ud800')
  check([fc.array(pieces, { maxLength: 20 })], 1000, parts => {
    const { path, segments } = parseTarget(parts.join(''))
    expect(path.startsWith('/')).toBe(true)
    expect(segments.length).toBe(path.split('/').length - 1)
  })
})

it('behavior: well-formed pairs round-trip', () => {
  const pairs = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string()))
  check([pairs], 500, pairs => {
    const query = pairs.map(pair => pair.map(encodeURIComponent).join('=')).join('&')
    expect(queryOf(query)).toEqual(pairs)
  })
})
