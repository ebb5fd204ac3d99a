// The sessions of a store as admin routes use them: each is read when a route asks for it, and a step waits in the queue of its session.
import type { AdminSessions } from '../../../admin/admin-route.js'
import { isPriceFeedMockError, type PriceFeedMockError } from '../../../errors.js'
import { isScenarioId } from '../../../service/request.js'
import type { Session } from '../../../service/session.js'
import { assertDeletable, sessionExists } from '../../../service/sessions.js'
import type { Queues } from './queues.js'
import { commitOne, type Store, type Texts } from './store.js'
import type { StoredSessions } from './stored-sessions.js'

/**
 * Creates the sessions of a store for admin routes.
 * @param idleMs milliseconds until an idle session expires
 * @param onUnreadable called for each session that a list leaves out, because it cannot be read
 */
export function createAdminSessions(
  store: Store,
  sessions: StoredSessions,
  queues: Queues,
  idleMs: number,
  onUnreadable: (error: PriceFeedMockError) => void,
): AdminSessions {
  const view = (id: string, texts: Texts, lines?: readonly string[]): Session =>
    sessions.view(queues.read(id, texts), lines)
  return {
    parts: sessions.shared,
    check: store.check,
    get size() {
      return store.size()
    },
    expiresAt: ({ id, record }) => (id === 'default' || isScenarioId(id) ? undefined : record.counters.at + idleMs),
    async get(id, needs) {
      const { texts, lines } = await (needs ? sessions.load(id, 0, -1) : sessions.load(id))
      return view(id, texts, needs && lines)
    },
    async route(request) {
      const id = await sessions.select(request)
      return view(id, await sessions.use(id, request.receivedAt))
    },
    async preview(request) {
      const id = await sessions.select(request)
      const found = await store.load(id)
      return typeof found === 'object'
        ? view(id, found.texts)
        : sessions.view(sessions.byRequest(id, request.receivedAt, found))
    },
    run: async (id, step) => sessions.view(await queues.run(id, step)),
    async create(body, realMs, readSeries) {
      for (;;) {
        const id = body.id ?? `s${await store.nextName()}`
        if (typeof (await store.load(id)) === 'string') {
          const known = await sessions.create({ id, isNamed: true, body, realMs, replacesEvicted: false, readSeries })
          if (known !== undefined) return sessions.view(known)
        }
        if (body.id !== undefined) throw sessionExists(id)
      }
    },
    async delete(id) {
      assertDeletable(id)
      const { kind } = await commitOne(store, { id })
      if (kind === 'absent') await sessions.load(id)
    },
    async list() {
      const readable = async (id: string): Promise<Session[]> => {
        try {
          const found = await store.load(id)
          return typeof found === 'string' ? [] : [view(id, found.texts)]
        } catch (error) {
          if (!isPriceFeedMockError(error) || error.code !== 'SESSION_UNREADABLE') throw error
          onUnreadable(error)
          return []
        }
      }
      return (await Promise.all((await store.ids()).map(readable))).flat()
    },
  }
}
