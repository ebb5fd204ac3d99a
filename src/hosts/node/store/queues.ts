// A queue for the requests of each session of a store in this server, and the changes beside it. All are steps from the session as it is
// known here: the store accepts their result if it still has that session, otherwise they are made again from what it has.
import { getOrCreate } from '../../../caches.js'
import { plannedMs } from '../../../outcome.js'
import type { Step } from '../../../service/changes.js'
import type { Base, ServiceEndpoint } from '../../../service/endpoint.js'
import { truncated } from '../../../service/journal.js'
import type { SessionRecord } from '../../../service/record.js'
import { type ServiceRequest, sessionOfKey } from '../../../service/request.js'
import type { Answer } from '../../../service/respond.js'
import type { MatchedRoute } from '../../../service/router.js'
import { isSelectionError } from '../../../service/sessions.js'
import { monotonicMs, setImmediate, wait } from '../../real-time.js'
import { createLongRequests } from '../turns.js'
import { changesTooFast, type Store, type Texts, type Write, type Written } from './store.js'
import {
  append,
  type Cut,
  clear,
  isTooLong,
  type Known,
  type NewEntry,
  rewind,
  type StoredSessions,
  trim,
} from './stored-sessions.js'

/** Requests in one step of the store. */
const MAX_BATCH = 128
/** Attempts to commit a step: each loser has the next turn, so that others would have to delete the session before each of them. */
const MAX_ATTEMPTS = 200
/** Sessions that this server keeps ready. */
const MAX_QUEUES = 2000

/** An answer of the service with the session that gave it. */
export interface StoredAnswer extends Answer {
  readonly session: { readonly id: string }
}

/** The queues of a server. */
export type Queues = ReturnType<typeof createQueues>

interface Queue {
  readonly id: string
  /** The session as this server knows it: the store decides whether that is up to date. */
  known: Known
  /** Oldest first. */
  readonly waiting: Waiting[]
  /** Settles when no change of the session is under way. The next one begins then: they would only lose against each other. */
  changing: Promise<unknown>
}

interface Waiting {
  readonly request: ServiceRequest & { readonly route: MatchedRoute<ServiceEndpoint> }
  readonly started: number
  /** How often it was the first of a queue whose session others had changed or deleted. */
  attempts: number
  resolve(answer: StoredAnswer | undefined): void
  reject(error: unknown): void
}

/** Returns a session after a change, with its journal if that is cut. */
type Change = (known: Known) => Promise<{ record: SessionRecord; cut?: Cut | undefined }>

