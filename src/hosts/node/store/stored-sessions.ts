// The sessions of a store as records, and as the texts that it keeps, with their journals: how they are selected, created and read.
import { createBoundedCache } from '../../../caches.js'
import { readSeries } from '../../../market/read-series.js'
import { chargeOf, SMALL_BYTES } from '../../../service/admission.js'
import { type Creation, created } from '../../../service/changes.js'
import {
  bytesOf,
  createJournal,
  MAX_JOURNAL_BYTES,
  MAX_JOURNAL_ENTRIES,
  type Numbered,
  type SavedJournal,
} from '../../../service/journal.js'
import type { JournalEntry } from '../../../service/journal-entry.js'
import { type EndpointTally, tally, toTally } from '../../../service/journal-tally.js'
import { countersSchema, type SessionRecord, setupSchema, toData } from '../../../service/record.js'
import { isScenarioId, type ServiceRequest, sessionOfKey } from '../../../service/request.js'
import { createShared, type Runtime, type SessionParts } from '../../../service/runtime.js'
import { assertRequestedId, createSession } from '../../../service/sessions.js'
import { parseOrThrow } from '../../../settings/schema.js'
import type { ServiceExchange } from '../write.js'
import {
  type Absence,
  type Loaded,
  type Store,
  sessionUnknown,
  sessionUnreadable,
  setupOf,
  type Texts,
} from './store.js'

/** Sessions whose existence is remembered, for API keys. */
const MAX_KEYS = 10_000

/** A session as read from a store. */
export interface Known {
  readonly texts: Texts
  readonly record: SessionRecord
  readonly runtime: Runtime
  readonly journal: JournalTotals
}

/** Reads and writes the sessions of a store as texts. */
export type StoredSessions = ReturnType<typeof createStoredSessions>

/**
 * Creates the reader and writer of the sessions of a store.
 * @param isLazy whether the path of an unknown session creates it
 */
export function createStoredSessions(store: Store, parts: SessionParts, isLazy: boolean) {
  /** Whether there is a session of an id, or was one that was evicted. */
  const exists = createBoundedCache<string, boolean>(MAX_KEYS)
  const shared = createShared(parts, id => exists.get(id) === true)

  /** A session after a change, with a new revision. */
  const toKnown = (record: SessionRecord, journal: JournalTotals, gone: string, before?: Known): Known => {
    const counters = `${JSON.stringify(journal)}\n${JSON.stringify(record.counters)}`
    if (before?.record.setup === record.setup) {
      const texts = { ...before.texts, rev: store.nextRev(setupOf(before.texts.rev)), counters, gone }
      return { ...before, texts, record, journal }
    }
    const runtime = shared.runtimeOf(record.setup)
    const { isNamed, bytes } = chargeOf(runtime)
    const charge = Math.max(0, Math.ceil(bytes) - SMALL_BYTES)
    const texts = { rev: store.nextRev(), setup: JSON.stringify(toData(record.setup)), counters, gone, charge, isNamed }
    return { texts, record, runtime, journal }
  }
  const toNew = (creation: Creation): Known => toKnown(created(creation, shared), NO_ENTRIES, '[]')
  const add = async (known: Known): Promise<Known | undefined> => {
    const [written] = await store.commit([{ id: known.record.setup.id, next: known.texts }])
    return written!.kind === 'done' ? known : undefined
  }
  /**
   * A session that a request would create. It is not in the store.
   * @throws PriceFeedMockError SESSION_UNKNOWN, SESSION_INVALID or SCENARIO_UNKNOWN
   */
  const byRequest = (id: string, realMs: number, absence: Absence): Known => {
    assertRequestedId(id, shared.scenarios)
    if (!isLazy && id !== 'default' && !isScenarioId(id)) throw sessionUnknown(id, absence)
    return toNew({ id, isNamed: id === 'default', realMs, replacesEvicted: absence === 'evicted' })
  }
  return {
    shared,
    /** @param isKnown whether a session that the key of the request names need not be looked up */
    async select(request: ServiceRequest, isKnown = (_id: string) => false): Promise<string> {
      const named = sessionOfKey(request.authorization)
      if (named !== undefined) exists.set(named, isKnown(named) || (await store.load(named)) !== 'unknown')
      return shared.sessionOf(request)
    },
    /**
     * A session, with entries of its journal from `first` to `last`.
     * @throws PriceFeedMockError SESSION_UNKNOWN or SESSION_UNREADABLE
     */
    async load(id: string, first?: number, last?: number): Promise<Loaded> {
      const found = await store.load(id, first, last)
      if (typeof found === 'string') throw sessionUnknown(id, found, await store.ids())
      return found
    },
    /**
     * A session, created if requests may create it.
     * @throws PriceFeedMockError SESSION_UNKNOWN, SESSION_INVALID, SCENARIO_UNKNOWN or SESSIONS_FULL
     */
    async use(id: string, realMs: number): Promise<Texts> {
      for (;;) {
        const found = await store.load(id)
        if (typeof found === 'object') return found.texts
        const added = await add(byRequest(id, realMs, found))
        if (added !== undefined) return added.texts
      }
    },
    byRequest,
    /**
     * Creates a session. Undefined if there is one with its id.
     * @throws PriceFeedMockError SESSION_INVALID, SCENARIO_UNKNOWN, SCENARIO_INVALID or SESSIONS_FULL
     */
    create: async (creation: Creation) => add(toNew(creation)),
    /**
     * @param before an earlier state of it: nothing is derived anew while only counters differ
     * @throws PriceFeedMockError SESSION_UNREADABLE
     */
    read(id: string, texts: Texts, before?: Known): Known {
      try {
        const [, counters] = texts.counters.split('\n')
        const isSame = before !== undefined && setupOf(before.texts.rev) === setupOf(texts.rev)
        const setup = isSame ? before.record.setup : parseOrThrow(setupSchema, JSON.parse(texts.setup), ...INVALID)
        if (!isSame) shared.feedsOf(setup.createdWith, readSeries)
        const record = { setup, counters: parseOrThrow(countersSchema, JSON.parse(counters!), ...INVALID) }
        return { texts, record, runtime: shared.runtimeOf(setup), journal: readTotals(texts) }
      } catch (cause) {
        throw sessionUnreadable(id, cause)
      }
    },
    toKnown,
    /** A session to read from, with the entries of its journal if these were read. */
    view: ({ texts, record, journal }: Known, lines?: readonly string[]) =>
      createSession(record, shared, lines ? toJournal(journal, texts.gone, lines) : createJournal(), () => {}),
  }
}

