// All sessions of a mock: selected by path or API key, created on first use or through the admin API, bounded in number.
import * as z from 'zod/mini'
import { isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import type { ReadSeries } from '../market/series.js'
import type { Scenarios } from '../scenario/scenarios.js'
import { parseOrThrow } from '../settings/schema.js'
import { admit, type Charge, chargeOf, isTooMuch, MAX_SESSIONS, NO_CHARGE, type Totals } from './admission.js'
import { created, type Step } from './changes.js'
import { readClock } from './clock.js'
import { createJournal, createJournalPool, type Journal } from './journal.js'
import type { LookUps } from './market-stage.js'
import type { SessionRecord } from './record.js'
import { isScenarioId, SCENARIO, type ServiceRequest } from './request.js'
import type { Answer } from './respond.js'
import { createShared, type Runtime, type SessionParts, type Shared } from './runtime.js'
import type { SavedRest } from './saved-state.js'
import { type SessionBody, sessionIdSchema } from './session-settings.js'

/** Number of evicted sessions that are remembered, so that their next users are informed. */
export const MAX_EVICTED = 10_000

/** An isolated session: its record, the parts that follow from it, and its journal. Steps replace the record, requests its counters. */
export type Session = ReturnType<typeof createSession>

/**
 * Creates a session.
 * @param admit counts its changed charge, or throws
 */
export function createSession(
  first: SessionRecord,
  shared: Shared,
  journal: Journal,
  admit: (before: Charge, after: Charge) => void,
) {
  let record = first
  let runtime = shared.runtimeOf(record.setup)
  let charge = chargeOf(runtime)
  return {
    id: first.setup.id,
    journal,
    get record(): SessionRecord {
      return record
    },
    /** Derived from the setup of the record. */
    get runtime(): Runtime {
      return runtime
    },
    /** Its cost to the mock. */
    get charge(): Charge {
      return charge
    },
    /**
     * Answers a request. Undefined if no endpoint has its path.
     * @param made look-ups that were made before
     */
    handle(request: ServiceRequest, made?: LookUps): Answer | undefined {
      const answer = shared.respond(runtime, record.counters, request, undefined, made)
      if (answer !== undefined) record = { setup: record.setup, counters: answer.counters }
      return answer
    },
    /** The long look-ups of the answer to a request. Undefined if it needs none. */
    lookUps: (request: ServiceRequest): LookUps | undefined =>
      shared.respond.lookUps(runtime, record.counters, request),
    /**
     * Makes a step, or throws and changes nothing.
     * @throws PriceFeedMockError SESSIONS_FULL, or an error of the step
     */
    run(step: Step): void {
      const { record: next, journal: change } = step(record, runtime)
      const isSame = next.setup === record.setup
      const nextRuntime = isSame ? runtime : shared.runtimeOf(next.setup)
      const nextCharge = isSame ? charge : chargeOf(nextRuntime)
      admit(charge, nextCharge)
      record = next
      runtime = nextRuntime
      charge = nextCharge
      if (change === 'clear') journal.clear()
      else if (change !== undefined) journal.rewind(change.rewindTo)
    },
    /** Virtual milliseconds since the epoch at real time `realMs`. */
    nowMs: (realMs: number): number => readClock(record.counters.clock, realMs),
  }
}

/** The sessions of a mock. */
export type Sessions = Readonly<ReturnType<typeof createSessions>>

/**
 * Creates the sessions of a mock, starting with `default`.
 * @param options its parts, and the real time at which the clock of `default` starts, in milliseconds since the epoch
 */
export function createSessions(options: SessionParts & { readonly startedAt: number }) {
  const { scenarios, startedAt } = options
  let totals: Totals = { bytes: 0, named: 0 }
  let changes = 0
  const journals = createJournalPool()
  const shared = createShared(options, id => sessions.has(id) || evicted.has(id))

  const sessions = new Map<string, Session>()
  /** The last use of each session created by a request, in uses so far. Those that were changed since are not evicted. */
  const lastUse = new Map<string, number>()
  /** Ids of evicted sessions, oldest first. */
  const evicted = new Set<string>()
  const endListeners: ((session: Session) => void)[] = []
  let uses = 0
  let named = 0

  /** Counts a changed charge. Sessions that can be evicted make room for it. */
  const count = (id: string, before: Charge, after: Charge): void => {
    while (isTooMuch(totals, before, after) && evict(id));
    changes++
    totals = admit(totals, before, after)
  }
  const remove = (id: string): void => {
    const session = sessions.get(id)
    if (session === undefined) return
    for (const listener of endListeners) listener(session)
    session.journal.close()
    count(id, session.charge, NO_CHARGE)
    sessions.delete(id)
    lastUse.delete(id)
  }
  /** Evicts the session that has been idle the longest, but not `except`. Returns false if none can be evicted. */
  const evict = (except?: string): boolean => {
    let longestIdle: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [id, used] of lastUse)
      if (used < least && id !== except && !sessions.get(id)!.charge.isNamed) {
        longestIdle = id
        least = used
      }
    if (longestIdle === undefined) return false
    remove(longestIdle)
    evicted.add(longestIdle)
    if (evicted.size > MAX_EVICTED) evicted.delete(evicted.values().next().value!)
    return true
  }
  const make = (record: SessionRecord): Session =>
    createSession(record, shared, createJournal(undefined, journals), (before, after) =>
      count(record.setup.id, before, after),
    )
  const add = (session: Session): Session => {
    const { id, charge } = session
    if (id !== 'default') {
      count(id, NO_CHARGE, charge)
      if (sessions.size > MAX_SESSIONS) evict()
    }
    sessions.set(id, session)
    evicted.delete(id)
    if (!charge.isNamed) lastUse.set(id, ++uses)
    return session
  }

  const createByRequest = (id: string, realMs: number): Session => {
    assertRequestedId(id, scenarios)
    return make(created({ id, isNamed: false, realMs, replacesEvicted: evicted.has(id) }, shared))
  }
  /** The session of an id, created on first use. */
  const use = (id: string, realMs: number): Session => {
    const known = sessions.get(id)
    if (known === undefined) return add(createByRequest(id, realMs))
    if (!known.charge.isNamed) lastUse.set(id, ++uses)
    return known
  }

  const first = { id: 'default', isNamed: true, realMs: startedAt, replacesEvicted: false }
  const defaultSession = add(make(created(first, shared)))
  return {
    /** The parts that they are made of, and what they share. */
    parts: shared,
    default: defaultSession,
    /** Number of sessions, including `default`. */
    get size(): number {
      return sessions.size
    },
    /**
     * The session of a request, created if necessary.
     * @throws PriceFeedMockError SESSION_INVALID, SCENARIO_UNKNOWN or SESSIONS_FULL
     */
    route(request: ServiceRequest): Session {
      const id = shared.sessionOf(request)
      return id === 'default' ? defaultSession : use(id, request.receivedAt)
    },
    /**
     * The same without side effects: a new session is not kept.
     * @throws PriceFeedMockError SESSION_INVALID or SCENARIO_UNKNOWN
     */
    preview(request: ServiceRequest): Session {
      const id = shared.sessionOf(request)
      return sessions.get(id) ?? createByRequest(id, request.receivedAt)
    },
    /** @throws PriceFeedMockError SESSION_UNKNOWN */
    get(id: string): Session {
      const session = sessions.get(id)
      if (session !== undefined) return session
      const reason = evicted.has(id) ? ': it was evicted, because it was idle the longest' : ''
      throw new PriceFeedMockError('SESSION_UNKNOWN', `There is no session "${id.slice(0, 64)}"${reason}.`, {
        want: `one of ${[...sessions.keys()].slice(0, 20).join(', ')}`,
      })
    },
    run(id: string, step: Step): Session {
      const session = this.get(id)
      session.run(step)
      return session
    },
    /** @throws PriceFeedMockError SESSION_INVALID, SESSION_EXISTS, SCENARIO_UNKNOWN or SESSIONS_FULL */
    create(body: SessionBody, realMs: number, readSeries?: ReadSeries): Session {
      let { id } = body
      while (id === undefined || (body.id === undefined && sessions.has(id))) id = `s${++named}`
      if (sessions.has(id)) throw sessionExists(id)
      // Created before making room: an invalid session evicts no other.
      return add(make(created({ id, isNamed: true, body, realMs, replacesEvicted: false, readSeries }, shared)))
    },
    /** @throws PriceFeedMockError SESSION_UNKNOWN, or SESSION_DEFAULT since `default` cannot be deleted */
    delete(id: string): void {
      assertDeletable(id)
      this.get(id)
      remove(id)
    },
    /** Oldest first. */
    list: (): Session[] => [...sessions.values()],
    /** Calls a function for each session that is deleted or evicted from now on, before its journal is gone. */
    onEnd: (listener: (session: Session) => void): void => void endListeners.push(listener),
    /** Number of changes so far, requests included. */
    get changes(): number {
      return changes + journals.added
    },
    /**
     * Adds a session that was saved, in the place of one with the same id.
     * @throws PriceFeedMockError SESSIONS_FULL
     */
    addSaved(record: SessionRecord): Session {
      const known = sessions.get(record.setup.id)
      if (known === undefined) return add(make(record))
      known.run(() => ({ record }))
      return known
    },
    /** The parts of the collection that no session holds, as data. */
    get rest(): SavedRest {
      return { named, uses, lastUse: [...lastUse], evicted: [...evicted] }
    },
    /** Restores them, once the sessions are there. */
    loadRest(saved: SavedRest): void {
      named = saved.named
      uses = Math.max(uses, saved.uses)
      for (const [id, used] of saved.lastUse) if (lastUse.has(id)) lastUse.set(id, used)
      for (const id of saved.evicted) if (!sessions.has(id)) evicted.add(id)
    },
  }
}

