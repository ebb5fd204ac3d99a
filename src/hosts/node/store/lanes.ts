// Answers requests from sessions of a store: each session has one queue in this server, whose requests are committed in batches.
import { PriceFeedMockError } from '../../../errors.js'
import { plannedMs } from '../../../outcome.js'
import type { Base } from '../../../service/endpoint.js'
import type { SessionContext } from '../../../service/endpoint-context.js'
import { bytesOf, truncated } from '../../../service/journal.js'
import { markOf } from '../../../service/refused-keys.js'
import type { ServiceRequest } from '../../../service/request.js'
import type { Answer } from '../../../service/respond.js'
import type { Session } from '../../../service/session.js'
import { assertRequestedId, isScenarioId, selectByPath } from '../../../service/session-maker.js'
import { sessionsFull, sessionsHoldTooMuch } from '../../../service/sessions.js'
import type { State } from '../../../service/state.js'
import { wait } from '../../timers.js'
import { toLine } from './redis-store.js'
import type { Appended, Missing, Store, StoredSession } from './store.js'
import { SESSION_KEY, type StoredSessions } from './stored-session.js'

/** Requests of one session in one step of the store. */
const MAX_BATCH = 128
/** Attempts to commit a batch. Each loser has the next turn, so that more are a defect. */
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
  serve(request: ServiceRequest, base?: Base): Promise<Answer | undefined>
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
  rev: string
  state: State
  at: number
  /** Whether a key of the session may have got a 401: entries then need the marks of all keys. */
  hasKeys: boolean
  readonly queue: Waiting[]
  isBusy: boolean
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
  resolve(answer: Answer | undefined | Promise<Answer | undefined>): void
  reject(error: unknown): void
}

/** The place of a revision among all of its store. */
const orderOf = (rev: string): number => Number.parseInt(rev, 10)

/** The session was deleted in between. */
const GONE = new Error('The session is gone.')

/**
 * Creates the lanes of a server.
 * @param isLazy whether the path of an unknown session creates it
 */
