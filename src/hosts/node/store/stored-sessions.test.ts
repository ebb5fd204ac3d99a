// A journal in a store that is cut: its totals are those of the entries that stay, and no request is uncounted.
import { expect, it } from 'vitest'
import { createCalls, LATEST, requestOf } from '../../../../test/support/calls.js'
import { bytesOf, MAX_JOURNAL_BYTES, MAX_JOURNAL_ENTRIES } from '../../../service/journal.js'
import {
  append,
  clear,
  isTooLong,
  NO_ENTRIES,
  readTotals,
  rewind,
  toJournal,
  toNumbered,
  trim,
} from './stored-sessions.js'

const { entry } = createCalls().mock.serve(requestOf(LATEST))!
// Numbers of the same length.
const entryAt = (n: number) => ({ ...entry, n, receivedAt: 100_000 + n })
const BYTES = bytesOf(entryAt(1000))

/** A store with one journal of requests from 1000 on, a second each. */
function open(count: number, gone = '[]') {
  const { journal, lines } = append(
    { ...NO_ENTRIES, added: 999, goneUntil: 999 },
    Array.from({ length: count }, (_, i) => ({ entry: entryAt(1000 + i), durationMs: 1 })),
  )
  const store = {
    lines: async (_id: string, first: number, last: number) => lines.slice(first, last < 0 ? count : last + 1),
  }
  const known = { journal, texts: { gone }, record: { setup: { id: 'a' } } }
  return { store: store as never, known: known as never, journal, lines }
}

/** Entries that are dropped where other journals have older ones, of at least 16 KB. */
const LEAST = Math.ceil(16_384 / BYTES)

it.each<[title: string, count: number, excess: Parameters<typeof trim>[2], dropped: number]>([
  ['a short one stays', 10, undefined, 0],
  ['one at its limit stays', MAX_JOURNAL_ENTRIES, undefined, 0],
  ['one above its limit', MAX_JOURNAL_ENTRIES + 200, undefined, 200],
  ['one far above it, in steps', MAX_JOURNAL_ENTRIES + 300, undefined, 256],
  ['an excess of three entries', 200, { bytes: 3 * BYTES, until: 0 }, 3],
  ['an excess of a byte more', 200, { bytes: 3 * BYTES + 1, until: 0 }, 4],
  ['a large excess, while others are older', 200, { bytes: 200 * BYTES, until: 0 }, LEAST],
  ['a large excess, until another is older', 200, { bytes: 200 * BYTES, until: 101_099 }, 100],
  ['a large excess, until little is left', 200, { bytes: 190 * BYTES, until: 101_201 - LEAST }, 190],
])('default: trim: %s', async (_, count, excess, dropped) => {
  const { store, known, lines } = open(count)
  const { journal, gone, keeps } = await trim(store, known, excess)
  expect(keeps).toEqual([dropped, -1])
  const length = count - dropped
  expect(journal).toEqual({
    added: 999 + count,
    length,
    bytes: length * BYTES,
    since: 101_000 + dropped,
    goneUntil: 999 + dropped,
  })
  const summary = toJournal(journal, gone, lines.slice(dropped)).summarize()
  expect(summary).toEqual(toJournal({ ...journal, goneUntil: 999 }, '[]', lines).summarize())
})

it.each([
  ['request 1004', 1004, 999, 5],
  ['before all', 999, 999, 0],
  ['before some that are gone', 990, 990, 0],
])('default: rewind to %s', async (_, n, goneUntil, length) => {
  const { store, known, lines } = open(20, '[7]')
  const { journal, gone, keeps } = await rewind(store, known, n)
  // Requests that are gone cannot be uncounted one by one.
  expect([gone, keeps]).toEqual([n < 999 ? '[]' : '[7]', length === 0 ? [1, 0] : [0, length - 1]])
  const since = length === 0 ? 0 : toNumbered(lines[0]!).entry.receivedAt
  expect(journal).toEqual({ added: 1019, length, bytes: length * BYTES, since, goneUntil })
})

it('default: clear: numbers go on', () => {
  const { known } = open(20)
  expect(clear(known)).toEqual({ journal: { ...NO_ENTRIES, added: 1019 }, gone: '[]', keeps: [1, 0] })
})

it('default: append: each entry has its number and whole microseconds', () => {
  const { journal } = open(2)
  const added = append(journal, [{ entry: entryAt(1002), durationMs: 1.23456 }])
  const totals = { added: 1002, length: 3, bytes: 3 * BYTES, since: 101_000, goneUntil: 999 }
  expect(added.journal).toEqual(totals)
  expect(added.lines.map(line => JSON.parse(line))).toEqual([{ id: 1002, ...entryAt(1002), durationMs: 1.235 }])
  expect(append(NO_ENTRIES, []).journal).toEqual(NO_ENTRIES)
  expect(readTotals({ counters: `${JSON.stringify(totals)}\n{}\n` })).toEqual(totals)
})

it.each([
  ['entries', { length: MAX_JOURNAL_ENTRIES * 1.1 }, { length: MAX_JOURNAL_ENTRIES * 1.1 + 1 }],
  ['bytes', { bytes: MAX_JOURNAL_BYTES * 1.1 }, { bytes: MAX_JOURNAL_BYTES * 1.1 + 1 }],
])('default: a journal is too long once its %s exceed the limit by a tenth', (_, longest, longer) => {
  expect([longest, longer].map(part => isTooLong({ ...NO_ENTRIES, ...part }))).toEqual([false, true])
})
