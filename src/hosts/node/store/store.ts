// Sessions as a store keeps them: as texts, into none of which it looks. And the errors for sessions that it does not have.
import { PriceFeedMockError } from '../../../errors.js'

/** A session as a store keeps it. */
export interface Texts {
  /** Changes with every commit, and is never used twice. Its part before the dot changes with the setup. */
  readonly rev: string
  /** Everything that requests do not change. */
  readonly setup: string
  /** Everything that requests change. */
  readonly counters: string
  /** Counts of the requests whose entries are gone. */
  readonly gone: string
  /** Bytes of the session beyond those that every session may have. */
  readonly charge: number
  /** Whether an admin route created or changed it, so that it is not evicted. */
  readonly isNamed: boolean
}

/** A new session, a changed one, or one that is deleted. */
export interface Write {
  readonly id: string
  /** The session that it changes; undefined for a new one, or to delete it whatever it is. */
  readonly from?: Texts | undefined
  /** Undefined to delete it. */
  readonly next?: Texts | undefined
  /** Bytes of its journal, and the time of its oldest entry in real milliseconds. */
  readonly journal?: { readonly bytes: number; readonly since: number } | undefined
  /** New entries of its journal. */
  readonly entries?: readonly string[]
  /** The first and the last entry that stay, as Redis counts them: negative from the end. */
  readonly keeps?: readonly [first: number, last: number] | undefined
}

/** The result of a write. */
export type Written =
  | {
      readonly kind: 'done'
      /** Whether streams want the replies. */
      readonly wantsReplies: boolean
      /** Whether the journals of all sessions have exceeded their limit. */
      readonly isOver: boolean
    }
  /** Others were faster. Nothing is written, and this server has the turn for 50 ms. */
  | { readonly kind: 'changed'; readonly texts: Texts }
  /** Another server has the turn; the session does not exist, or exists already; or there is no room for it. */
  | { readonly kind: 'wait' | 'absent' | 'exists' | 'full' | 'too-much' }

/** The reason why there is no session: it never existed or was deleted, or it was idle and was evicted. */
export type Absence = 'unknown' | 'evicted'

/** A session with entries of its journal. */
export interface Loaded {
  readonly texts: Texts
  readonly lines: readonly string[]
}

/** Receives events of a session. */
export interface EventListener {
  /** There are new entries in its journal. */
  onEntries(): void
  /** The replies of some entries, as text, by their numbers in the journal. */
  onReplies(text: string): void
  onClose(): void
}

/** The part of a revision that changes with the setup. */
export const setupOf = (rev: string): string => rev.slice(0, rev.indexOf('.'))

/** The error for a session that others change before each attempt to commit. */
export const changesTooFast = (id: string): PriceFeedMockError =>
  new PriceFeedMockError('STORE_UNAVAILABLE', `The session ${id} changes too fast.`)

/** The error for a session that is not in the store. */
export function sessionUnknown(id: string, absence: Absence, ids: readonly string[] = []): PriceFeedMockError {
  const reason = absence === 'evicted' ? ': it was evicted, because it was idle' : ''
  const known = ids.slice(0, 20).join(', ')
  return new PriceFeedMockError('SESSION_UNKNOWN', `There is no session "${id.slice(0, 64)}"${reason}.`, {
    details: [
      known === ''
        ? ['fix', 'POST /_mock/sessions, or start the servers with --lazy-sessions']
        : ['want', `one of ${known}`],
    ],
  })
}

/** The error for a session that another program or another version has written. */
export function sessionUnreadable(id: string, cause: unknown): PriceFeedMockError {
  return new PriceFeedMockError('SESSION_UNREADABLE', `The session "${id.slice(0, 64)}" in the store cannot be read.`, {
    cause,
    details: [['fix', `DELETE /_mock/sessions/${id.slice(0, 64)}`]],
  })
}