const INVALID = ['STATE_INVALID', 'The session'] as const

/** A journal in a store, besides its entries, which are lines, and the counts of those that are gone. */
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
/** Entries that are dropped at a time: more than those of a step beyond the slack. */
const MAX_DROPPED = 256
/** Bytes that go at least where other journals have older entries, and the largest rest that goes as well. */
const LEAST_BYTES = 16_384

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
export function toJournal({ added, goneUntil }: JournalTotals, gone: string, lines: readonly string[]) {
  const journal = createJournal()
  journal.load({ added, goneUntil, gone: JSON.parse(gone) as EndpointTally[], entries: lines.map(toEntry) })
  return journal
}

/** A new entry of a journal. */
export type NewEntry = Pick<ServiceExchange, 'entry' | 'durationMs'>

/** The totals with new entries, and these as lines. */
export function append(journal: JournalTotals, entries: readonly NewEntry[]) {
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

/**
 * Drops and counts the oldest entries of a journal: those beyond its limits, and for an excess those that are older than others.
 * @param excess bytes by which all journals exceed their limit, and the real milliseconds of the oldest entry of the others
 */
export async function trim(
  { lines }: Store,
  { journal, texts, record }: Known,
  excess = { bytes: 0, until: 0 },
): Promise<Cut> {
  const tallies = toTally(JSON.parse(texts.gone) as EndpointTally[])
  let { length, bytes, since, goneUntil } = journal
  let dropped = 0
  const isDone = (): boolean => {
    if (dropped === MAX_DROPPED) return true
    if (length > MAX_JOURNAL_ENTRIES || bytes > MAX_JOURNAL_BYTES) return false
    const freed = journal.bytes - bytes
    return freed >= excess.bytes || (freed >= LEAST_BYTES && bytes > LEAST_BYTES && since > excess.until)
  }
  for (const line of await lines(record.setup.id, 0, MAX_DROPPED)) {
    const entry = JSON.parse(line) as JournalEntry
    since = entry.receivedAt
    if (isDone()) break
    tally(tallies, entry)
    goneUntil = entry.n
    bytes -= bytesOf(entry)
    length--
    dropped++
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
