// The journal of a session: its newest requests and how they were answered, bounded in entries and in bytes.
import type * as z from 'zod/mini'
import type { Outcome } from '../outcome.js'
import type { DeepReadonly } from '../settings/schema.js'
import type { JournalEntry } from './journal-entry.js'
import { type Tally, tally, toSummary, toTally } from './journal-tally.js'
import type { journalSchema } from './saved-state.js'

/** An entry with its number in the journal. Numbers are never reused, not even after `clear`. */
export interface Numbered {
  readonly id: number
  readonly entry: JournalEntry
  /** The answer, for subscribers only: the journal does not keep it. */
  readonly outcome?: Outcome | undefined
}

/** Callbacks of a subscriber. */
export interface JournalSubscriber {
  onEntry(numbered: Numbered): void
  /** Entries were cleared or rewound: those that stay are `since(0)`. */
  onCut?(): void
  onClose(): void
}

/** A journal of the newest entries. */
export type Journal = ReturnType<typeof createJournal>

/** A journal as data. */
export type SavedJournal = DeepReadonly<z.output<typeof journalSchema>>

/** Maximum length of a target. The rest is cut off. */
const MAX_TARGET_LENGTH = 2048
/** Maximum number of entries of one journal. */
export const MAX_JOURNAL_ENTRIES = 1000
/** Maximum number of bytes of one journal. */
export const MAX_JOURNAL_BYTES = 1_000_000
/** Maximum number of bytes of all journals of a mock. */
export const MAX_POOL_BYTES = 16_000_000
/** Bytes of an entry without its texts. */
const ENTRY_BYTES = 250
/** Bytes of the name of a fault in a list. The names themselves are shared. */
const NAME_BYTES = 16
const QUOTA_BYTES = 40
/** Bytes of a window with the ordinals of all endpoints, which entries mostly share. */
const WINDOW_BYTES = 100

/** A stored entry. It is overwritten in place: a new object per request would survive, and be copied by, several collections. */
type Slot = { id: number; age: number } & { -readonly [Key in keyof JournalEntry]: JournalEntry[Key] }

interface PoolMember {
  /** Value of `added` for the oldest entry; infinite without entries. */
  oldest(): number
  dropOldest(): void
}

/** Creates the pool of the journals of a mock, which share a maximum of bytes. */
export function createJournalPool(maxBytes = MAX_POOL_BYTES) {
  /** `added` is the number of entries added to all journals so far. */
  return { added: 0, bytes: 0, maxBytes, members: new Set<PoolMember>() }
}

/**
 * Drops the oldest entries of all journals, which hold too much, an eighth of the maximum at once: a search for the oldest visits
 * every journal.
 */
function drain(pool: ReturnType<typeof createJournalPool>): void {
  while (pool.bytes > pool.maxBytes * 0.875) {
    let first: PoolMember | undefined
    let age = Number.POSITIVE_INFINITY
    let nextAge = Number.POSITIVE_INFINITY
    for (const member of pool.members) {
      const own = member.oldest()
      if (own < age) {
        nextAge = age
        age = own
        first = member
      } else if (own < nextAge) nextAge = own
    }
    if (first === undefined) return
    // Always one, then as many as are older than the oldest entry of every other journal.
    do first.dropOldest()
    while (first.oldest() < nextAge && pool.bytes > pool.maxBytes * 0.875)
  }
}

