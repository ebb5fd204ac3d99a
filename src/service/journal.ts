// What was asked of a session and how it was answered: the newest entries, bounded.

/** One answered request. */
export interface JournalEntry {
  /** Counts the session's requests, from 1. */
  readonly n: number
  /** Counts the GET and HEAD requests of the endpoint, from 1; 0 where they do not count. */
  readonly ordinal: number
  readonly endpoint: string
  readonly method: string
  readonly target: string
  /** The API key that was sent if it is one of the mock's, otherwise only that there was one; undefined without. */
  readonly apiKey?: string | undefined
  /** 0 where there was no answer: a reset, a timeout. */
  readonly status: number
  /** The faults that touched the answer, in order. */
  readonly faults: readonly string[]
  /** Virtual seconds since the epoch. */
  readonly now: number
  /** Real milliseconds since the epoch. */
  readonly receivedAt: number
  /** Real milliseconds until the answer was written, as the host measured it. */
  readonly durationMs?: number | undefined
}

/** An entry, and how many were ever added to the journal with it: what has gone leaves no number to others. */
export interface Numbered {
  readonly id: number
  readonly entry: JournalEntry
}

/** Who follows a journal. */
export interface JournalSubscriber {
  onEntry(numbered: Numbered): void
  onClose(): void
}

/** A journal of the newest entries. */
export interface Journal {
  clear(): void
  /** Forgets what came after request `n`: a session has been taken back to it. */
  rewind(n: number): void
  /** Is told of every entry from now on, and of the end of the session, until the function that it returns is called. */
  subscribe(subscriber: JournalSubscriber): () => void
  /** Tells the subscribers that the session has gone. */
  close(): void
  /** @param durationMs real milliseconds until the answer was written */
  add(entry: JournalEntry, durationMs?: number): void
  /** Oldest first. */
  entries(): JournalEntry[]
  /** What was added after the entry of an id, oldest first. */
  since(id: number): Numbered[]
}

/** An entry as it is kept. A slot is overwritten in place: a new object for each request would survive several collections. */
type Slot = { id: number } & { -readonly [Key in keyof Required<JournalEntry>]: JournalEntry[Key] }

/** Creates a journal that keeps `capacity` entries. */
export function createJournal(capacity = 1000): Journal {
  let ring: Slot[] = []
  let next = 0
  let added = 0
  const subscribers = new Set<JournalSubscriber>()
  const kept = (): Slot[] => (ring.length < capacity ? ring : [...ring.slice(next), ...ring.slice(0, next)])
  const keep = (some: Slot[]): void => {
    ring = some
    next = ring.length % capacity
  }
  return {
    add(entry, durationMs) {
      added++
      const slot = ring[next]
      if (slot === undefined) ring[next] = { id: added, ...toEntry(entry), durationMs }
      else overwrite(slot, added, entry, durationMs)
      next = (next + 1) % capacity
      if (subscribers.size === 0) return
      const numbered = { id: added, entry: { ...entry, durationMs } }
      for (const { onEntry } of subscribers) onEntry(numbered)
    },
    clear: () => keep([]),
    rewind: n => keep(kept().filter(slot => slot.n <= n)),
    subscribe(subscriber) {
      subscribers.add(subscriber)
      return () => subscribers.delete(subscriber)
    },
    close() {
      for (const { onClose } of subscribers) onClose()
    },
    entries: () => kept().map(toEntry),
    since: id =>
      kept()
        .filter(slot => slot.id > id)
        .map(slot => ({ id: slot.id, entry: toEntry(slot) })),
  }
}

const toEntry = (slot: JournalEntry): Omit<Slot, 'id'> => ({
  n: slot.n,
  ordinal: slot.ordinal,
  endpoint: slot.endpoint,
  method: slot.method,
  target: slot.target,
  apiKey: slot.apiKey,
  status: slot.status,
  faults: slot.faults,
  now: slot.now,
  receivedAt: slot.receivedAt,
  durationMs: slot.durationMs,
})

function overwrite(slot: Slot, id: number, entry: JournalEntry, durationMs: number | undefined): void {
  slot.id = id
  slot.n = entry.n
  slot.ordinal = entry.ordinal
  slot.endpoint = entry.endpoint
  slot.method = entry.method
  slot.status = entry.status
  slot.now = entry.now
  slot.receivedAt = entry.receivedAt
  slot.durationMs = durationMs
  // An equal value that is old already is kept: writing the new one would make it survive as well.
  if (slot.target !== entry.target) slot.target = entry.target
  if (slot.apiKey !== entry.apiKey) slot.apiKey = entry.apiKey
  if (!isSameList(slot.faults, entry.faults)) slot.faults = entry.faults
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i])
}