export function createLanes(store: Store, sessions: StoredSessions, isLazy: boolean): Lanes {
  const { respond, scenarios } = sessions.parts
  const lanes = new Map<string, Lane>()

  const learn = (id: string, stored: StoredSession): Lane => {
    const { rev, state, at } = stored
    const known = lanes.get(id)
    // Older than what is known already: several loads may be on their way.
    if (known !== undefined && orderOf(rev) < orderOf(known.rev)) return known
    if (known?.rev === rev) return state.n < known.state.n ? known : Object.assign(known, { state, at })
    const session = sessions.revive(stored)
    if (known !== undefined) return Object.assign(known, { session, rev, state, at })
    if (lanes.size >= MAX_LANES) forget()
    const lane: Lane = { id, session, rev, state, at, hasKeys: false, queue: [], isBusy: false }
    lanes.set(id, lane)
    return lane
  }
  /** Makes room: the lane that was made first and has nothing to do. */
  const forget = (): void => {
    for (const [id, { isBusy }] of lanes)
      if (!isBusy) {
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
      const session = sessions.make({ id, created: id === 'default', realMs, replacesEvicted })
      const { holding } = session
      const written = await store.create({ id, config: sessions.toConfig(session), holding, realMs })
      if (written === 'full') throw sessionsFull(store.maxSessions)
      if (written === 'too-much') throw sessionsHoldTooMuch(store.maxSessions)
    }
  }
  const laneOf = async (id: string, realMs: number): Promise<Lane> => lanes.get(id) ?? learn(id, await use(id, realMs))

  const answer = (context: SessionContext, state: State, waiting: Waiting): Answer | undefined => {
    const { request, base, isKnownKey } = waiting
    return sessions.withLookup(
      id => id === context.id || isKnownKey,
      () => respond(context, state, request, base),
    )
  }

  /** Answers a batch from the present state of the lane, commits it, and repeats that where others were faster. */
  const commit = async (lane: Lane, batch: readonly Waiting[]): Promise<(Answer | undefined)[]> => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      // Kept, since others may learn of a newer revision meanwhile.
      const { rev, state: from, hasKeys } = lane
      const { context } = lane.session
      const hasFaults = context.scenario.faults.length > 0
      // Without faults only the numbers of requests change where others come in between.
      const isCounted = hasFaults || (context.replacesEvicted && from.n === 0)
      let { state, at } = lane
      const answers: (Answer | undefined)[] = []
      const entries: Appended[] = []
      for (const waiting of batch) {
        // The time of a session never goes back, whatever the clocks of several servers say.
        at = Math.max(at, waiting.request.receivedAt)
        const one = answer(context, state, at === waiting.request.receivedAt ? waiting : receivedAt(waiting, at))
        answers.push(one)
        if (one === undefined) continue
        state = one.state
        entries.push(toAppended(one, waiting, hasKeys))
      }
      if (entries.length === 0) return answers
      const counters = { n: isCounted ? from.n : undefined, faults: hasFaults ? state.faults : undefined }
      const result = await store.commit({ id: lane.id, rev, ...counters, hasKeys, at }, entries)
      switch (result.kind) {
        case 'done': {
          const final = result.before === from.n ? { answers, state } : renumber(context, from, batch, answers, result)
          if (lane.rev === rev && final.state.n > lane.state.n) Object.assign(lane, { state: final.state, at })
          if (result.interest === 'replies') publish(lane.id, result.added, final.answers)
          return final.answers
        }
        case 'counted':
          if (lane.rev === rev)
            Object.assign(lane, { state: { ...result.state, applied: from.applied }, at: result.at })
          break
        case 'changed':
          learn(lane.id, result.stored)
          break
        case 'keys':
          lane.hasKeys = true
          break
        case 'wait':
          await wait(1 + Math.random() * 2)
          break
        case 'absent':
          lanes.delete(lane.id)
          throw GONE
      }
    }
    throw new PriceFeedMockError('STORE_UNAVAILABLE', `The session ${lane.id} changes too fast.`)
  }

  /** Makes answers again with the numbers that the store has given them. */
  const renumber = (
    context: SessionContext,
    from: State,
    batch: readonly Waiting[],
    answers: readonly (Answer | undefined)[],
    { before, ordinals: given }: { readonly before: number; readonly ordinals: readonly number[] },
  ): { answers: (Answer | undefined)[]; state: State } => {
    let state = from
    let count = 0
    const again = answers.map((one, i) => {
      if (one === undefined) return undefined
      const { endpoint, receivedAt: at } = one.entry
      const ordinal = given[count]!
      const ordinals = ordinal > 0 ? { ...state.ordinals, [endpoint]: ordinal - 1 } : state.ordinals
      const numbered = answer(context, { ...state, n: before + count, ordinals }, receivedAt(batch[i]!, at))!
      count++
      state = numbered.state
      return numbered
    })
    return { answers: again, state }
  }

  /** Sends replies to the servers that stream them. */
  const publish = (id: string, added: number, answers: readonly (Answer | undefined)[]): void => {
    const made = answers.filter(one => one !== undefined)
    const first = added - made.length + 1
    store.publishReplies(id, JSON.stringify(made.map(({ outcome }, i) => [first + i, outcome])))
  }

  const pump = async (lane: Lane): Promise<void> => {
    while (lane.queue.length > 0) {
      const batch = lane.queue.splice(0, MAX_BATCH)
      try {
        const answers = await commit(lane, batch)
        for (let i = 0; i < batch.length; i++) batch[i]!.resolve(answers[i])
      } catch (error) {
        for (const { request, base, byPath, started, attempt, resolve, reject } of batch)
          if (error === GONE && attempt < MAX_SELECTIONS) resolve(select(byPath, request, base, started, attempt + 1))
          else reject(error)
      }
    }
    lane.isBusy = false
  }

  const queue = (
    lane: Lane,
    byPath: string | undefined,
    request: ServiceRequest,
    base: Base | undefined,
    isKnownKey: boolean,
    started: number,
    attempt: number,
  ): Promise<Answer | undefined> =>
    new Promise((resolve, reject) => {
      lane.queue.push({ request, base, byPath, isKnownKey, started, attempt, resolve, reject })
      if (lane.isBusy) return
      lane.isBusy = true
      // Everything that arrives in this turn of the event loop is one batch.
      setImmediate(() => void pump(lane))
    })

  const exists = async (id: string): Promise<boolean> => (await store.load(id)) !== 'unknown'

  /** Answers a request whose session has to be looked up. */
  const select = async (
    byPath: string | undefined,
    request: ServiceRequest,
    base: Base | undefined,
    started: number,
    attempt: number,
  ): Promise<Answer | undefined> => {
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
      const started = performance.now()
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

function toAppended(
  { entry: whole, outcome }: Answer,
  { request: { authorization }, started }: Waiting,
  hasKeys: boolean,
): Appended {
  const durationMs = Math.round((performance.now() - started + plannedMs(outcome)) * 1000) / 1000
  const entry = truncated(whole)
  const bytes = bytesOf(entry)
  const isRefused = entry.status === 401
  const key = authorization && (hasKeys || isRefused) ? (isRefused ? '!' : '') + markOf(authorization) : ''
  return { endpoint: entry.ordinal > 0 ? entry.endpoint : '', bytes, key, line: toLine(entry, bytes, durationMs) }
}

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
