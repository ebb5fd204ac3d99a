// All sessions of a mock: selected by path or API key, created on first use or through the admin API, bounded in number.
import { PriceFeedMockError } from '../errors.js'
import type { ReadSeries } from '../market/series.js'
import { type Holding, NO_HOLDING } from './holding.js'
import { createJournalPool } from './journal.js'
import type { ServiceRequest } from './request.js'
import type { Session } from './session.js'
import {
  assertRequestedId,
  createSessionMaker,
  isScenarioId,
  SCENARIO,
  type SessionParts,
  selectByPath,
} from './session-maker.js'
import type { SessionBody } from './session-settings.js'

/** Maximum number of sessions besides `default`. */
export const MAX_SESSIONS = 1000
/** Maximum number of those that cannot be evicted, so that a new path always finds room. */
export const MAX_KEPT = 900
/** Maximum number of bytes that all sessions hold, as estimated. */
export const MAX_BYTES = 24_000_000
/** Sessions up to this number of bytes are not refused for what others hold: 8 MB of all. */
export const SMALL_BYTES = 8_000
/** Number of evicted sessions that are remembered, so that their next users are informed. */
export const MAX_EVICTED = 10_000

/** Options of the sessions. */
export interface SessionsOptions extends SessionParts {
  /** Real time at which the clock of `default` starts, in milliseconds since the epoch. */
  readonly startedAt: number
}

/** A session with its request, whose target has lost the prefix that selected the session. */
export interface Routing {
  readonly session: Session
  readonly request: ServiceRequest
}

/** The sessions of a mock. */
export interface Sessions {
  /** The parts that they are made of. */
  readonly parts: SessionParts
  readonly default: Session
  /** Number of sessions, including `default`. */
  readonly size: number
  /**
   * The session of a request, created if necessary.
   * @throws PriceFeedMockError SESSION_INVALID, SCENARIO_UNKNOWN or SESSIONS_FULL
   */
  route(request: ServiceRequest): Routing
  /**
   * The same without side effects: a new session is not kept.
   * @throws PriceFeedMockError SESSION_INVALID or SCENARIO_UNKNOWN
   */
  preview(request: ServiceRequest): Routing
  /** @throws PriceFeedMockError SESSION_UNKNOWN */
  get(id: string): Session
  /**
   * Creates a session.
   * @param readSeries reads the series of the body
   * @throws PriceFeedMockError SESSION_INVALID, SESSION_EXISTS, SCENARIO_UNKNOWN or SESSIONS_FULL
   */
  create(body: SessionBody, realMs: number, readSeries?: ReadSeries): Session
  /** @throws PriceFeedMockError SESSION_UNKNOWN, or SESSION_DEFAULT since `default` cannot be deleted */
  delete(id: string): void
  /** Oldest first. */
  list(): Session[]
  /** Calls a function for each session that is deleted or evicted from now on, before its journal is gone. */
  onEnd(listener: (session: Session) => void): void
  /** Number of changes so far, requests included. */
  readonly changes: number
  /** The parts of the collection that no session holds, as data. */
  readonly ledger: Ledger
  /**
   * Creates a session of a saved state, or returns the existing one.
   * @throws PriceFeedMockError SESSION_INVALID, SCENARIO_UNKNOWN, SESSION_TOO_LARGE or SESSIONS_FULL
   */
  addSaved(id: string, kept: boolean, patch: SessionBody, realMs: number, readSeries: ReadSeries): Session
  /** Restores a ledger, once its sessions are there. */
  loadLedger(ledger: Ledger): void
}

/** The parts of the sessions that no session holds. */
export interface Ledger {
  /** Number of sessions that got their id here. */
  readonly named: number
  /** Number of uses of sessions that can be evicted. */
  readonly uses: number
  /** The latest use of each of them. */
  readonly lastUse: readonly (readonly [id: string, use: number])[]
  /** Ids of evicted sessions, oldest first. */
  readonly evicted: readonly string[]
}

