// The journal of a session: its newest requests and how they were answered, bounded in entries and in bytes.
import type { Outcome } from '../outcome.js'

/** One answered request. */
export interface JournalEntry {
  /** Number of the request in its session, from 1. */
  readonly n: number
  /** Number among the GET and HEAD requests of the endpoint, from 1; 0 for other methods. */
  readonly ordinal: number
  readonly endpoint: string
  readonly method: string
  readonly target: string
  /** Length of the target, if the journal has truncated it. */
  readonly targetLength?: number | undefined
  /** The API key of the request; a placeholder for an unknown key, undefined without a key. */
  readonly apiKey: string | undefined
  /** 0 without an answer, after a reset or a timeout. */
  readonly status: number
  /** Names of the faults applied to the answer, in the order of the scenario. */
  readonly faults: readonly string[]
  /** Virtual seconds since the epoch. */
  readonly now: number
  /** Real milliseconds since the epoch. */
  readonly receivedAt: number
  /** Real milliseconds until the answer was written, measured by the host. */
  readonly durationMs?: number | undefined
  /** True for the first request of a session that replaces an evicted one. */
  readonly evicted?: true | undefined
}

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
  onClose(): void
}

/** The distances between successive times. */
export interface Spread {
  readonly least: number
  readonly mean: number
  readonly most: number
}

/** All requests of one endpoint, including those whose entries are gone. */
export interface EndpointSummary {
  readonly endpoint: string
  readonly requests: number
  /** Number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** In virtual milliseconds; null for fewer than two requests. */
  readonly betweenVirtualMs: Spread | null
  /** In real milliseconds; null for fewer than two requests. */
  readonly betweenRealMs: Spread | null
}

/** A journal of the newest entries. */
export interface Journal {
  clear(): void
  /** Removes the entries after request `n`, because a session was restored to it. */
  rewind(n: number): void
  /** Reports every new entry, and the end of the session. Returns a function that unsubscribes. */
  subscribe(subscriber: JournalSubscriber): () => void
  /** Removes all entries for good, and reports the end of the session to the subscribers. */
  close(): void
  /** @param durationMs real milliseconds until the answer was written */
  add(entry: JournalEntry, durationMs?: number, outcome?: Outcome): void
  /** Oldest first. */
  entries(): JournalEntry[]
  /** The entries after the one numbered `id`, oldest first. */
  since(id: number): Numbered[]
  /** All requests since the last `clear`, by endpoint in the order of their first request. */
  summarize(): EndpointSummary[]
}

/** Maximum length of a target. The rest is cut off. */
const MAX_TARGET_LENGTH = 2048
/** Maximum number of bytes of one journal. */
const MAX_BYTES = 1_000_000
/** Maximum number of bytes of all journals of a mock. */
const MAX_POOL_BYTES = 32_000_000
/** Bytes of an entry without its texts. */
const ENTRY_BYTES = 250
/** Bytes of the name of a fault in a list. The names themselves are shared. */
const NAME_BYTES = 16

/** A stored entry. It is overwritten in place: a new object per request would survive, and be copied by, several collections. */
type Slot = { id: number; age: number } & { -readonly [Key in keyof Required<JournalEntry>]: JournalEntry[Key] }

/** The journals of a mock, which share a maximum of bytes. */
export interface JournalPool {
  /** Number of entries added to all journals so far. */
  added: number
  bytes: number
  readonly maxBytes: number
  readonly members: Set<PoolMember>
}

interface PoolMember {
  /** Value of `added` for the oldest entry; infinite without entries. */
  oldest(): number
  dropOldest(): void
}

/** Creates the pool of the journals of a mock. */
export function createJournalPool(maxBytes = MAX_POOL_BYTES): JournalPool {
  return { added: 0, bytes: 0, maxBytes, members: new Set() }
}

/** Drops the oldest entries of all journals, an eighth of the maximum at once: a search for the oldest visits every journal. */
function drain(pool: JournalPool): void {
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
export function createJournal(capacity = 1000, pool = createJournalPool(), maxBytes = MAX_BYTES): Journal {
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
    add(whole, durationMs, outcome) {
      if (closed) return
      const entry = truncated(whole)
      added++
      pool.members.add(member)
      const size = bytesOf(entry)
      while (count > 0 && (count === capacity || bytes + size > maxBytes)) member.dropOldest()
      const at = (start + count) % capacity
      const age = ++pool.added
      const slot = ring[at]
      if (slot === undefined) ring[at] = toSlot(added, age, entry, durationMs)
      else overwrite(slot, added, age, entry, durationMs)
      count++
      charge(size)
      if (pool.bytes > pool.maxBytes) drain(pool)
      if (subscribers.size === 0) return
      const numbered = { id: added, entry: { ...entry, durationMs }, outcome }
      for (const { onEntry } of subscribers) onEntry(numbered)
    },
    clear() {
      keep([])
      gone = new Map()
    },
    rewind(n) {
      keep(kept().filter(slot => slot.n <= n))
      // Requests cannot be uncounted without their entries, so the count starts again.
      if (goneUntil > n) gone = new Map()
      goneUntil = Math.min(goneUntil, n)
    },
    subscribe(subscriber) {
      subscribers.add(subscriber)
      return () => subscribers.delete(subscriber)
    },
    close() {
      keep([])
      closed = true
      pool.members.delete(member)
      for (const { onClose } of subscribers) onClose()
    },
    entries: () => kept().map(toEntry),
    since: id =>
      kept()
        .filter(slot => slot.id > id)
        .map(slot => ({ id: slot.id, entry: toEntry(slot) })),
    summarize() {
      const all: Tally = new Map([...gone].map(([endpoint, one]) => [endpoint, copyOf(one)]))
      for (const slot of kept()) tally(all, slot)
      return [...all.values()].map(toSummary)
    },
  }
}

