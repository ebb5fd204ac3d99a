// The journal: entries in order, and never more than it may keep.
import { describe, expect, it } from 'vitest'
import { createJournal, type JournalEntry } from './journal.js'

const entry = (n: number): JournalEntry => ({
  n,
  ordinal: n,
  endpoint: 'latest',
  method: 'GET',
  target: '/prices/BTCUSD/latest',
  apiKey: 'test-api-key',
  status: 200,
  faults: [],
  now: 1_753_354_105,
  receivedAt: 1_800_000_000_000,
})
const numbers = (capacity: number, count: number): number[] => {
  const journal = createJournal(capacity)
  for (let n = 1; n <= count; n++) journal.add(entry(n))
  return journal.entries().map(({ n }) => n)
}

describe('createJournal', () => {
  it('default', () => {
    const journal = createJournal()
    expect(journal.entries()).toEqual([])
    journal.add(entry(1))
    expect(journal.entries()).toEqual([entry(1)])
  })

  it('behavior: oldest first', () => {
    expect(numbers(5, 3)).toEqual([1, 2, 3])
  })

  it.each([
    [5, [1, 2, 3, 4, 5]],
    [6, [2, 3, 4, 5, 6]],
    [9, [5, 6, 7, 8, 9]],
    [10, [6, 7, 8, 9, 10]],
    [11, [7, 8, 9, 10, 11]],
  ])('args: capacity 5 after %i entries', (count, kept) => {
    expect(numbers(5, count)).toEqual(kept)
  })

  it('args: capacity 1', () => {
    expect(numbers(1, 3)).toEqual([3])
  })

  it('args: capacity is 1000 when left out', () => {
    const journal = createJournal()
    for (let n = 1; n <= 1001; n++) journal.add(entry(n))
    expect(journal.entries()).toHaveLength(1000)
    expect(journal.entries()[0]!.n).toBe(2)
  })

  it('behavior: a full journal overwrites all fields of its oldest entry', () => {
    const journal = createJournal(1)
    journal.add(entry(1), 5)
    const before = journal.entries()
    const other: JournalEntry = {
      n: 2,
      ordinal: 0,
      endpoint: 'batch',
      method: 'OPTIONS',
      target: '/prices/batch',
      apiKey: undefined,
      status: 204,
      faults: ['reply/status'],
      now: 1_753_354_106,
      receivedAt: 1_800_000_000_001,
    }
    journal.add(other, 6)
    expect(journal.since(1)).toEqual([{ id: 2, entry: { ...other, durationMs: 6 } }])
    expect(JSON.stringify(journal.entries())).toBe(JSON.stringify([{ ...other, durationMs: 6 }]))
    journal.add({ ...other, faults: ['reply/empty'] })
    expect(journal.entries()).toEqual([{ ...other, faults: ['reply/empty'] }])
    expect(before).toEqual([{ ...entry(1), durationMs: 5 }])
  })

  it('behavior: returned entries do not change later', () => {
    const journal = createJournal(2)
    journal.add(entry(1))
    const before = journal.entries()
    journal.add(entry(2))
    before.length = 0
    expect(journal.entries().map(({ n }) => n)).toEqual([1, 2])
  })

  it('behavior: rewind drops later entries and continues with new ids', () => {
    const journal = createJournal(4)
    const ids = () => journal.since(0).map(({ id, entry: { n } }) => [id, n])
    for (const n of [1, 2, 3, 4, 5, 6]) journal.add(entry(n))
    journal.rewind(4)
    expect(ids()).toEqual([
      [3, 3],
      [4, 4],
    ])
    for (const n of [5, 6, 7]) journal.add(entry(n))
    expect(ids()).toEqual([
      [4, 4],
      [7, 5],
      [8, 6],
      [9, 7],
    ])
    expect(journal.since(7).map(({ id }) => id)).toEqual([8, 9])
    journal.rewind(0)
    expect(ids()).toEqual([])
  })
})
