// One of several servers on a store: it answers requests and admin routes from the sessions that the store keeps.
import { administer } from '../../../admin/administer.js'
import { PriceFeedMockError } from '../../../errors.js'
import type { Mock } from '../../../mock.js'
import { atOnce } from '../../../service/market-stage.js'
import { VERSION } from '../../../version.js'
import { createAdminSessions } from './admin-sessions.js'
import { fingerprintOf } from './fingerprint.js'
import { createQueues } from './queues.js'
import { openRedisStore } from './store.js'
import { createFollow } from './stored-events.js'
import { createStoredSessions } from './stored-sessions.js'
import { trackUse } from './used-sessions.js'

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

/**
 * Joins the servers on a store.
 * @param mock the mock of this server, whose own sessions are not used
 * @param flags flags of the program, for the commands that reproduce replies
 * @throws PriceFeedMockError STORE_UNAVAILABLE, STORE_MISMATCH or OPTIONS_INVALID
 */
export async function joinStore(
  mock: Mock,
  { url, idleMs = 86_400_000, lazySessions: isLazy = false, notesUse = false, onChange = report }: StoreOptions,
  flags: readonly string[] = [],
) {
  const { parts } = mock.sessions
  const opened = await openRedisStore(url, fingerprintOf(VERSION, parts), idleMs, onChange)
  const { store, used } = notesUse ? trackUse(opened, () => stored) : { store: opened, used: undefined }
  const stored = createStoredSessions(store, parts, isLazy)
  const queues = createQueues(store, stored)
  const reported = new Set<string>()
  const onUnreadable = ({ shortMessage }: PriceFeedMockError): void => {
    if (reported.size < MAX_REPORTED && !reported.has(shortMessage)) onChange(`lists leave it out: ${shortMessage}`)
    reported.add(shortMessage)
  }
  const sessions = createAdminSessions(store, stored, queues, idleMs, onUnreadable)
  const first = await stored.use('default', mock.realTime() + store.offsetMs())
  const session = stored.view(queues.read('default', first))

  const answer: Mock['administer'] = (request, addresses, run = atOnce) => {
    const { authorization } = request
    const receivedAt = request.receivedAt + store.offsetMs()
    const context = { sessions, scenarios: mock.scenarios, flags, authorization, receivedAt, addresses, run }
    return administer({ ...request, receivedAt }, context)
  }
  const onStore: Mock = { ...mock, ...unavailableMethods(session, parts), administer: answer }
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

/** The parts of a mock that read and change sessions of this process: on a store there are none. */
function unavailableMethods(
  first: Mock['sessions']['default'],
  parts: Mock['sessions']['parts'],
): Pick<Mock, 'serve' | 'record' | 'sessions' | 'clock' | 'change' | 'setScenario' | 'endScenario'> {
  const fail = (): never => {
    throw new PriceFeedMockError('OPTIONS_INVALID', 'With a store, a server has no sessions of its own.', {
      fix: 'use the admin API, for example createAdminClient({ url }) from price-feed-mock/client',
    })
  }
  const own: Partial<Mock['sessions']> = { parts, default: first }
  const sessions = new Proxy(own, { get: (_, name) => own[name as keyof typeof own] ?? fail() })
  const clock = { now: fail, set: fail, advance: fail, freeze: fail, run: fail }
  return {
    serve: fail,
    record: fail,
    change: fail,
    setScenario: fail,
    endScenario: fail,
    sessions: sessions as Mock['sessions'],
    clock,
  }
}

function report(message: string): void {
  process.stderr.write(`price-feed-mock: ${message}\n`)
}
