// One of several servers on a store: it answers requests and admin routes from the sessions that the store keeps.
import type { AdminSessions } from '../../../admin/admin-route.js'
import { administer } from '../../../admin/administer.js'
import { isPriceFeedMockError, PriceFeedMockError } from '../../../errors.js'
import type { Mock } from '../../../mock.js'
import { atOnce } from '../../../service/market-stage.js'
import { isScenarioId } from '../../../service/request.js'
import { assertDeletable, type Session, sessionExists } from '../../../service/sessions.js'
import { realTime } from '../../real-time.js'
import { fingerprintOf } from './fingerprint.js'
import { createQueues, type Queues } from './queues.js'
import { openRedisStore, type Store, type Texts } from './store.js'
import { createFollow } from './stored-events.js'
import { createStoredSessions, type StoredSessions } from './stored-sessions.js'

/** Options of the store of a server. */
export interface StoreOptions {
  /** The address of a Redis that all servers share, such as `redis://host:6379`. */
  readonly url: string
  /**
   * Real milliseconds until an idle session is removed. `default` and the sessions of scenarios stay.
   * @default 86400000
   */
  readonly idleMs?: number | undefined
  /**
   * Whether the path of an unknown session creates it, as without a store.
   * @default false
   */
  readonly lazySessions?: boolean | undefined
  /**
   * Whether the sessions that are used through this server are noted, for a report.
   * @default false
   */
  readonly notesUse?: boolean | undefined
  /**
   * Called with a message when the store is lost, and when it is back.
   * @default writes a line to standard error
   */
  readonly onChange?: ((message: string) => void) | undefined
}

/** A server on a store. */
export type Replica = Awaited<ReturnType<typeof joinStore>>

/** Unreadable sessions that are reported. */
const MAX_REPORTED = 100

/** The last time that a date can have. A session that would be removed later stays. */
const LAST_DATE_MS = 8.64e15

/**
 * Joins the servers on a store.
 * @param mock the mock of this server, whose own sessions are not used
 * @param flags flags of the program, for the commands that reproduce replies
 * @throws PriceFeedMockError STORE_UNAVAILABLE, STORE_MISMATCH, SESSION_UNREADABLE or OPTIONS_INVALID
 */
export async function joinStore(
  mock: Mock,
  { url, idleMs = 86_400_000, lazySessions: isLazy = false, notesUse = false, onChange = report }: StoreOptions,
  flags: readonly string[] = [],
) {
  const { parts } = mock.sessions
  const opened = await openRedisStore(url, fingerprintOf(parts), idleMs, onChange)
  const { store, used } = notesUse ? trackUse(opened, () => stored) : { store: opened, used: undefined }
  const stored = createStoredSessions(store, parts, isLazy)
  const queues = createQueues(store, stored)
  const sessions = createAdminSessions(store, stored, queues, idleMs, onChange)
  const readDefault = async (): Promise<Session> =>
    stored.view(queues.read('default', await stored.use('default', mock.realTime() + store.offsetMs())))
  const session = await readDefault().catch(error => {
    store.close()
    throw error
  })

  const answer: Mock['administer'] = (request, addresses, run = atOnce) => {
    const { authorization } = request
    const receivedAt = request.receivedAt + store.offsetMs()
    const context = { sessions, scenarios: mock.scenarios, flags, authorization, receivedAt, addresses, run }
    return administer({ ...request, receivedAt }, context)
  }
  const own: Partial<Mock['sessions']> = { parts, default: session }
  const onStore: Mock = {
    ...mock,
    ...NO_METHODS,
    administer: answer,
    sessions: new Proxy(own, { get: (_, name) => own[name as keyof typeof own] ?? fail() }) as Mock['sessions'],
  }
  return {
    /** The address of the store, without a password. */
    shown: store.shown,
    /** Whether the path of an unknown session creates it. */
    isLazy,
    /** A mock with the sessions of the store. Its synchronous methods are not available. */
    mock: onStore,
    serve: queues.serve,
    has: async (id: string) => typeof (await store.load(id)) === 'object',
    /** The journals of sessions, for streams of events. */
    follow: createFollow(store),
    /** The sessions that are used through this server, with `notesUse`. */
    used,
    size: store.size,
    close: store.close,
  }
}

