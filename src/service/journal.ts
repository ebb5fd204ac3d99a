// The journal of a session: its newest requests and how they were answered.

/** One answered request. */
export interface JournalEntry {
  /** Number of the request in its session, from 1. */
  readonly n: number
  /** Number among the GET and HEAD requests of the endpoint, from 1; 0 for other methods. */
  readonly ordinal: number
  readonly endpoint: string
  readonly method: string
  readonly target: string
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
}

/** An entry with its number in the journal. Numbers are never reused, not even after `clear`. */
export interface Numbered {
  readonly id: number
  readonly entry: JournalEntry
}

/** Callbacks of a subscriber. */
export interface JournalSubscriber {
  onEntry(numbered: Numbered): void
  onClose(): void
}

/** A journal of the newest entries. */
export interface Journal {
  clear(): void
  /** Removes the entries after request `n`, because a session was restored to it. */
  rewind(n: number): void
  /** Reports every new entry, and the end of the session. Returns a function that unsubscribes. */
  subscribe(subscriber: JournalSubscriber): () => void
  /** Reports the end of the session to the subscribers. */
  close(): void
  /** @param durationMs real milliseconds until the answer was written */
  add(entry: JournalEntry, durationMs?: number): void
  /** Oldest first. */
  entries(): JournalEntry[]
  /** The entries after the one numbered `id`, oldest first. */
  since(id: number): Numbered[]
}

/** A stored entry. It is overwritten in place: a new object per request would survive, and be copied by, several collections. */
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
      if (slot === undefined) ring[next] = { id: added, ...entry, durationMs }
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
        .map(({ id: of, ...entry }) => ({ id: of, entry })),
  }
}

const toEntry = ({ id: _, ...entry }: Slot): JournalEntry => entry

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
  // Equal values are kept: a new copy would survive collections as well.
  if (slot.target !== entry.target) slot.target = entry.target
  if (slot.apiKey !== entry.apiKey) slot.apiKey = entry.apiKey
  if (!isSameList(slot.faults, entry.faults)) slot.faults = entry.faults
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i])
}
