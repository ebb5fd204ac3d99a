// The numbers of refused keys: equal for equal keys, given once, and without the keys.
import { expect, it } from 'vitest'
import type { JournalEntry } from './journal.js'
import { createRefusedKeys } from './refused-keys.js'

const entry = (status: number, refusedKey?: number): JournalEntry => ({
  n: 1,
  ordinal: 1,
  endpoint: 'latest',
  method: 'GET',
  target: '/',
  apiKey: 'k',
  refusedKey,
  status,
  faults: [],
  now: 0,
  receivedAt: 0,
})

it('default: keys that got a 401 have numbers, others do not', () => {
  const keys = createRefusedKeys(() => [])
  const mark = (status: number, key: string | undefined) => keys.mark(entry(status), key).refusedKey
  expect(mark(200, 'a')).toBeUndefined()
  expect([mark(401, 'a'), mark(401, 'b'), mark(401, 'a'), mark(200, 'a'), mark(503, 'b')]).toEqual([1, 2, 1, 1, 2])
  expect([mark(200, 'c'), mark(401, undefined), mark(401, '')]).toEqual([undefined, undefined, undefined])
  keys.clear()
  expect([mark(200, 'a'), mark(401, 'c')]).toEqual([undefined, 1])
})

it('behavior: an entry without a number is the same object', () => {
  const keys = createRefusedKeys(() => [])
  const one = entry(200)
  expect(keys.mark(one, 'a')).toBe(one)
})

it('behavior: numbers go on after those of a restored journal', () => {
  const keys = createRefusedKeys(() => [entry(401, 3), entry(401, 7), entry(200)])
  expect(keys.mark(entry(401), 'a').refusedKey).toBe(8)
  expect(keys.mark(entry(401), 'b').refusedKey).toBe(9)
})

it('behavior: the oldest of more than a hundred keys is forgotten', () => {
  const keys = createRefusedKeys(() => [])
  for (let i = 0; i < 101; i++) keys.mark(entry(401), `key ${i}`)
  expect(keys.mark(entry(200), 'key 1').refusedKey).toBe(2)
  expect(keys.mark(entry(200), 'key 0').refusedKey).toBeUndefined()
  expect(keys.mark(entry(401), 'key 0').refusedKey).toBe(102)
})
