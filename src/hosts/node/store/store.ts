// The interface of a store that several servers share. Each method is one atomic step of the store.
import type { Charge } from '../../../service/admission.js'
import type { SavedJournal } from '../../../service/journal.js'
import type { JournalEntry } from '../../../service/journal-entry.js'
import type { RefusedKeys } from '../../../service/refused-keys.js'
import type { State } from '../../../service/state.js'

/** A session as a store keeps it. */
export interface StoredSession {
  /** Changes with every change besides requests, and is never used twice. */
  readonly rev: string
  /** The session without its counters, in the form of `StoredSessions.toConfig`. */
  readonly config: string
  readonly state: State
  /** Real milliseconds of its newest request or change. */
  readonly at: number
  /** The keys that got a 401. */
  readonly refused: RefusedKeys
  /** Notes of the store about its journal and its use. */
  readonly notes: Notes
}

/** Notes of a store about a session. */
export interface Notes {
  /** Everything that requests change, as text: it differs after each request and each change. */
  readonly head: string
  /** Entries of the journal so far. */
  readonly added: number
  /** The latest use that the list of idle sessions knows. */
  readonly seen: number
  /** Bytes of the journal, and those that the total of all journals knows. */
  readonly bytes: number
  readonly reported: number
  /** Times until which entries, and replies, are wanted by streams. */
  readonly entriesUntil: number
  readonly repliesUntil: number
}

/** A new session, or a changed one. */
export interface SessionWrite {
  readonly id: string
  readonly config: string
  readonly charge: Charge
  readonly realMs: number
}

/** A change of a session. */
export interface SessionChange extends SessionWrite {
  /** The revision that it changes. */
  readonly rev: string
  /** The counters: as they are, with those of faults at 0, or new ones. */
  readonly state: 'same' | 'fresh' | State
  /** Whether it empties the journal. */
  readonly clears: boolean
  /** The request after which it removes the entries of the journal. */
  readonly rewindsTo: number | undefined
}

/** An answered request, for the journal. */
export interface Appended {
  readonly entry: JournalEntry
  readonly durationMs: number
}

/** Requests of one session that were answered from one state. */
export interface Commit {
  readonly id: string
  /** The session that they were answered from. */
  readonly from: StoredSession
  readonly state: State
  readonly at: number
  readonly refused: RefusedKeys
  /** Whether the answers depend on the numbers of the requests: if others have counted some in between, nothing is counted. */
  readonly isExact: boolean
  /** Whether the session may not be evicted. */
  readonly isKept: boolean
  readonly entries: readonly Appended[]
}

/** The interest in the events of a session: none, its entries, or its replies as well. */
export type Interest = 'none' | 'entries' | 'replies'

/** The result of a commit. */
export type Committed =
  /** They are counted. Others may have counted requests before them: the numbers are then those after theirs. */
  | { readonly kind: 'done'; readonly stored: StoredSession }
  /** Others were faster. Nothing is counted. After requests of others, this server has the turn for 50 ms. */
  | { readonly kind: 'changed'; readonly stored: StoredSession }
  /** Another server has the turn. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'absent' }

/** The result of a write. */
export type Written = 'done' | 'exists' | 'stale' | 'absent' | 'full' | 'too-much'

/** The reason why there is no session: it never existed or was deleted, or it was idle and was evicted. */
export type Missing = 'unknown' | 'idle'

/** Receives events of a session. */
export interface EventListener {
  /** There are new entries in its journal. */
  onEntries(): void
  /** The replies of some entries, as text, by their numbers in the journal. */
  onReplies(text: string): void
  onClose(): void
}

/** A store. Every method fails with STORE_UNAVAILABLE while it is away, and with STORE_EMPTIED once it has lost its content. */
export interface Store {
  /** Its address, without a password. */
  readonly shown: string
  /** Maximum number of sessions besides `default`. */
  readonly maxSessions: number
  /** Milliseconds to add to the clock of this process for the time of the store. */
  offsetMs(): number
  /** Fails if the store cannot be used. */
  check(): Promise<void>
  load(id: string): Promise<StoredSession | Missing>
  /** The ids of all sessions in order of creation. */
  ids(): Promise<readonly string[]>
  /** Commits requests of several sessions. Each has a result of its own. */
  commit(commits: readonly Commit[]): Promise<readonly Committed[]>
  create(session: SessionWrite): Promise<Written>
  change(change: SessionChange): Promise<Written>
  delete(id: string): Promise<Written>
  /** The journal of a session; undefined if there is no such session. */
  journal(id: string): Promise<SavedJournal | undefined>
  /** The entries after the one numbered `after`, oldest first, and the number of the last one; undefined if there is no such session. */
  entriesAfter(id: string, after: number): Promise<Pick<SavedJournal, 'added' | 'entries'> | undefined>
  /** Number of sessions, including `default`. */
  size(): Promise<number>
  /** A number for the name of a session, never given twice. */
  nextName(): Promise<number>
  /** Listens to the events of a session until the returned function is called. */
  listen(id: string, interest: Interest, listener: EventListener): Promise<() => void>
  /** Sends the replies of some entries to those that listen. */
  publishReplies(id: string, text: string): void
  close(): void
}
