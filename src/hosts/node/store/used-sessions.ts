// The sessions of a store that clients use through one server, for a report at its end. Other sessions belong to other jobs.
import type { Session } from '../../../service/session.js'
import { realTime } from '../../real-time.js'
import type { Store } from './store.js'
import type { StoredSessions } from './stored-sessions.js'

/** The sessions that were used through a server. */
export interface UsedSessions {
  /** Calls back with each of them that is deleted through the server, as it was before. */
  onEnd(listener: (session: Session) => void): void
  /** Those that are still there, in order of creation, and the number of those that others have removed. */
  present(): Promise<{ readonly sessions: readonly Session[]; readonly lost: number }>
  /** The time of the store in milliseconds. */
  realTime(): number
}

/**
 * Notes the sessions that are used through a store.
 * @param getSessions the reader of the sessions, which is made with the returned store
 * @returns the store to use, and the sessions
 */
export function trackUse(store: Store, getSessions: () => StoredSessions): { store: Store; used: UsedSessions } {
  const ids = new Set<string>()
  const listeners: ((session: Session) => void)[] = []
  /** Those of some ids that are there and were used, with their journals. */
  const read = async (some: readonly string[]): Promise<readonly Session[]> => {
    const sessions = getSessions()
    const found: Session[] = []
    for (const id of some.filter(id => ids.has(id))) {
      const loaded = await store.load(id, 0, -1)
      if (typeof loaded === 'object') found.push(sessions.view(sessions.read(id, loaded.texts), loaded.lines))
    }
    return found
  }
  return {
    store: {
      ...store,
      async commit(writes) {
        const deleted = writes.filter(({ next }) => next === undefined).map(({ id }) => id)
        const ended = await read(deleted)
        const results = await store.commit(writes)
        for (const [i, { id }] of writes.entries()) if (results[i]!.kind === 'done') ids.add(id)
        for (const id of deleted) ids.delete(id)
        for (const session of ended) for (const listener of listeners) listener(session)
        return results
      },
    },
    used: {
      onEnd: listener => void listeners.push(listener),
      realTime: () => realTime() + store.offsetMs(),
      async present() {
        const present = await read(await store.ids())
        return { sessions: present, lost: ids.size - present.length }
      },
    },
  }
}
