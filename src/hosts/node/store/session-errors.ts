// Errors about a session of a store.
import { isPriceFeedMockError, PriceFeedMockError } from '../../../errors.js'
import type { Missing } from './store.js'

/** The error for a session that others change before each attempt to commit. */
export const changesTooFast = (id: string): PriceFeedMockError =>
  new PriceFeedMockError('STORE_UNAVAILABLE', `The session ${id} changes too fast.`)

/** The error for a session that is not in the store. */
export function sessionUnknown(id: string, missing: Missing, ids: readonly string[] = []): PriceFeedMockError {
  const reason = missing === 'idle' ? ': it was evicted, because it was idle' : ''
  const known = ids.slice(0, 20).join(', ')
  return new PriceFeedMockError('SESSION_UNKNOWN', `There is no session "${id.slice(0, 64)}"${reason}.`, {
    details: [
      known === ''
        ? ['fix', 'POST /_mock/sessions, or start the servers with --lazy-sessions']
        : ['want', `one of ${known}`],
    ],
  })
}

/** Reads what the store has of a session. @throws PriceFeedMockError SESSION_UNREADABLE */
export function readSession<T>(id: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw sessionUnreadable(id, cause)
  }
}

/** The error for a session that another program or another version has written. */
export function sessionUnreadable(id: string, cause: unknown): PriceFeedMockError {
  return new PriceFeedMockError('SESSION_UNREADABLE', `The session "${id.slice(0, 64)}" in the store cannot be read.`, {
    cause,
    details: [['fix', `DELETE /_mock/sessions/${id.slice(0, 64)}`]],
  })
}

/** Whether an error concerns one session only. */
export const isUnreadable = (error: unknown): error is PriceFeedMockError =>
  isPriceFeedMockError(error) && error.code === 'SESSION_UNREADABLE'
