// The sessions of a store that clients use through one server, for a report at its end. Other sessions belong to other jobs.
import { createJournal, type SavedJournal } from '../../../service/journal.js'
import type { Session } from '../../../service/session.js'
import { realTime } from '../../real-time.js'
import type { Store, StoredSession } from './store.js'
import type { StoredSessions } from './stored-session.js'

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
 * @returns the store to use, and the sessions
 */
export function trackUse(store: Store, sessions: StoredSessions): { store: Store; used: UsedSessions } {
  const ids = new Set<string>()
  const listeners: ((session: Session) => void)[] = []
  const note = <T>(id: string, result: T, isDone: boolean): T => {
    if (isDone) ids.add(id)
    return result
  }
  /** A session with its journal; undefined if it does not exist. */
  const read = async (id: string): Promise<Session | undefined> => {
    const [stored, journal] = await Promise.all([store.load(id), store.journal(id)])
    return typeof stored === 'object' && journal !== undefined ? revive(sessions, stored, journal) : undefined
  }
  return {
    store: {
      ...store,
      commit: async commits => {
        const results = await store.commit(commits)
        return results.map((result, i) => note(commits[i]!.id, result, result.kind === 'done'))
      },
      create: async session => {
        const result = await store.create(session)
        return note(session.id, result, result === 'done')
      },
      change: async change => {
        const result = await store.change(change)
        return note(change.id, result, result === 'done')
      },
      delete: async id => {
        const session = ids.has(id) ? await read(id) : undefined
        const result = await store.delete(id)
        if (result !== 'done' || session === undefined) return result
        ids.delete(id)
        for (const listener of listeners) listener(session)
        return result
      },
    },
    used: {
      onEnd: listener => void listeners.push(listener),
      realTime: () => realTime() + store.offsetMs(),
      async present() {
        const present: Session[] = []
        for (const id of await store.ids()) {
          const session = ids.has(id) ? await read(id) : undefined
          if (session !== undefined) present.push(session)
        }
        return { sessions: present, lost: ids.size - present.length }
      },
    },
  }
}

function revive(sessions: StoredSessions, stored: StoredSession, saved: SavedJournal): Session {
  const journal = createJournal()
  journal.load(saved)
  return sessions.revive(stored, journal)
}
