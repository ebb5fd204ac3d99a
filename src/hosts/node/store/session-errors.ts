// Errors about a session of a store.
import { PriceFeedMockError } from '../../../errors.js'
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