/** Creates the queues of a server. */
export function createQueues(store: Store, sessions: StoredSessions) {
  const { respond, sessionOf } = sessions.shared
  const queues = new Map<string, Queue>()

  const queueOf = (id: string, texts: Texts): Queue =>
    getOrCreate(queues, id, () => {
      if (queues.size >= MAX_QUEUES) forget()
      return { id, known: sessions.read(id, texts), waiting: [], changing: Promise.resolve() }
    })
  /** Makes room: the queue that was made first and has nothing to do. */
  const forget = (): void => {
    for (const [id, { waiting }] of queues) if (waiting.length === 0) return void queues.delete(id)
  }

  const runInTurns = createLongRequests()
  /** Answers the first requests of a queue, one after the other, from the present state of their session: for one step of the store. */
  const prepare = async (queue: Queue, count: number) => {
    const { id, known } = queue
    const { record, runtime, texts } = known
    // One that cannot be shortened now is tried again with the next request.
    const cut = isTooLong(known.journal) ? await trim(store, known).catch(() => undefined) : undefined
    let { counters } = record
    const answers: Answer[] = []
    const entries: NewEntry[] = []
    for (const { request, started } of queue.waiting.slice(0, count)) {
      const before = counters
      // The time of a session never goes back, whatever the clocks of several servers say.
      const at = Math.max(before.at, request.receivedAt)
      const timed = at === request.receivedAt ? request : { ...request, receivedAt: at }
      const made = runInTurns(
        runtime,
        request.route.match.endpoint.lookUps && (() => respond.lookUps(runtime, before, timed)),
        lookUps => respond(runtime, before, timed, undefined, lookUps)!,
      )
      const answer = made instanceof Promise ? await made : made
      counters = answer.counters
      answers.push(answer)
      const durationMs = monotonicMs() - started + plannedMs(answer.outcome)
      entries.push({ entry: truncated(answer.entry), durationMs })
    }
    const { journal, lines } = append(cut?.journal ?? known.journal, entries)
    const next = sessions.toKnown({ setup: record.setup, counters }, journal, cut?.gone ?? texts.gone, known)
    const write: Write = { id, from: texts, next: next.texts, journal, entries: lines, keeps: cut?.keeps }
    return { queue, answers, next, write }
  }
  type Batch = Awaited<ReturnType<typeof prepare>>

  /** Sessions with requests that the next step commits. */
  const ready = new Set<Queue>()
  let arrived = 0
  let isBusy = false
  const wake = (queue: Queue): void => {
    ready.add(queue)
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
    for (const queue of ready) {
      if (room === 0) break
      ready.delete(queue)
      const count = Math.min(room, queue.waiting.length)
      try {
        batches.push(await prepare(queue, count))
      } catch (error) {
        reject(queue, count, error)
      }
      room -= count
    }
    try {
      const results = batches.length === 0 ? [] : await store.commit(batches.map(({ write }) => write))
      for (const [i, batch] of batches.entries()) settle(batch, results[i]!)
    } catch (error) {
      for (const { queue, answers } of batches) reject(queue, answers.length, error)
    }
    if (ready.size > 0) begin()
    else isBusy = false
  }
  const settle = ({ queue, answers, next }: Batch, result: Written): void => {
    const { id } = queue
    if (result.kind === 'done') {
      queue.known = next
      if (result.wantsReplies) {
        const first = next.journal.added - answers.length + 1
        store.publishReplies(id, JSON.stringify(answers.map(({ outcome }, i) => [first + i, outcome])))
      }
      for (const [i, waiting] of take(queue, answers.length).entries())
        waiting.resolve({ ...answers[i]!, session: { id } })
      // After a failure the next request tries again.
      if (result.isOver) shortening ??= shortenAll().then(endShortening, endShortening)
    } else if (++queue.waiting[0]!.attempts === MAX_ATTEMPTS) reject(queue, answers.length, changesTooFast(id))
    else if (result.kind === 'absent') {
      queues.delete(id)
      for (const one of queue.waiting.splice(0)) void select(one)
    } else if (result.texts !== undefined)
      try {
        queue.known = sessions.read(id, result.texts, queue.known)
        wake(queue)
      } catch (error) {
        reject(queue, answers.length, error)
      }
    else pause().then(() => wake(queue))
  }
  /** While another has the turn. */
  const pause = (): Promise<void> => wait(1 + Math.random() * 2)

  const change = async (id: string, make: Change): Promise<Known> => {
    const queue = queues.get(id) ?? queueOf(id, (await sessions.load(id)).texts)
    // The requests of this server are others to it: they would be faster each time.
    const turn = store.nextRev()
    const attempt = async (): Promise<Known> => {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        // As the store has it: an error of the step must not be due to an older session.
        const { texts } = await sessions.load(id)
        const known = sessions.read(id, texts, queue.known)
        const { record, cut } = await make(known)
        const next = sessions.toKnown(record, cut?.journal ?? known.journal, cut?.gone ?? texts.gone, known)
        const write = { id, from: texts, next: next.texts, journal: next.journal, keeps: cut?.keeps }
        const [written] = await store.commit([write], turn)
        if (written!.kind === 'done') return (queue.known = next)
        if (written!.kind === 'wait') await pause()
      }
      throw changesTooFast(id)
    }
    return (queue.changing = queue.changing.then(attempt, attempt))
  }
  let shortening: Promise<void> | undefined
  const endShortening = () => void (shortening = undefined)
  /** Drops the oldest entries of the journals of all sessions. */
  const shortenAll = async (): Promise<void> => {
    for (;;) {
      const { id, ...excess } = await store.oldestJournal()
      if (excess.bytes <= 0 || id === undefined) return
      await change(id, async known => ({ record: known.record, cut: await trim(store, known, excess) }))
    }
  }
  /** @throws PriceFeedMockError SESSION_UNKNOWN, SESSIONS_FULL, STORE_UNAVAILABLE or STORE_EMPTIED, or an error of the step */
  const run = (id: string, step: Step): Promise<Known> =>
    change(id, async known => {
      const { record, journal } = step(known.record, known.runtime)
      const at = Math.max(known.record.counters.at, record.counters.at)
      const cut = journal === 'clear' ? clear(known) : journal && (await rewind(store, known, journal.rewindTo))
      return { record: { ...record, counters: { ...record.counters, at } }, cut }
    })
  /** Takes requests from the beginning of a queue: the rest of it is next. */
  const take = (queue: Queue, count: number): readonly Waiting[] => {
    const taken = queue.waiting.splice(0, count)
    if (queue.waiting.length > 0) wake(queue)
    return taken
  }
  const reject = (queue: Queue, count: number, error: unknown): void => {
    for (const waiting of take(queue, count)) waiting.reject(error)
  }

  /** Queues a request: at once if its session is known. The commit finds out whether that still exists. */
  const select = async (waiting: Waiting): Promise<void> => {
    const { route, receivedAt, authorization } = waiting.request
    const isKnown = (named: string): boolean =>
      route.sessionId === undefined ? queues.has(named) : named === route.sessionId
    try {
      const isByKey = sessionOfKey(authorization) !== undefined
      const id = isByKey ? await sessions.select(waiting.request, isKnown) : sessionOf(waiting.request)
      const queue = queues.get(id) ?? queueOf(id, await sessions.use(id, receivedAt))
      arrived++
      // Otherwise it is in a step, or waits for its turn.
      if (queue.waiting.push(waiting) === 1) wake(queue)
    } catch (error) {
      if (isSelectionError(error)) waiting.resolve(undefined)
      else waiting.reject(error)
    }
  }

  return {
    run,
    /** A session of texts that were just read. */
    read: (id: string, texts: Texts) => sessions.read(id, texts, queueOf(id, texts).known),
    /**
     * Answers a request to one of the five endpoints. Undefined for any other path, for endpoints of another `base`, and where its
     * session cannot be selected.
     * @throws PriceFeedMockError STORE_UNAVAILABLE or STORE_EMPTIED
     */
    serve({ method, target, authorization, receivedAt }: ServiceRequest, base?: Base) {
      const route = respond.matchedRouteOf(target, base)
      if (route === undefined) return undefined
      const started = monotonicMs()
      const request = { method, target, authorization, receivedAt: receivedAt + store.offsetMs(), route }
      return new Promise<StoredAnswer | undefined>((resolve, reject) => {
        void select({ request, started, attempts: 0, resolve, reject })
      })
    },
  }
}
