// The journal of a session in a store: entries as lines, counts of the entries that are gone, and totals, which are counters.
import {
  bytesOf,
  createJournal,
  type Journal,
  MAX_JOURNAL_BYTES,
  MAX_JOURNAL_ENTRIES,
  type Numbered,
  type SavedJournal,
} from '../../../service/journal.js'
import type { JournalEntry } from '../../../service/journal-entry.js'
import { type EndpointTally, tally, toTally } from '../../../service/journal-tally.js'
import type { Store, Texts } from './store.js'
import type { Known } from './stored-sessions.js'

/** A journal in a store, besides its entries and the counts of those that are gone. */
export interface JournalTotals {
  /** The number of its last entry. */
  readonly added: number
  readonly length: number
  readonly bytes: number
  /** Real milliseconds of its oldest entry. */
  readonly since: number
  /** The number of the latest request whose entry is gone. */
  readonly goneUntil: number
}

/** A journal without entries. */
export const NO_ENTRIES: JournalTotals = { added: 0, length: 0, bytes: 0, since: 0, goneUntil: 0 }

/** A journal that is cut: its totals, the counts of the entries that are gone, and the first and the last entry that stay. */
export interface Cut {
  readonly journal: JournalTotals
  readonly gone: string
  readonly keeps: readonly [first: number, last: number]
}

/** The share of a journal by which it may grow before its oldest entries are counted and dropped, many at a time. */
const SLACK = 1.1
/** Entries that are read at a time. */
const CHUNK = 128
/** Bytes that go at least where other journals have older entries, and the largest rest that goes as well. */
const LEAST_BYTES = 16_384

/** An excess of all journals, to which one of them contributes. */
export interface Excess {
  readonly bytes: number
  /** Real milliseconds of the oldest entry of the other journals. */
  readonly until: number
}

function toEntry(line: string): SavedJournal['entries'][0] {
  const entry = JSON.parse(line) as SavedJournal['entries'][0]
  // The order of entries of all journals is that of their times.
  return { ...entry, age: entry.receivedAt }
}

/** An entry with its number in the journal. */
export function toNumbered(line: string): Numbered {
  const { id, age: _, ...entry } = toEntry(line)
  return { id, entry }
}

/** The totals of a session in a store: the first line of its counters. */
export const readTotals = ({ counters }: Pick<Texts, 'counters'>): JournalTotals =>
  JSON.parse(counters.slice(0, counters.indexOf('\n')))

/** A journal as an object. */
export function toJournal({ added, goneUntil }: JournalTotals, gone: string, lines: readonly string[]): Journal {
  const journal = createJournal()
  journal.load({ added, goneUntil, gone: JSON.parse(gone) as EndpointTally[], entries: lines.map(toEntry) })
  return journal
}

/** A new entry of a journal. */
export interface NewEntry {
  readonly entry: JournalEntry
  readonly durationMs: number
}

/** The totals with new entries, and these as lines. */
export function append(
  journal: JournalTotals,
  entries: readonly NewEntry[],
): { readonly journal: JournalTotals; readonly lines: readonly string[] } {
  let { added, bytes } = journal
  const lines = entries.map(({ entry, durationMs }) => {
    bytes += bytesOf(entry)
    // Whole microseconds are faster to print.
    return JSON.stringify({ id: ++added, ...entry, durationMs: Math.round(durationMs * 1000) / 1000 })
  })
  const length = journal.length + lines.length
  const since = journal.length === 0 ? (entries[0]?.entry.receivedAt ?? 0) : journal.since
  return { journal: { ...journal, added, length, bytes, since }, lines }
}

/** Whether a journal exceeds its limits by so much that it is trimmed. */
export const isTooLong = ({ length, bytes }: JournalTotals): boolean =>
  length > MAX_JOURNAL_ENTRIES * SLACK || bytes > MAX_JOURNAL_BYTES * SLACK

/** Drops and counts the oldest entries of a journal: those beyond its limits, and for an excess those that are older than others. */
export async function trim(
  { lines }: Store,
  { journal, texts, record }: Known,
  { bytes: excess, until }: Excess = { bytes: 0, until: 0 },
): Promise<Cut> {
  const tallies = toTally(JSON.parse(texts.gone) as EndpointTally[])
  let { length, bytes, since, goneUntil } = journal
  let dropped = 0
  const isDone = (): boolean => {
    if (length > MAX_JOURNAL_ENTRIES || bytes > MAX_JOURNAL_BYTES) return false
    const freed = journal.bytes - bytes
    return freed >= excess || (freed >= LEAST_BYTES && bytes > LEAST_BYTES && since > until)
  }
  for (let rest: readonly string[] | undefined; rest === undefined || rest.length === CHUNK; ) {
    rest = await lines(record.setup.id, dropped, dropped + CHUNK - 1)
    for (const line of rest) {
      const entry = JSON.parse(line) as JournalEntry
      since = entry.receivedAt
      if (isDone()) {
        rest = []
        break
      }
      tally(tallies, entry)
      goneUntil = entry.n
      bytes -= bytesOf(entry)
      length--
      dropped++
    }
  }
  const gone = JSON.stringify([...tallies.values()])
  return { journal: { ...journal, length, bytes, since, goneUntil }, gone, keeps: [dropped, -1] }
}

/** Drops all entries, and forgets those that are gone. */
export const clear = ({ journal }: Known): Cut => ({
  journal: { ...NO_ENTRIES, added: journal.added },
  gone: '[]',
  keeps: [1, 0],
})

/** Drops the entries after request `n`, because a session was restored to it. */
export async function rewind({ lines }: Store, { journal, texts, record }: Known, n: number): Promise<Cut> {
  const entries = (await lines(record.setup.id, 0, -1)).map(toEntry)
  const kept = entries.filter(entry => entry.n <= n)
  const bytes = kept.reduce((sum, entry) => sum + bytesOf(entry), 0)
  const goneUntil = Math.min(journal.goneUntil, n)
  return {
    journal: { ...journal, length: kept.length, bytes, since: kept[0]?.receivedAt ?? 0, goneUntil },
    // Requests cannot be uncounted without their entries, so the count starts again.
    gone: journal.goneUntil > n ? '[]' : texts.gone,
    keeps: kept.length === 0 ? [1, 0] : [0, kept.length - 1],
  }
}