const fail = (): never => {
  throw new PriceFeedMockError('OPTIONS_INVALID', 'With a store, a server has no sessions of its own.', {
    fix: 'use the admin API, for example createAdminClient({ url }) from price-feed-mock/client',
  })
}

/** The parts of a mock that read and change sessions of this process: on a store there are none. */
const NO_METHODS = {
  serve: fail,
  record: fail,
  change: fail,
  setScenario: fail,
  endScenario: fail,
  clock: { now: fail, set: fail, advance: fail, freeze: fail, run: fail },
}

function report(message: string): void {
  process.stderr.write(`price-feed-mock: ${message}\n`)
}

/**
 * The sessions of a store for admin routes: each is read when a route asks for it, and a step waits in the queue of its session.
 * @param idleMs milliseconds until an idle session expires
 * @param report called once for each session that a list leaves out, because it cannot be read
 */
function createAdminSessions(
  store: Store,
  sessions: StoredSessions,
  queues: Queues,
  idleMs: number,
  report: (message: string) => void,
): AdminSessions {
  const reported = new Set<string>()
  const view = (id: string, texts: Texts, lines?: readonly string[]): Session =>
    sessions.view(queues.read(id, texts), lines)
  return {
    parts: sessions.shared,
    check: async () => void (await store.size()),
    get size() {
      return store.size()
    },
    expiresAt({ id, record }) {
      const at = record.counters.at + idleMs
      return id === 'default' || isScenarioId(id) || at > LAST_DATE_MS ? undefined : at
    },
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
      const [written] = await store.commit([{ id }])
      if (written!.kind === 'absent') await sessions.load(id)
    },
    async list() {
      const readable = async (id: string): Promise<Session[]> => {
        try {
          const found = await store.load(id)
          return typeof found === 'string' ? [] : [view(id, found.texts)]
        } catch (error) {
          if (!isPriceFeedMockError(error) || error.code !== 'SESSION_UNREADABLE') throw error
          const { shortMessage } = error
          if (reported.size < MAX_REPORTED && !reported.has(shortMessage)) report(`lists leave it out: ${shortMessage}`)
          reported.add(shortMessage)
          return []
        }
      }
      return (await Promise.all((await store.ids()).map(readable))).flat()
    },
  }
}

/** The sessions that clients use through one server, for a report at its end. Other sessions belong to other jobs. */
export type UsedSessions = ReturnType<typeof trackUse>['used']

/**
 * Notes the sessions that are used through a store.
 * @param getSessions the reader of the sessions, which is made with the returned store
 * @returns the store to use, and the sessions
 */
function trackUse(store: Store, getSessions: () => StoredSessions) {
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
      async commit(...args: Parameters<Store['commit']>) {
        const [writes] = args
        const deleted = writes.filter(({ next }) => next === undefined).map(({ id }) => id)
        const ended = await read(deleted)
        const results = await store.commit(...args)
        for (const [i, { id }] of writes.entries()) if (results[i]!.kind === 'done') ids.add(id)
        for (const id of deleted) ids.delete(id)
        for (const session of ended) for (const listener of listeners) listener(session)
        return results
      },
    },
    used: {
      /** Calls back with each of them that is deleted through the server, as it was before. */
      onEnd: (listener: (session: Session) => void): void => void listeners.push(listener),
      /** The time of the store in milliseconds. */
      realTime: () => realTime() + store.offsetMs(),
      /** Those that are still there, in order of creation, and the number of those that others have removed. */
      async present() {
        const present = await read(await store.ids())
        return { sessions: present, lost: ids.size - present.length }
      },
    },
  }
}