/** Creates a journal that keeps `capacity` entries, and fewer if they are long. */
export function createJournal(
  capacity = MAX_JOURNAL_ENTRIES,
  pool = createJournalPool(),
  maxBytes = MAX_JOURNAL_BYTES,
) {
  /** A ring. The entries are the `count` slots from `start`; the other slots are free. */
  let ring: Slot[] = []
  let start = 0
  let count = 0
  let bytes = 0
  let added = 0
  let closed = false
  /** The requests whose entries are gone. */
  let gone: Tally = new Map()
  /** The number `n` of the latest of them. */
  let goneUntil = 0
  const subscribers = new Set<JournalSubscriber>()

  const slotAt = (i: number): Slot => ring[(start + i) % capacity]!
  const kept = (): Slot[] => Array.from({ length: count }, (_, i) => slotAt(i))
  const charge = (change: number): void => {
    bytes += change
    pool.bytes += change
  }
  const cut = (kept: Slot[]): void => {
    if (kept.length === count) return
    keep(kept)
    for (const subscriber of subscribers) subscriber.onCut?.()
  }
  const keep = (some: Slot[]): void => {
    charge(some.reduce((sum, slot) => sum + bytesOf(slot), -bytes))
    ring = some
    start = 0
    count = some.length
  }
  const member: PoolMember = {
    oldest: () => (count === 0 ? Number.POSITIVE_INFINITY : slotAt(0).age),
    dropOldest() {
      const slot = slotAt(0)
      tally(gone, slot)
      goneUntil = slot.n
      charge(-bytesOf(slot))
      // The slot stays for a later entry, but must not hold a long text until then.
      slot.target = ''
      start = (start + 1) % capacity
      count--
    },
  }
  return {
    /** @param durationMs real milliseconds until the answer was written */
    add(whole: JournalEntry, durationMs?: number, outcome?: Outcome): void {
      if (closed) return
      const entry = truncated(whole)
      added++
      pool.members.add(member)
      const size = bytesOf(entry)
      while (count > 0 && (count === capacity || bytes + size > maxBytes)) member.dropOldest()
      const at = (start + count) % capacity
      const age = ++pool.added
      ring[at] = fill(ring[at] ?? ({} as Slot), added, age, entry, durationMs)
      count++
      charge(size)
      if (pool.bytes > pool.maxBytes) drain(pool)
      if (subscribers.size === 0) return
      const numbered = { id: added, entry: { ...entry, durationMs }, outcome }
      for (const { onEntry } of subscribers) onEntry(numbered)
    },
    clear(): void {
      cut([])
      gone = new Map()
    },
    /** Removes the entries after request `n`, because a session was restored to it. */
    rewind(n: number): void {
      cut(kept().filter(slot => slot.n <= n))
      // Requests cannot be uncounted without their entries, so the count starts again.
      if (goneUntil > n) gone = new Map()
      goneUntil = Math.min(goneUntil, n)
    },
    /** Reports every new entry, and the end of the session. Returns a function that unsubscribes. */
    subscribe(subscriber: JournalSubscriber): () => void {
      subscribers.add(subscriber)
      return () => subscribers.delete(subscriber)
    },
    /** Removes all entries for good, and reports the end of the session to the subscribers. */
    close(): void {
      keep([])
      closed = true
      pool.members.delete(member)
      for (const { onClose } of subscribers) onClose()
    },
    /** Oldest first. */
    entries: () => kept().map(toEntry),
    /** The entries after the one numbered `id`, oldest first. */
    since: (id: number): Numbered[] =>
      kept()
        .filter(slot => slot.id > id)
        .map(slot => ({ id: slot.id, entry: toEntry(slot) })),
    /** All requests since the last `clear`, by endpoint in the order of their first request. */
    summarize() {
      const all = toTally(gone.values())
      for (const slot of kept()) tally(all, slot)
      return [...all.values()].map(toSummary)
    },
    /** The journal as data. */
    save: (): SavedJournal => ({
      added,
      entries: kept().map(slot => ({ ...slot })),
      gone: [...toTally(gone.values()).values()],
      goneUntil,
    }),
    /** Replaces the whole journal. The limits hold: of a longer one the newest entries stay. */
    load(saved: SavedJournal): void {
      const slots = saved.entries.map(entry =>
        fill({} as Slot, entry.id, entry.age, truncated(entry), entry.durationMs),
      )
      added = saved.added
      gone = toTally(saved.gone)
      goneUntil = saved.goneUntil
      pool.members.add(member)
      pool.added = slots.reduce((last, { age }) => Math.max(last, age), pool.added)
      for (const slot of slots.splice(0, slots.length - capacity)) tally(gone, slot)
      keep(slots)
      while (count > 0 && bytes > maxBytes) member.dropOldest()
      if (pool.bytes > pool.maxBytes) drain(pool)
    },
  }
}

const toEntry = ({ id: _, age: __, ...entry }: Slot): JournalEntry => entry

/** The bytes that an entry counts as. */
export const bytesOf = ({ target, method, apiKey, why, faults, quotas = [], windows = [] }: JournalEntry): number =>
  ENTRY_BYTES +
  target.length +
  method.length +
  (apiKey?.length ?? 0) +
  (why?.length ?? 0) +
  faults.length * NAME_BYTES +
  quotas.length * QUOTA_BYTES +
  windows.length * WINDOW_BYTES

/** An entry whose target has a limited length. */
export function truncated(entry: JournalEntry): JournalEntry {
  const { target } = entry
  if (target.length <= MAX_TARGET_LENGTH) return entry
  // Joined from characters: engines let a slice hold the whole text.
  const start = target.slice(0, MAX_TARGET_LENGTH).split('').join('')
  return { ...entry, target: start, targetLength: target.length }
}

/** Writes an entry into a slot, every key in the same order. Equal values are kept: a new copy would survive collections as well. */
function fill(slot: Slot, id: number, age: number, entry: JournalEntry, durationMs: number | undefined): Slot {
  slot.id = id
  slot.age = age
  slot.n = entry.n
  slot.ordinal = entry.ordinal
  slot.endpoint = entry.endpoint
  slot.method = entry.method
  slot.target = slot.target === entry.target ? slot.target : entry.target
  slot.targetLength = entry.targetLength
  slot.apiKey = slot.apiKey === entry.apiKey ? slot.apiKey : entry.apiKey
  slot.keyProblem = entry.keyProblem
  slot.refusedKey = entry.refusedKey
  slot.status = entry.status
  slot.got = entry.got
  slot.why = slot.why === entry.why ? slot.why : entry.why
  slot.retryAfter = entry.retryAfter
  slot.faults = slot.faults?.join() === entry.faults.join() ? slot.faults : entry.faults
  slot.quotas = entry.quotas
  slot.windows = entry.windows
  slot.now = entry.now
  slot.nowMs = entry.nowMs
  slot.receivedAt = entry.receivedAt
  slot.durationMs = durationMs
  slot.evicted = entry.evicted
  return slot
}
