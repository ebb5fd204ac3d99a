// The journal: entries in order, and never more than it may keep.
import { describe, expect, it } from 'vitest'
import { entryOf } from '../../test/support/calls.js'
import { createJournal, createJournalPool } from './journal.js'
import { type JournalEntry, journalEntrySchema } from './journal-entry.js'
import { binsBetween, MAX_BINS } from './journal-tally.js'

const numbers = (capacity: number, count: number): number[] => {
  const journal = createJournal(capacity)
  for (let n = 1; n <= count; n++) journal.add(entryOf(n))
  return journal.entries().map(({ n }) => n)
}

describe('createJournal', () => {
  it.each([
    [5, [1, 2, 3, 4, 5]],
    [6, [2, 3, 4, 5, 6]],
    [9, [5, 6, 7, 8, 9]],
    [10, [6, 7, 8, 9, 10]],
    [11, [7, 8, 9, 10, 11]],
  ])('args: capacity 5 after %i entries', (count, kept) => expect(numbers(5, count)).toEqual(kept))

  it('args: capacity is 1000 when left out', () => {
    const journal = createJournal()
    for (let n = 1; n <= 1001; n++) journal.add(entryOf(n))
    expect(journal.entries()).toHaveLength(1000)
    expect(journal.entries()[0]!.n).toBe(2)
  })

  it('behavior: rewind drops later entries and continues with new ids', () => {
    const journal = createJournal(4)
    const ids = () => journal.since(0).map(({ id, entry: { n } }) => [id, n])
    for (const n of [1, 2, 3, 4, 5, 6]) journal.add(entryOf(n))
    journal.rewind(4)
    expect(ids()).toEqual([
      [3, 3],
      [4, 4],
    ])
    for (const n of [5, 6, 7]) journal.add(entryOf(n))
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

describe('the size of a journal', () => {
  const long = (n: number, length: number): JournalEntry => ({ ...entryOf(n), target: `/${'x'.repeat(length - 1)}` })

  it('behavior: a subscriber hears nothing after it has left', () => {
    const journal = createJournal()
    const heard: number[] = []
    const leave = journal.subscribe({ onEntry: ({ id }) => heard.push(id), onClose: () => heard.push(0) })
    journal.add(entryOf(1))
    leave()
    journal.add(entryOf(2))
    journal.close()
    expect(heard).toEqual([1])
  })

  it('behavior: a subscriber hears when entries are cleared or rewound, not when limits drop them', () => {
    const journal = createJournal(3)
    const heard: (number | string)[] = []
    journal.subscribe({
      onEntry: ({ id }) => heard.push(id),
      onCut: () => heard.push(`cut to ${journal.since(0).map(({ id }) => id)}`),
      onClose: () => heard.push('closed'),
    })
    journal.clear()
    for (const n of [1, 2, 3, 4]) journal.add(entryOf(n))
    journal.rewind(4)
    journal.rewind(2)
    journal.clear()
    expect(heard).toEqual([1, 2, 3, 4, 'cut to 2', 'cut to '])
  })

  it('behavior: a long target is truncated, and its length kept', () => {
    const journal = createJournal()
    journal.add(long(1, 2048))
    journal.add(long(2, 128_000))
    const [whole, cut] = journal.entries()
    expect([whole!.target.length, whole!.targetLength]).toEqual([2048, undefined])
    expect([cut!.target.length, cut!.targetLength]).toEqual([2048, 128_000])
    journal.add(entryOf(3))
    expect(journal.entries()[2]!.targetLength).toBeUndefined()
  })

  it('behavior: the oldest entries leave when the bytes of the journal are used up', () => {
    const pool = createJournalPool()
    const journal = createJournal(1000, pool, 10_000)
    for (let n = 1; n <= 50; n++) journal.add(long(n, 2000))
    expect(journal.entries().map(({ n }) => n)).toEqual([47, 48, 49, 50])
    for (let n = 51; n <= 90; n++) journal.add(entryOf(n))
    expect(journal.entries().at(-1)!.n).toBe(90)
    expect(journal.entries().length).toBeGreaterThan(30)
    expect(pool.bytes).toBeLessThanOrEqual(10_000)
  })

  it('behavior: the oldest entries of all journals leave when the bytes of all are used up', () => {
    const pool = createJournalPool(100_000)
    const journals = [1, 2, 3].map(() => createJournal(1000, pool))
    const [idle, ...busy] = journals
    for (let n = 1; n <= 10; n++) idle!.add(long(n, 1000))
    for (let n = 1; n <= 500; n++) for (const journal of busy) journal.add(long(n, 1000))
    expect(pool.bytes).toBeLessThanOrEqual(100_000)
    expect(idle!.entries()).toEqual([])
    const oldest = busy.map(journal => journal.entries()[0]!.n)
    expect(Math.abs(oldest[0]! - oldest[1]!)).toBeLessThanOrEqual(1)
    expect(idle!.summarize()).toMatchObject([{ requests: 10 }])
    for (const journal of journals) journal.close()
    expect(pool.bytes).toBe(0)
    expect(pool.members.size).toBe(0)
  })

  it('behavior: the summary counts all requests, also those whose entries left', () => {
    const [small, large] = [createJournal(3), createJournal()]
    for (const journal of [small, large])
      for (let n = 1; n <= 20; n++)
        journal.add({
          ...entryOf(n),
          endpoint: n % 3 === 0 ? 'batch' : 'latest',
          status: n % 4 === 0 ? 401 : 200,
          now: entryOf(n).now + n * n,
          receivedAt: entryOf(n).receivedAt + n ** 3,
        })
    expect(small.entries()).toHaveLength(3)
    expect(small.summarize()).toEqual(large.summarize())
    small.clear()
    expect(small.summarize()).toEqual([])
  })

  it('behavior: the summary has the statuses, and the times between requests', () => {
    const journal = createJournal()
    const since = [0, 1, 3, 10]
    for (const [i, seconds] of since.entries())
      journal.add({
        ...entryOf(i + 1),
        status: seconds === 3 ? 401 : 200,
        got: seconds === 3 ? 'refused' : 'fresh',
        now: entryOf(1).now + seconds,
        receivedAt: entryOf(1).receivedAt + 2 * seconds,
      })
    expect(journal.summarize()).toEqual([
      {
        endpoint: 'latest',
        requests: 4,
        statuses: { 200: 3, 401: 1 },
        got: { fresh: 3, refused: 1 },
        bins: {
          width: 1,
          counts: since.map(seconds => [entryOf(1).now + seconds, seconds === 3 ? { refused: 1 } : { fresh: 1 }]),
        },
        betweenVirtualMs: { least: 1000, mean: 10_000 / 3, most: 7000 },
        betweenRealMs: { least: 2, mean: 20 / 3, most: 14 },
      },
    ])
  })

  it('behavior: counts over time have a bound, whatever the times', () => {
    const [small, large] = [createJournal(3), createJournal()]
    for (let n = 1; n <= 600; n++)
      for (const journal of [small, large])
        journal.add({ ...entryOf(n), got: n % 5 === 0 ? 'stale' : 'fresh', now: n === 600 ? 4_000_000_000 : 7 * n })
    const { bins } = small.summarize()[0]!
    expect(small.summarize()).toEqual(large.summarize())
    expect(bins.counts.length).toBeLessThanOrEqual(MAX_BINS)
    expect(Math.log2(bins.width) % 1).toBe(0)
    const inFirst = Array.from({ length: 599 }, (_, i) => 7 * (i + 1)).filter(second => second < bins.width)
    expect(bins.counts[0]).toEqual([
      0,
      { fresh: inFirst.filter(at => at % 35 !== 0).length, stale: inFirst.filter(at => at % 35 === 0).length },
    ])
    const all = binsBetween(bins, 0, 5e9, 1)
    expect(all.reduce((sum, { got: { fresh = 0, stale = 0 } }) => sum + fresh + stale, 0)).toBe(600)
    expect(binsBetween(bins, bins.width, bins.width, 1)).toEqual(all.slice(1, 2))
    const until = Math.ceil(1e10 / bins.width) * bins.width
    expect(binsBetween(bins, 0, 5e9, 1e10)).toEqual([{ from: 0, until, got: { fresh: 480, stale: 120 } }])
    // A bin of two seconds is not divided.
    const two = { width: 2, counts: [1, 2].map((bin): [number, { fresh: number }] => [bin, { fresh: 1 }]) }
    expect(binsBetween(two, 0, 9, 3).map(({ from, until }) => [from, until])).toEqual([
      [0, 4],
      [4, 8],
    ])
  })

  it('behavior: rewinding to before the first entry counts from the start', () => {
    const journal = createJournal(3)
    for (let n = 1; n <= 10; n++) journal.add(entryOf(n))
    journal.rewind(9)
    expect(journal.summarize()).toMatchObject([{ requests: 9 }])
    // To the newest of those whose entries are gone.
    journal.rewind(7)
    expect(journal.summarize()).toMatchObject([{ requests: 7 }])
    journal.rewind(2)
    expect(journal.summarize()).toEqual([])
  })
})

describe('save and load', () => {
  const filled = (count: number) => {
    const journal = createJournal(5)
    for (let n = 1; n <= count; n++)
      journal.add(
        { ...entryOf(n), endpoint: n % 3 === 0 ? 'batch' : 'latest', now: 1000 + n * n, receivedAt: n ** 3 },
        n / 2,
      )
    return journal
  }
  const copyOf = (journal: ReturnType<typeof createJournal>) => JSON.parse(JSON.stringify(journal.save()))

  it.each([0, 1, 4, 5, 6, 8, 20])('default: a journal of %i goes on as if it had never been saved', count => {
    const before = filled(count)
    const after = createJournal(5)
    after.add(entryOf(99))
    after.load(copyOf(before))
    for (let i = 0; i < 3; i++) {
      expect(after.entries()).toEqual(before.entries())
      expect(after.since(2)).toEqual(before.since(2))
      expect(after.summarize()).toEqual(before.summarize())
      for (const journal of [before, after]) journal.add({ ...entryOf(count + i + 1), now: 5000 + i }, 1)
    }
    for (const journal of [before, after]) journal.rewind(count)
    expect(after.summarize()).toEqual(before.summarize())
    after.load(copyOf(before))
    for (const journal of [before, after]) journal.rewind(count - 4)
    expect(after.summarize()).toEqual(before.summarize())
    expect(copyOf(after).entries.map(({ n }: { n: number }) => n)).toEqual(before.entries().map(({ n }) => n))
  })

  it('args: a smaller journal keeps the newest entries and counts all', () => {
    const before = filled(5)
    const small = createJournal(2)
    small.load(copyOf(before))
    expect(small.entries().map(({ n }) => n)).toEqual([4, 5])
    expect(small.summarize()).toEqual(before.summarize())
    const tiny = createJournal(5, createJournalPool(), 700)
    tiny.load(copyOf(before))
    expect(tiny.entries().map(({ n }) => n)).toEqual([4, 5])
  })

  it('behavior: the pool counts loaded entries, and drops the oldest of all journals', () => {
    const pool = createJournalPool(2000)
    const [first, second] = [createJournal(5, pool), createJournal(5, pool)]
    const saved = copyOf(filled(5))
    first.load(saved)
    expect(pool.bytes).toBe(5 * (250 + '/prices/BTCUSD/latest'.length + 3 + 'test-api-key'.length))
    second.load({ ...saved, entries: saved.entries.map((one: { age: number }) => ({ ...one, age: one.age + 5 })) })
    expect(pool.bytes).toBeLessThanOrEqual(2000)
    expect(first.entries().map(({ n }) => n)).toEqual([5])
    expect(second.entries()).toHaveLength(5)
    second.add(entryOf(6))
    expect(second.since(5).map(({ id }) => id)).toEqual([6])
  })
})

it('behavior: every key of the schema is kept, in its order, also where a slot is used again', () => {
  const journal = createJournal(1)
  const keys = Object.keys(journalEntrySchema.shape)
  for (const [round, target] of ['/a', '/b'].entries()) {
    const whole = Object.fromEntries(keys.map((key, i) => [key, 100 * round + i])) as unknown as JournalEntry
    const given = { ...whole, method: `GET ${round}`, target, apiKey: `k${round}`, faults: [target], quotas: [] }
    journal.add(given, given.durationMs)
    expect(journal.entries()).toEqual([given])
    expect(Object.keys(journal.entries()[0]!)).toEqual(keys)
  }
})
