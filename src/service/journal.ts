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
  readonly durationMs?: number
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
  add(entry: JournalEntry): void
  /** Oldest first. */
  entries(): JournalEntry[]
  /** What was added after the entry of an id, oldest first. */
  since(id: number): Numbered[]
}

/** Creates a journal that keeps `capacity` entries. */
export function createJournal(capacity = 1000): Journal {
  let ring: Numbered[] = []
  let next = 0
  let added = 0
  const subscribers = new Set<JournalSubscriber>()
  const kept = (): Numbered[] => (ring.length < capacity ? ring : [...ring.slice(next), ...ring.slice(0, next)])
  const keep = (some: Numbered[]): void => {
    ring = some
    next = ring.length % capacity
  }
  return {
    add(entry) {
      const numbered = { id: ++added, entry }
      ring[next] = numbered
      next = (next + 1) % capacity
      for (const { onEntry } of subscribers) onEntry(numbered)
    },
    clear: () => keep([]),
    rewind: n => keep(kept().filter(({ entry }) => entry.n <= n)),
    subscribe(subscriber) {
      subscribers.add(subscriber)
      return () => subscribers.delete(subscriber)
    },
    close() {
      for (const { onClose } of subscribers) onClose()
    },
    entries: () => kept().map(({ entry }) => entry),
    since: id => kept().filter(numbered => numbered.id > id),
  }
}
