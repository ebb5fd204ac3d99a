// Answers requests from sessions of a store: each session has a queue in this server, and one step of the store commits all queues.
import type { Served } from '../../../mock.js'
import { plannedMs } from '../../../outcome.js'
import { sessionsFull, sessionsHoldTooMuch } from '../../../service/admission.js'
import type { Base } from '../../../service/endpoint.js'
import { truncated } from '../../../service/journal.js'
import type { Counters } from '../../../service/record.js'
import { isScenarioId, type ServiceRequest, selectByPath } from '../../../service/request.js'
import type { Answer } from '../../../service/respond.js'
import type { Runtime } from '../../../service/runtime.js'
import type { Session } from '../../../service/session.js'
import { assertRequestedId } from '../../../service/sessions.js'
import type { State } from '../../../service/state.js'
import { monotonicMs, setImmediate } from '../../real-time.js'
import { wait } from '../../timers.js'
import { andThen, createLongRequests } from '../long-requests.js'
import { changesTooFast, readSession, sessionUnknown } from './session-errors.js'
import type { Commit, Committed, Notes, Store, StoredSession } from './store.js'
import { countersOf, SESSION_KEY, type StoredSessions } from './stored-session.js'

/** Requests in one step of the store. */
const MAX_BATCH = 128
/** Attempts to commit the requests of a session. Each loser has the next turn, so that more are a defect. */
const MAX_ATTEMPTS = 200
/** Attempts to find the session of a request, which others may delete and create meanwhile. */
const MAX_SELECTIONS = 4
/** Sessions that this server keeps ready. */
const MAX_LANES = 2000

/** The lanes of a server. */
export interface Lanes {
  /**
   * Answers a request to one of the five endpoints. Undefined for any other path, and for endpoints of another `base`.
   * @throws PriceFeedMockError SESSION_UNKNOWN and other errors of the selection, STORE_UNAVAILABLE or STORE_EMPTIED
   */
  serve(request: ServiceRequest, base?: Base): Promise<Served | undefined>
  /** A session to read from, made ready for requests. */
  ready(id: string, stored: StoredSession): Session
  /**
   * Creates a session if it does not exist, and returns it.
   * @throws PriceFeedMockError SESSION_UNKNOWN if requests may not create it
   */
  use(id: string, realMs: number): Promise<StoredSession>
}

/** A session as this server knows it: the store decides whether that is up to date. */
interface Lane {
  readonly id: string
  session: Session
  stored: StoredSession
  /** Requests that are not committed yet, oldest first. */
  readonly queue: Waiting[]
  /** Attempts to commit the first of them. */
  attempts: number
}

/** The requests at the beginning of a queue with their answers, for one step of the store. */
interface Batch {
  readonly lane: Lane
  readonly runtime: Runtime
  /** The requests, at the times that they count as. */
  readonly requests: readonly Waiting[]
  readonly answers: readonly (Answer | undefined)[]
  readonly commit: Commit
}

/** Answers with the state and the time after them. */
interface Answered {
  readonly answers: readonly (Answer | undefined)[]
  readonly counters: Counters
  readonly at: number
}

interface Waiting {
  readonly request: ServiceRequest
  readonly base: Base | undefined
  /** The id in its path. */
  readonly byPath: string | undefined
  /** Whether the session of its API key exists. */
  readonly isKnownKey: boolean
  readonly started: number
  readonly attempt: number
  resolve(answer: Served | undefined | Promise<Served | undefined>): void
  reject(error: unknown): void
}

/** The place of a revision among all of its store. */
const orderOf = (rev: string): number => Number.parseInt(rev, 10)

/**
 * Creates the lanes of a server.
 * @param isLazy whether the path of an unknown session creates it
 */