const toEntry = ({ id: _, age: __, ...entry }: Slot): JournalEntry => entry

const bytesOf = ({ target, method, apiKey, faults }: JournalEntry): number =>
  ENTRY_BYTES + target.length + method.length + (apiKey?.length ?? 0) + faults.length * NAME_BYTES

/** An entry whose target has a limited length. */
function truncated(entry: JournalEntry): JournalEntry {
  const { target } = entry
  if (target.length <= MAX_TARGET_LENGTH) return entry
  // Joined from characters: engines let a slice hold the whole text.
  const start = target.slice(0, MAX_TARGET_LENGTH).split('').join('')
  return { ...entry, target: start, targetLength: target.length }
}

function toSlot(id: number, age: number, entry: JournalEntry, durationMs: number | undefined): Slot {
  const { n, ordinal, endpoint, method, target, targetLength, apiKey, status, faults, now, receivedAt, evicted } = entry
  return {
    id,
    age,
    n,
    ordinal,
    endpoint,
    method,
    target,
    targetLength,
    apiKey,
    status,
    faults,
    now,
    receivedAt,
    durationMs,
    evicted,
  }
}

function overwrite(slot: Slot, id: number, age: number, entry: JournalEntry, durationMs: number | undefined): void {
  slot.id = id
  slot.age = age
  slot.n = entry.n
  slot.ordinal = entry.ordinal
  slot.endpoint = entry.endpoint
  slot.method = entry.method
  slot.targetLength = entry.targetLength
  slot.status = entry.status
  slot.now = entry.now
  slot.receivedAt = entry.receivedAt
  slot.durationMs = durationMs
  slot.evicted = entry.evicted
  // Equal values are kept: a new copy would survive collections as well.
  if (slot.target !== entry.target) slot.target = entry.target
  if (slot.apiKey !== entry.apiKey) slot.apiKey = entry.apiKey
  if (!isSameList(slot.faults, entry.faults)) slot.faults = entry.faults
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i])
}

/** Counts by endpoint. */
type Tally = Map<string, EndpointTally>
interface EndpointTally {
  readonly endpoint: string
  requests: number
  readonly statuses: Record<string, number>
  readonly virtual: Times
  readonly real: Times
}
/** First and last of some times, with the least and the greatest distance between two that follow each other. */
interface Times {
  readonly first: number
  last: number
  least: number
  most: number
}

const copyOf = ({ statuses, virtual, real, ...rest }: EndpointTally): EndpointTally => ({
  ...rest,
  statuses: { ...statuses },
  virtual: { ...virtual },
  real: { ...real },
})

const startTimes = (time: number): Times => ({
  first: time,
  last: time,
  least: Number.POSITIVE_INFINITY,
  most: Number.NEGATIVE_INFINITY,
})

function addTime(times: Times, time: number): void {
  const gap = time - times.last
  times.last = time
  times.least = Math.min(times.least, gap)
  times.most = Math.max(times.most, gap)
}

function tally(tallies: Tally, { endpoint, status, now, receivedAt }: JournalEntry): void {
  const known = tallies.get(endpoint)
  if (known === undefined) {
    const times = { virtual: startTimes(now * 1000), real: startTimes(receivedAt) }
    tallies.set(endpoint, { endpoint, requests: 1, statuses: { [status]: 1 }, ...times })
    return
  }
  known.requests++
  known.statuses[status] = (known.statuses[status] ?? 0) + 1
  addTime(known.virtual, now * 1000)
  addTime(known.real, receivedAt)
}

const toSummary = ({ endpoint, requests, statuses, virtual, real }: EndpointTally): EndpointSummary => ({
  endpoint,
  requests,
  statuses,
  betweenVirtualMs: toSpread(virtual, requests),
  betweenRealMs: toSpread(real, requests),
})

function toSpread({ first, last, least, most }: Times, count: number): Spread | null {
  return count < 2 ? null : { least, mean: (last - first) / (count - 1), most }
}