/** The error for a new session with the id of another one. */
export const sessionExists = (id: string): PriceFeedMockError =>
  new PriceFeedMockError('SESSION_EXISTS', `A session "${id}" already exists.`, {
    fix: id === 'default' ? 'PATCH /_mock/sessions/default' : `PATCH or DELETE /_mock/sessions/${id}`,
  })

/** @throws PriceFeedMockError SESSION_DEFAULT */
export function assertDeletable(id: string): void {
  if (id !== 'default') return
  throw new PriceFeedMockError('SESSION_DEFAULT', 'The session "default" cannot be deleted.', {
    fix: 'POST /_mock/sessions/default/reset',
  })
}

const SELECTION_ERRORS: ReadonlySet<string> = new Set([
  'SESSION_INVALID',
  'SESSION_UNKNOWN',
  'SCENARIO_UNKNOWN',
  'SCENARIO_INVALID',
  'SESSIONS_FULL',
  'SESSION_TOO_LARGE',
])

/** Whether the session of a request cannot be selected or created. `administer` reports these errors. */
export const isSelectionError = (error: unknown): boolean =>
  isPriceFeedMockError(error) && SELECTION_ERRORS.has(error.code)

/**
 * Checks the id of a session that a request creates.
 * @throws PriceFeedMockError SESSION_INVALID or SCENARIO_UNKNOWN
 */
export function assertRequestedId(id: string, scenarios: Scenarios): void {
  // Checked first, so that an unknown scenario is reported as such.
  if (isScenarioId(id)) scenarios.get(id.slice(SCENARIO.length))
  parseOrThrow(requestedSchema, { 'session id': id }, 'SESSION_INVALID', 'The path')
}

const requestedSchema = z.strictObject({ 'session id': sessionIdSchema })
