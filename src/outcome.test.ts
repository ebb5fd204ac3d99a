// Bodies and the header that every reply carries: ASCII whatever goes in, and a dictionary that parsers accept.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../test/support/characters.js'
import { check } from '../test/support/seed.js'
import { PriceFeedMockError } from './errors.js'
import {
  internalReply,
  MEDIA_TYPE,
  mockReply,
  plannedMs,
  problemReply,
  type Reply,
  toAsciiJson,
  toDictionary,
  toPairs,
  toPieces,
} from './outcome.js'

describe('toAsciiJson', () => {
  it('default', () => expect(toAsciiJson({ a: [1, 'b', null] })).toBe('{"a":[1,"b",null]}'))

  it('behavior: other characters are escaped by UTF-16 unit, in keys too', () => {
    expect(toAsciiJson({ é: '€😀\u007f' })).toBe('{"\\u00e9":"\\u20ac\\ud83d\\ude00\\u007f"}')
  })

  it('behavior: a lone surrogate survives', () => expect(toAsciiJson('\ud800')).toBe('"\\ud800"'))

  it('behavior: any value gives printable ASCII with the same meaning', () => {
    check([fc.jsonValue({ stringUnit: anyCharacter })], value => {
      const json = toAsciiJson(value)
      expect(json).toMatch(/^[\x20-\x7e]*$/)
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)))
    })
  })
})

describe('toDictionary', () => {
  it('default', () => {
    expect(toDictionary({ session: 'default', now: 1753354105, n: 17 })).toBe('session="default", now=1753354105, n=17')
  })

  it('behavior: true is the key alone', () => {
    expect(toDictionary({ own: true, code: 'UNKNOWN_ROUTE' })).toBe('own, code="UNKNOWN_ROUTE"')
  })

  it('behavior: quotes and backslashes are escaped', () => {
    expect(toDictionary({ session: 'a"b\\c' })).toBe('session="a\\"b\\\\c"')
  })

  it('behavior: characters not allowed in headers are removed', () => {
    expect(toDictionary({ session: 'a\r\nx-evil: 1\u0000é😀b' })).toBe('session="ax-evil: 1b"')
  })

  it('behavior: nothing is an empty text', () => expect(toDictionary({})).toBe(''))

  it('behavior: any text is one printable string of RFC 9651', () => {
    check([fc.string({ unit: anyCharacter })], text => {
      expect(toDictionary({ session: text })).toMatch(/^session="([\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/)
    })
  })
})

it('default: toPieces: at most so many, all of one length but the last', () => {
  expect(toPieces('abcdefg', 3)).toEqual(['abc', 'def', 'g'])
  expect(toPieces('abcdef', 3)).toEqual(['ab', 'cd', 'ef'])
  expect(toPieces('ab', 5)).toEqual(['a', 'b'])
  expect(toPieces('', 5)).toEqual([])
})

describe('plannedMs', () => {
  const sent = { status: 200, headers: [], body: '', delayMs: 5 }

  it('default: the delay, the waits between pieces, and the time until a connection is closed', () => {
    expect(plannedMs({ ...sent, kind: 'reply' })).toBe(5)
    expect(plannedMs({ ...sent, kind: 'dribble', pieces: 3, everyMs: 20 })).toBe(45)
    expect(plannedMs({ kind: 'timeout', delayMs: 5, closeAfterMs: 100 })).toBe(105)
    expect(plannedMs({ kind: 'timeout', delayMs: 5, closeAfterMs: undefined })).toBe(5)
  })
})

const headersOf = (reply: Reply) => Object.fromEntries(toPairs(reply.headers))

describe('mockReply', () => {
  it('default: its length, no cache, and the header of the mock', () => {
    expect(headersOf(mockReply(200, '{"a":1}', ['content-type', 'application/json']))).toEqual({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-price-feed-mock': 'own',
      'content-length': '7',
    })
  })

  it('behavior: 204 has no length', () => {
    expect(headersOf(mockReply(204, '', []))).not.toHaveProperty('content-length')
  })
})

it('default: problemReply: the status and code of the error', () => {
  const reply = problemReply(new PriceFeedMockError('SESSIONS_FULL', 'Full.'), ['retry-after', '1'])
  expect(reply).toMatchObject({ kind: 'reply', status: 503 })
  expect(headersOf(reply)).toMatchObject({ 'content-type': MEDIA_TYPE.problem, 'retry-after': '1' })
  expect(JSON.parse(reply.body)).toMatchObject({ status: 503, code: 'SESSIONS_FULL' })
})

describe('internalReply', () => {
  it('default: 500 with the first line of the error', () => {
    const { status, body } = internalReply(new TypeError('x is gone\n at somewhere'))
    expect(status).toBe(500)
    expect(JSON.parse(body)).toMatchObject({ code: 'INTERNAL' })
    expect(body).toContain('x is gone')
    expect(body).not.toContain('somewhere')
  })

  it('behavior: 503 when a module cannot be loaded', () => {
    expect(internalReply(new PriceFeedMockError('MODULE_UNAVAILABLE', 'Gone.')).status).toBe(503)
  })
})