/** Creates the sessions of a mock, starting with `default`. */
export function createSessions(options: SessionsOptions): Sessions {
  const { settings, scenarios, startedAt } = options
  /** Bytes that all sessions hold, and the number of sessions that cannot be evicted. */
  let bytes = 0
  let changes = 0
  let kept = 0
  function admit(before: Holding, after: Holding): void {
    changes++
    const more = after.bytes - before.bytes
    // A small session can change although others hold everything: a price that is set, a scenario.
    if (more > 0 && after.bytes > SMALL_BYTES && bytes + more > MAX_BYTES) throw sessionsHoldTooMuch()
    const isNew = after.kept && !before.kept
    if (isNew && kept >= MAX_KEPT) throw sessionsFull()
    bytes += more
    kept += isNew ? 1 : 0
  }
  const release = (holding: Holding): void => {
    changes++
    bytes -= holding.bytes
    if (holding.kept) kept--
  }
  const journals = createJournalPool()
  const makeSession = createSessionMaker(options, { isSessionKey: key => byKey(key) !== undefined, journals, admit })

  const sessions = new Map<string, Session>()
  /** The last use of each session created by a request, in uses so far. Those that were changed since are not evicted. */
  const lastUse = new Map<string, number>()
  /** Ids of evicted sessions, oldest first. */
  const evicted = new Set<string>()
  const endListeners: ((session: Session) => void)[] = []
  let uses = 0
  let named = 0

  const remove = (id: string): void => {
    const session = sessions.get(id)
    if (session === undefined) return
    for (const listener of endListeners) listener(session)
    session.journal.close()
    release(session.holding)
    sessions.delete(id)
    lastUse.delete(id)
  }
  /** Evicts the session that has been idle the longest. Returns false if none can be evicted. */
  const evict = (): boolean => {
    let longestIdle: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [id, used] of lastUse)
      if (used < least && !sessions.get(id)!.created) {
        longestIdle = id
        least = used
      }
    if (longestIdle === undefined) return false
    remove(longestIdle)
    evicted.add(longestIdle)
    if (evicted.size > MAX_EVICTED) evicted.delete(evicted.values().next().value!)
    return true
  }
  const make = (
    id: string,
    created: boolean,
    body: SessionBody | undefined,
    realMs: number,
    readSeries?: ReadSeries,
  ): Session => {
    const replacesEvicted = !created && evicted.has(id)
    return makeSession({ id, created, body, realMs, replacesEvicted, readSeries })
  }
  const add = (session: Session): Session => {
    const { id, created, holding } = session
    if (id !== 'default') {
      // With a large default scenario, fewer sessions have room.
      while (!created && bytes + holding.bytes > MAX_BYTES && evict());
      admit(NO_HOLDING, holding)
      if (sessions.size > MAX_SESSIONS) evict()
    }
    sessions.set(id, session)
    evicted.delete(id)
    if (!created) lastUse.set(id, ++uses)
    return session
  }

  /** A session created by a request. */
  const createByRequest = (id: string, realMs: number): Session => {
    assertRequestedId(id, scenarios)
    return make(id, false, undefined, realMs)
  }
  /** The session of an id, created on first use. */
  const use = (id: string, realMs: number): Session => {
    const known = sessions.get(id)
    if (known === undefined) return add(createByRequest(id, realMs))
    if (!known.created) lastUse.set(id, ++uses)
    return known
  }

  /** The id of the session that a key selects, if there is one. */
  const byKey = (key: string): string | undefined => {
    if (key.startsWith('session.')) {
      const id = key.slice(8)
      return sessions.has(id) || evicted.has(id) ? id : undefined
    }
    return isScenarioId(key) && scenarios.has(key.slice(SCENARIO.length)) ? key : undefined
  }
  /** The id of the session that a request selects, if any, and the request without that prefix. */
  const locate = (request: ServiceRequest): { id: string | undefined; request: ServiceRequest } => {
    const selected = selectByPath(request)
    if (selected.id !== undefined) return { id: selected.id, request: selected.request }
    const key = request.authorization
    if (key === undefined) return { id: undefined, request }
    // An unknown scenario counts, so that it is reported as such and not as a wrong key.
    return { id: isScenarioId(key) && !settings.apiKeys.includes(key) ? key : byKey(key), request }
  }

  const defaultSession = add(make('default', true, undefined, startedAt))
  return {
    parts: options,
    default: defaultSession,
    get size() {
      return sessions.size
    },
    route(given) {
      const { id, request } = locate(given)
      return { session: id === undefined ? defaultSession : use(id, request.receivedAt), request }
    },
    preview(given) {
      const { id = 'default', request } = locate(given)
      return { session: sessions.get(id) ?? createByRequest(id, request.receivedAt), request }
    },
    get(id) {
      const session = sessions.get(id)
      if (session !== undefined) return session
      const reason = evicted.has(id) ? ': it was evicted, because it was idle the longest' : ''
      throw new PriceFeedMockError('SESSION_UNKNOWN', `There is no session "${id.slice(0, 64)}"${reason}.`, {
        details: [['want', `one of ${[...sessions.keys()].slice(0, 20).join(', ')}`]],
      })
    },
    create(body, realMs, readSeries) {
      let { id } = body
      while (id === undefined || (body.id === undefined && sessions.has(id))) id = `s${++named}`
      if (sessions.has(id))
        throw new PriceFeedMockError('SESSION_EXISTS', `A session "${id}" already exists.`, {
          details: [['fix', `PATCH or DELETE /_mock/sessions/${id}`]],
        })
      // Created before making room: an invalid session evicts no other.
      return add(make(id, true, body, realMs, readSeries))
    },
    delete(id) {
      if (id === 'default')
        throw new PriceFeedMockError('SESSION_DEFAULT', 'The session "default" cannot be deleted.', {
          details: [['fix', 'POST /_mock/sessions/default/reset']],
        })
      this.get(id)
      remove(id)
    },
    list: () => [...sessions.values()],
    onEnd: listener => void endListeners.push(listener),
    get changes() {
      return changes + journals.added
    },
    addSaved: (id, kept, patch, realMs, readSeries) =>
      sessions.get(id) ?? add(make(id, kept, patch, realMs, readSeries)),
    get ledger() {
      return { named, uses, lastUse: [...lastUse], evicted: [...evicted] }
    },
    loadLedger(saved) {
      named = saved.named
      uses = Math.max(uses, saved.uses)
      for (const [id, used] of saved.lastUse) if (lastUse.has(id)) lastUse.set(id, used)
      for (const id of saved.evicted) if (!sessions.has(id)) evicted.add(id)
    },
  }
}

/**
 * The error where no further session may be created or changed.
 * @param most maximum number of sessions
 */
export function sessionsFull(most = MAX_SESSIONS): PriceFeedMockError {
  return new PriceFeedMockError(
    'SESSIONS_FULL',
    `There are already ${(MAX_KEPT / MAX_SESSIONS) * most} sessions created or changed through the admin API, the maximum.`,
    { details: [['fix', 'DELETE /_mock/sessions/{id} when a test ends']] },
  )
}

/** The error where all sessions would hold too much together. */
export function sessionsHoldTooMuch(most = MAX_SESSIONS): PriceFeedMockError {
  return new PriceFeedMockError('SESSIONS_FULL', 'All sessions together would hold too much.', {
    details: [
      ['want', `at most ${(MAX_BYTES / MAX_SESSIONS) * most} bytes of scenarios, settings and prices`],
      ['fix', 'DELETE /_mock/sessions/{id} when a test ends, or load scenarios from files'],
    ],
  })
}
