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

/** Who follows a journal. */
export interface JournalSubscriber {
  onEntry(entry: JournalEntry, id: number): void
  onClose(): void
}

/** A journal of the newest entries. */
export interface Journal {
  /** Entries that were ever added: the newest has this number. */
  readonly added: number
  clear(): void
  /** Is told of every entry from now on, and of the end of the session, until the function that it returns is called. */
  subscribe(subscriber: JournalSubscriber): () => void
  /** Tells the subscribers that the session has gone. */
  close(): void
  add(entry: JournalEntry): void
  /** Oldest first. */
  entries(): JournalEntry[]
}

/** Creates a journal that keeps `capacity` entries. */
export function createJournal(capacity = 1000): Journal {
  let ring: JournalEntry[] = []
  let next = 0
  let added = 0
  const subscribers = new Set<JournalSubscriber>()
  return {
    get added() {
      return added
    },
    add(entry) {
      ring[next] = entry
      next = (next + 1) % capacity
      added++
      for (const { onEntry } of subscribers) onEntry(entry, added)
    },
    clear() {
      ring = []
      next = 0
    },
    subscribe(subscriber) {
      subscribers.add(subscriber)
      return () => subscribers.delete(subscriber)
    },
    close() {
      for (const { onClose } of subscribers) onClose()
    },
    entries: () => (ring.length < capacity ? ring.slice() : [...ring.slice(next), ...ring.slice(0, next)]),
  }
}
