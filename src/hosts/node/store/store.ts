// The interface of a store that several servers share. Each method is one atomic step of the store.
import type { Holding } from '../../../service/holding.js'
import type { SavedJournal } from '../../../service/journal.js'
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
}

/** A new session, or a changed one. */
export interface SessionWrite {
  readonly id: string
  readonly config: string
  readonly holding: Holding
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
  /** The endpoint that counts it; empty if none does. */
  readonly endpoint: string
  /** The bytes that its entry counts as. */
  readonly bytes: number
  /** Stands for its API key, if that may have got a 401; `!` precedes the mark of one that now gets it. */
  readonly key: string
  /** Its entry as text, without the numbers that the store gives it. */
  readonly line: string
}

/** Requests of one session that were answered from one state. */
export interface Commit {
  readonly id: string
  readonly rev: string
  /** The number of requests before them. Undefined if the answers do not depend on it. */
  readonly n: number | undefined
  /** Whether the entries have the marks of all keys. Without them, no key of the session may have got a 401. */
  readonly hasKeys: boolean
  /** The counters of faults; undefined if there are no faults. */
  readonly faults: State['faults'] | undefined
  readonly at: number
}

/** The interest in the events of a session: none, its entries, or its replies as well. */
export type Interest = 'none' | 'entries' | 'replies'

/** The result of a commit. */
export type Committed =
  /** They are counted, the first as the request after `before`. */
  | {
      readonly kind: 'done'
      readonly before: number
      readonly ordinals: readonly number[]
      /** The number of the last entry in the journal. */
      readonly added: number
      readonly interest: Interest
    }
  /** Others have counted requests in between. Nothing is counted; for 50 ms this server has the turn. */
  | { readonly kind: 'counted'; readonly at: number; readonly state: Omit<State, 'applied'> }
  /** The session was changed in between. Nothing is counted. */
  | { readonly kind: 'changed'; readonly stored: StoredSession }
  /** The marks of all keys are needed. Nothing is counted. */
  | { readonly kind: 'keys' }
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
  commit(commit: Commit, entries: readonly Appended[]): Promise<Committed>
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
