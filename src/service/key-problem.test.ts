// The form of a key that is not accepted, and the numbers of keys that got a 401: equal for equal keys, and without the keys.
// src/admin/report/request-checks.test.ts has it in requests.
import { expect, it } from 'vitest'
import { entryOf } from '../../test/support/calls.js'
import { DEFAULT_SETTINGS } from '../settings/settings.js'
import { findKeyProblem, NO_KEYS, numberKey } from './key-problem.js'

const session = {
  settings: { ...DEFAULT_SETTINGS, apiKeys: ['Abc-1'] },
  acceptsKey: (key: string) => key === 'session.a',
}

it.each([
  [undefined, [], 'missing'],
  ['', [['feedIds', 'BTCUSD']], 'missing'],
  [undefined, [['apikey', 'x']], 'query'],
  [undefined, [['Access_Token', 'x']], 'query'],
  [undefined, [['monkey', 'x']], 'missing'],
  [undefined, [['apikey', '']], 'missing'],
  ['Bearer abc', [['key', 'x']], 'scheme'],
  ['Token  abc', [], 'scheme'],
  ['Bearer', [], 'unknown'],
  ['a, b', [], 'several'],
  ["'Abc-1'", [], 'quotes'],
  ['`Abc-1`', [], 'quotes'],
  ["Abc'1'", [], 'unknown'],
  ['ABC-1', [], 'case'],
  ['SESSION.A', [], 'case'],
  ['abc-2', [], 'unknown'],
] as const)('args: %j with the query %j: %s', (authorization, query, problem) => {
  expect(findKeyProblem(authorization, query, session)).toBe(problem)
})

const entry = (status: number) => entryOf(1, { status })
/** Answers one request after the other, and returns the number of the key of each. */
function createKeys(refused = NO_KEYS) {
  return (status: number, key: string | undefined): number | undefined => {
    const numbered = numberKey(refused, entry(status), key)
    refused = numbered.refused
    return numbered.entry.refusedKey
  }
}

it('default: keys that got a 401 have numbers, others do not', () => {
  const mark = createKeys()
  expect(mark(200, 'a')).toBeUndefined()
  expect([mark(401, 'a'), mark(401, 'b'), mark(401, 'a'), mark(200, 'a'), mark(503, 'b')]).toEqual([1, 2, 1, 1, 2])
  expect([mark(200, 'c'), mark(401, undefined), mark(401, '')]).toEqual([undefined, undefined, undefined])
})

it('behavior: an entry without a number is the same object', () => {
  const one = entry(200)
  expect(numberKey(NO_KEYS, one, 'a').entry).toBe(one)
})

it('behavior: numbers go on after the last one', () => {
  const mark = createKeys({ last: 7, marks: [] })
  expect([mark(401, 'a'), mark(401, 'b')]).toEqual([8, 9])
})

it('behavior: the oldest of more than a hundred keys is forgotten', () => {
  const mark = createKeys()
  for (let i = 0; i < 101; i++) mark(401, `key ${i}`)
  expect(mark(200, 'key 1')).toBe(2)
  expect(mark(200, 'key 0')).toBeUndefined()
  expect(mark(401, 'key 0')).toBe(102)
})