export function createLanes(store: Store, sessions: StoredSessions, isLazy: boolean): Lanes {
  const { respond, scenarios } = sessions.parts
  const lanes = new Map<string, Lane>()

  const learn = (id: string, stored: StoredSession): Lane => {
    const known = lanes.get(id)
    if (known === undefined) {
      if (lanes.size >= MAX_LANES) forget()
      const lane: Lane = { id, session: readSession(id, () => sessions.revive(stored)), stored, queue: [], attempts: 0 }
      lanes.set(id, lane)
      return lane
    }
    const { rev, state } = known.stored
    // Older than what is known already: several loads may be on their way.
    if (orderOf(stored.rev) < orderOf(rev)) return known
    if (stored.rev !== rev)
      return Object.assign(known, { session: readSession(id, () => sessions.revive(stored)), stored })
    return stored.state.n < state.n ? known : Object.assign(known, { stored })
  }
  /** Makes room: the lane that was made first and has nothing to do. */
  const forget = (): void => {
    for (const [id, { queue }] of lanes)
      if (queue.length === 0) {
        lanes.delete(id)
        return
      }
  }

  const use: Lanes['use'] = async (id, realMs) => {
    for (;;) {
      const stored = await store.load(id)
      if (typeof stored === 'object') return stored
      if (!isLazy && id !== 'default' && !isScenarioId(id)) {
        assertRequestedId(id, scenarios)
        throw sessionUnknown(id, stored)
      }
      assertRequestedId(id, scenarios)
      const replacesEvicted = stored === 'idle'
      const session = sessions.make({ id, isNamed: id === 'default', realMs, replacesEvicted })
      const { charge } = session
      const written = await store.create({ id, config: sessions.toConfig(session), charge, realMs })
      if (written === 'full') throw sessionsFull(store.maxSessions)
      if (written === 'too-much') throw sessionsHoldTooMuch(store.maxSessions)
    }
  }
  const laneOf = async (id: string, realMs: number): Promise<Lane> => lanes.get(id) ?? learn(id, await use(id, realMs))

  const runInTurns = createLongRequests()
  const answer = (runtime: Runtime, counters: Counters, { request, base, isKnownKey }: Waiting) => {
    const withLookup = <T>(step: () => T): T => sessions.withLookup(id => id === runtime.id || isKnownKey, step)
    return runInTurns(
      runtime,
      () => withLookup(() => respond.lookUps(runtime, counters, request, base)),
      made => withLookup(() => respond(runtime, counters, request, base, undefined, made)),
    )
  }

  /**
   * Answers requests one after the other, none before a time.
   * @param answers those of the first requests, which are added to
   */
  const answerAll = (
    runtime: Runtime,
    from: Counters,
    since: number,
    requests: readonly Waiting[],
    answers: (Answer | undefined)[] = [],
  ): Answered | Promise<Answered> => {
    let counters = from
    let at = since
    while (answers.length < requests.length) {
      const waiting = requests[answers.length]!
      // The time of a session never goes back, whatever the clocks of several servers say.
      at = Math.max(at, waiting.request.receivedAt)
      const one = answer(runtime, counters, at === waiting.request.receivedAt ? waiting : receivedAt(waiting, at))
      if (one instanceof Promise)
        return one.then(late => answerAll(runtime, late?.counters ?? counters, at, requests, [...answers, late]))
      if (one !== undefined) counters = one.counters
      answers.push(one)
    }
    return { answers, counters, at }
  }

  /** Answers the first requests of a queue from the present state of their session. */
  const prepare = (lane: Lane, count: number): Batch | Promise<Batch> => {
    // Kept, since others may learn of a newer one meanwhile.
    const from = lane.stored
    const { runtime, charge } = lane.session
    const requests = lane.queue.slice(0, count)
    return andThen(
      answerAll(runtime, countersOf(lane.session, from), from.at, requests),
      ({ answers, counters, at }) => {
        const { refused } = counters
        const entries: Commit['entries'][0][] = []
        for (const [i, one] of answers.entries()) {
          if (one === undefined) continue
          const { started } = requests[i]!
          const durationMs = monotonicMs() - started + plannedMs(one.outcome)
          entries.push({ entry: truncated(one.entry), durationMs })
        }
        // Without faults only the numbers of requests change where others come in between.
        const isExact =
          runtime.scenario.faults.length > 0 ||
          refused !== from.refused ||
          (runtime.replacesEvicted && from.state.n === 0)
        const isKept = charge.isNamed
        const commit = { id: lane.id, from, state: counters, at, refused, isExact, isKept, entries }
        return { lane, runtime, requests, answers, commit }
      },
    )
  }

  /** Sessions with requests that the next step commits. */
  const ready = new Set<Lane>()
  /** Requests so far. */
  let arrived = 0
  let isBusy = false
  const wake = (lane: Lane): void => {
    ready.add(lane)
    if (isBusy) return
    isBusy = true
    begin()
  }
  /** Begins a step once a turn of the event loop has brought no further request: those of a burst arrive in several turns. */
  const begin = (): void => {
    const full = arrived + MAX_BATCH
    let before = -1
    const turn = (): void => {
      if (arrived === before || arrived >= full) return void step()
      before = arrived
      setImmediate(turn)
    }
    setImmediate(turn)
  }

  /** Commits the requests of many sessions. Those that arrive meanwhile are the next step. */
  const step = async (): Promise<void> => {
    const batches: Batch[] = []
    let room = MAX_BATCH
    for (const lane of ready) {
      if (room === 0) break
      ready.delete(lane)
      const count = Math.min(room, lane.queue.length)
      try {
        const prepared = prepare(lane, count)
        const batch = prepared instanceof Promise ? await prepared : prepared
        if (batch.commit.entries.length > 0) batches.push(batch)
        else resolve(lane, batch.answers)
      } catch (error) {
        reject(lane, count, error)
      }
      room -= count
    }
    const results = await commit(batches)
    for (const [i, result] of results.entries()) {
      const batch = batches[i]!
      try {
        const settled = settle(batch, result)
        if (settled instanceof Promise) await settled
      } catch (error) {
        // One session must not stop the others.
        reject(batch.lane, batch.requests.length, error)
      }
    }
    if (ready.size > 0) begin()
    else isBusy = false
  }

  const commit = async (batches: readonly Batch[]): Promise<readonly Committed[]> => {
    if (batches.length === 0) return []
    try {
      return await store.commit(batches.map(batch => batch.commit))
    } catch (error) {
      for (const { lane, requests } of batches) reject(lane, requests.length, error)
      return []
    }
  }

  const settle = (batch: Batch, result: Committed): void | Promise<void> => {
    const { lane, requests } = batch
    switch (result.kind) {
      case 'done':
        learn(lane.id, result.stored)
        return andThen(renumber(batch, result.stored.state), answers => finish(batch, result.stored.notes, answers))
      case 'absent':
        lanes.delete(lane.id)
        reselect(lane)
        return
      case 'changed':
        learn(lane.id, result.stored)
    }
    if (++lane.attempts >= MAX_ATTEMPTS) reject(lane, requests.length, changesTooFast(lane.id))
    else if (result.kind === 'changed') ready.add(lane)
    else wait(1 + Math.random() * 2).then(() => wake(lane))
  }

  /** The answers with the numbers that the store has given them. */
  const renumber = (
    { lane, runtime, requests, answers, commit: { from, state, at, entries } }: Batch,
    { n, ordinals }: State,
  ): Answered['answers'] | Promise<Answered['answers']> => {
    if (n === state.n) return answers
    const before: Record<string, number> = {}
    for (const [name, count] of Object.entries(ordinals))
      before[name] = count - (state.ordinals[name] ?? 0) + (from.state.ordinals[name] ?? 0)
    const earlier = { ...countersOf(lane.session, from), n: n - entries.length, ordinals: before }
    const timed = requests.map((waiting, i) => receivedAt(waiting, answers[i]?.entry.receivedAt ?? at))
    return andThen(answerAll(runtime, earlier, 0, timed), answered => answered.answers)
  }
  /** Resolves requests with their answers, which streams get as well. */
  const finish = ({ lane, commit }: Batch, { added, repliesUntil }: Notes, answers: Answered['answers']): void => {
    if (repliesUntil > commit.at) {
      const made = answers.filter(one => one !== undefined)
      const first = added - made.length + 1
      store.publishReplies(lane.id, JSON.stringify(made.map(({ outcome }, i) => [first + i, outcome])))
    }
    resolve(lane, answers)
  }

  /** Takes requests from the beginning of a queue: the rest of it is committed next. */
  const take = (lane: Lane, count: number): readonly Waiting[] => {
    lane.attempts = 0
    const taken = lane.queue.splice(0, count)
    if (lane.queue.length > 0) ready.add(lane)
    return taken
  }
  const resolve = (lane: Lane, answers: readonly (Answer | undefined)[]): void => {
    const taken = take(lane, answers.length)
    for (const [i, waiting] of taken.entries()) {
      const answer = answers[i]
      waiting.resolve(answer && { ...answer, session: lane.session })
    }
  }
  const reject = (lane: Lane, count: number, error: unknown): void => {
    for (const waiting of take(lane, count)) waiting.reject(error)
  }
  /** Selects the sessions of requests again, since theirs is gone. */
  const reselect = (lane: Lane): void => {
    for (const { request, base, byPath, started, attempt, ...waiting } of take(lane, lane.queue.length))
      if (attempt < MAX_SELECTIONS) waiting.resolve(select(byPath, request, base, started, attempt + 1))
      else waiting.reject(changesTooFast(lane.id))
  }

  const queue = (
    lane: Lane,
    byPath: string | undefined,
    request: ServiceRequest,
    base: Base | undefined,
    isKnownKey: boolean,
    started: number,
    attempt: number,
  ): Promise<Served | undefined> =>
    new Promise((resolve, reject) => {
      arrived++
      const length = lane.queue.push({ request, base, byPath, isKnownKey, started, attempt, resolve, reject })
      // Otherwise it is in a step, or waits for its turn.
      if (length === 1) wake(lane)
    })

  const exists = async (id: string): Promise<boolean> => (await store.load(id)) !== 'unknown'

  /** Answers a request whose session has to be looked up. */
  const select = async (
    byPath: string | undefined,
    request: ServiceRequest,
    base: Base | undefined,
    started: number,
    attempt: number,
  ): Promise<Served | undefined> => {
    const key = request.authorization
    const named = key?.startsWith(SESSION_KEY) ? key.slice(SESSION_KEY.length) : undefined
    // The commit finds out whether the selected session exists; any other one has to be looked up.
    const isKnownKey =
      named !== undefined && named !== byPath && ((byPath === undefined && lanes.has(named)) || (await exists(named)))
    const byKey =
      key === undefined
        ? undefined
        : sessions.withLookup(
            () => isKnownKey,
            () => sessions.idOfKey(key),
          )
    const lane = await laneOf(byPath ?? byKey ?? 'default', request.receivedAt)
    return queue(lane, byPath, request, base, isKnownKey, started, attempt)
  }

  return {
    use,
    ready: (id, stored) => learn(id, stored).session,
    serve({ method, target, authorization, receivedAt: atHere }, base) {
      const started = monotonicMs()
      const { id, request } = selectByPath({ method, target, authorization, receivedAt: atHere + store.offsetMs() })
      const isSelector = authorization !== undefined && /^(?:session|scenario)\./.test(authorization)
      const lane = isSelector ? undefined : lanes.get(id ?? 'default')
      return lane === undefined
        ? select(id, request, base, started, 1)
        : queue(lane, id, request, base, false, started, 1)
    },
  }
}

const receivedAt = (waiting: Waiting, at: number): Waiting => ({
  ...waiting,
  request: { ...waiting.request, receivedAt: at },
})
