// The sessions of a store as admin routes use them: each is read when a route asks for it, and a step waits in the queue of its session.
import type { AdminSessions } from '../../../admin/admin-route.js'
import { PriceFeedMockError } from '../../../errors.js'
import { created } from '../../../service/changes.js'
import { isScenarioId, type ServiceRequest, selectByPath } from '../../../service/request.js'
import type { Session } from '../../../service/session.js'
import { assertRequestedId } from '../../../service/sessions.js'
import type { Queues } from './queues.js'
import { assertAdmitted, isUnreadable, type Store, sessionUnknown } from './store.js'
import { NO_ENTRIES } from './stored-journal.js'
import { SESSION_KEY, type StoredSessions } from './stored-sessions.js'

/** Options of the sessions of a store. */
export interface AdminOptions {
  /** Whether the path of an unknown session creates it. */
  readonly isLazy: boolean
  /** Milliseconds until an idle session expires. */
  readonly idleMs: number
  /** Called for each session that a list leaves out, because it cannot be read. */
  onUnreadable(error: PriceFeedMockError): void
}

/** Creates the sessions of a store for admin routes. */
export function createAdminSessions(
  store: Store,
  sessions: StoredSessions,
  queues: Queues,
  { isLazy, idleMs, onUnreadable }: AdminOptions,
): AdminSessions {
  const { shared } = sessions
  const get = async (id: string, needs?: 'journal'): Promise<Session> => {
    const found = await (needs ? store.load(id, 0, -1) : store.load(id))
    if (typeof found === 'string') throw sessionUnknown(id, found, await store.ids())
    return sessions.view(queues.read(id, found.texts), needs && found.lines)
  }
  /** The session of a request, made anew if there is none; it is not kept. */
  const select = async (given: ServiceRequest) => {
    const { id: byPath, request } = selectByPath(given)
    const key = request.authorization
    const named = key?.startsWith(SESSION_KEY) ? key.slice(SESSION_KEY.length) : undefined
    if (named !== undefined) sessions.noteKey(named, (await store.load(named)) !== 'unknown')
    const id = byPath ?? (key === undefined ? undefined : sessions.idOfKey(key)) ?? 'default'
    const found = await store.load(id)
    if (typeof found === 'object') return { session: sessions.view(queues.read(id, found.texts)), request }
    assertRequestedId(id, shared.scenarios)
    if (!isLazy && !isScenarioId(id)) throw sessionUnknown(id, found)
    const creation = { id, isNamed: false, realMs: request.receivedAt, replacesEvicted: found === 'evicted' }
    return { session: sessions.view(sessions.toKnown(created(creation, shared), NO_ENTRIES, '[]')), request }
  }
  return {
    parts: shared,
    get size() {
      return store.size()
    },
    expiresAt: ({ id, record }) => (id === 'default' || isScenarioId(id) ? undefined : record.counters.at + idleMs),
    get,
    route: select,
    preview: select,
    async run(id, step) {
      const { result, known } = await queues.run(id, step)
      return { result, session: sessions.view(known) }
    },
    async create(body, realMs, readSeries) {
      for (;;) {
        const id = body.id ?? `s${await store.nextName()}`
        if (typeof (await store.load(id)) === 'string') {
          const record = created({ id, isNamed: true, body, realMs, replacesEvicted: false, readSeries }, shared)
          const known = sessions.toKnown(record, NO_ENTRIES, '[]')
          const [written] = await store.commit([{ id, next: known.texts }])
          if (assertAdmitted(written!, store)) return sessions.view(known)
        }
        if (body.id !== undefined)
          throw new PriceFeedMockError('SESSION_EXISTS', `A session "${id}" already exists.`, {
            details: [['fix', `PATCH or DELETE /_mock/sessions/${id}`]],
          })
      }
    },
    async delete(id) {
      if (id === 'default')
        throw new PriceFeedMockError('SESSION_DEFAULT', 'The session "default" cannot be deleted.', {
          details: [['fix', 'POST /_mock/sessions/default/reset']],
        })
      const [written] = await store.commit([{ id }])
      if (written!.kind === 'absent') await get(id)
    },
    async list() {
      const readable = async (id: string): Promise<Session[]> => {
        try {
          const found = await store.load(id)
          return typeof found === 'string' ? [] : [sessions.view(queues.read(id, found.texts))]
        } catch (error) {
          if (!isUnreadable(error)) throw error
          onUnreadable(error)
          return []
        }
      }
      return (await Promise.all((await store.ids()).map(readable))).flat()
    },
  }
}
