// A queue for each session of a store in this server. Requests and changes are steps from the session as it is known here: the store
// accepts their result if it still has that session, otherwise they are made again from what it has.
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
import { changesTooFast, commitOne, type Store, sessionUnknown, type Texts, type Write, type Written } from './store.js'
import {
  append,
  type Cut,
  clear,
  type Excess,
  isTooLong,
  type Known,
  type NewEntry,
  rewind,
  type StoredSessions,
  trim,
} from './stored-sessions.js'

/** Requests in one step of the store. */
const MAX_BATCH = 128
/** Attempts to commit a step. Each loser has the next turn, so that more are a defect. */
const MAX_ATTEMPTS = 200
/** How often others may delete the session of a request, and create it again, while the request waits. */
const MAX_LOSSES = 4
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
  readonly waiting: (Waiting | Change)[]
  /** Attempts to commit the first of them. */
  attempts: number
}

interface Waiting {
  readonly change?: undefined
  readonly request: ServiceRequest & { readonly route: MatchedRoute<ServiceEndpoint> }
  readonly started: number
  /** How often the session that it selects was gone. */
  losses: number
  resolve(answer: StoredAnswer | undefined): void
  reject(error: unknown): void
}

/** A change that waits: it has a commit of its own. */
interface Change {
  /** Returns the session after it, with its journal if that is cut; nothing if there is nothing to change. */
  readonly change: (known: Known) => Promise<{ record: SessionRecord; cut?: Cut | undefined } | undefined>
  resolve(known: Known): void
  reject(error: unknown): void
}

/** Requests at the beginning of a queue with their answers, for one step of the store. */
interface Batch {
  readonly queue: Queue
  readonly answers: readonly Answer[]
  readonly next: Known
  readonly write: Write
}

/** Creates the queues of a server. */
export function createQueues(store: Store, sessions: StoredSessions) {
  const { shared } = sessions
  const { respond } = shared
  const queues = new Map<string, Queue>()

  const queueOf = (id: string, texts: Texts): Queue =>
    getOrCreate(queues, id, () => {
      if (queues.size >= MAX_QUEUES) forget()
      return { id, known: sessions.read(id, texts), waiting: [], attempts: 0 }
    })
  /** Makes room: the queue that was made first and has nothing to do. */
  const forget = (): void => {
    for (const [id, { waiting }] of queues) if (waiting.length === 0) return void queues.delete(id)
  }

  const runInTurns = createLongRequests()
  /** Answers the first requests of a queue, one after the other, from the present state of their session. */
  const prepare = async (queue: Queue, count: number): Promise<Batch> => {
    const { id, known } = queue
    const { record, runtime, texts } = known
    let { counters } = record
    const answers: Answer[] = []
    const entries: NewEntry[] = []
    for (const { request, started } of queue.waiting.slice(0, count) as Waiting[]) {
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
    const { journal, lines } = append(known.journal, entries)
    const next = sessions.toKnown({ setup: record.setup, counters }, journal, texts.gone, known)
    return { queue, answers, next, write: { id, from: texts, next: next.texts, journal, entries: lines } }
  }

  /** Sessions with requests that the next step commits. */
  const ready = new Set<Queue>()
  let arrived = 0
  let isBusy = false
  const wake = (queue: Queue): void => {
    if (queue.waiting[0]!.change !== undefined) return void runChange(queue)
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
      const change = queue.waiting.findIndex(one => one.change !== undefined)
      const count = Math.min(room, change < 0 ? queue.waiting.length : change)
      try {
        batches.push(await prepare(queue, count))
      } catch (error) {
        reject(queue, count, error)
      }
      room -= count
    }
    try {
      const results = batches.length === 0 ? [] : await store.commit(batches.map(({ write }) => write))
      for (const [i, result] of results.entries()) settle(batches[i]!, result)
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
      for (const [i, waiting] of take<Waiting>(queue, answers.length).entries())
        waiting.resolve({ ...answers[i]!, session: { id } })
      // After a failure the next request tries again.
      if (isTooLong(next.journal)) shorten(id).catch(() => {})
      if (result.isOver) shortenAll().catch(() => {})
    } else if (result.kind === 'absent') {
      queues.delete(id)
      reselect(queue)
    } else
      try {
        again(queue, result)
      } catch (error) {
        reject(queue, answers.length, error)
      }
  }
  /** Prepares another attempt of the first steps of a queue. */
  const again = (queue: Queue, result: Written): void => {
    if (++queue.attempts >= MAX_ATTEMPTS) throw changesTooFast(queue.id)
    if (result.kind === 'changed') {
      queue.known = sessions.read(queue.id, result.texts, queue.known)
      wake(queue)
    } else wait(1 + Math.random() * 2).then(() => wake(queue))
  }

  const runChange = async (queue: Queue): Promise<void> => {
    const { id } = queue
    const first = queue.waiting[0] as Change
    try {
      // As the store has it: an error of the step must not be due to an older session.
      const known = sessions.read(id, (await sessions.load(id)).texts, queue.known)
      queue.known = known
      const changed = await first.change(known)
      if (changed !== undefined) {
        const { record, cut } = changed
        const next = sessions.toKnown(record, cut?.journal ?? known.journal, cut?.gone ?? known.texts.gone, known)
        const write = { id, from: known.texts, next: next.texts, journal: next.journal, keeps: cut?.keeps }
        const result = await commitOne(store, write)
        if (result.kind !== 'done') return again(queue, result)
        queue.known = next
      }
      take(queue, 1)
      first.resolve(queue.known)
    } catch (error) {
      take(queue, 1)
      first.reject(error)
    }
  }
  const change = async (id: string, make: Change['change']): Promise<Known> => {
    const queue = queues.get(id) ?? queueOf(id, (await sessions.load(id)).texts)
    return new Promise((resolve, reject) => {
      if (queue.waiting.push({ change: make, resolve, reject }) === 1) wake(queue)
    })
  }
  /** Counts and drops the oldest entries of a journal: those beyond its limits, or for an excess of all journals. */
  const shorten = (id: string, excess?: Excess): Promise<Known> =>
    change(id, async known => {
      // Others may have shortened it meanwhile.
      if (excess === undefined && !isTooLong(known.journal)) return undefined
      return { record: known.record, cut: await trim(store, known, excess) }
    })
  let isShortening = false
  /** Shortens the journals of all sessions, unless that is being done. */
  const shortenAll = async (): Promise<void> => {
    if (isShortening) return
    isShortening = true
    try {
      for (;;) {
        const { id, ...excess } = await store.oldestJournal()
        if (excess.bytes <= 0 || id === undefined) return
        await shorten(id, excess)
      }
    } finally {
      isShortening = false
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
  /** Takes steps from the beginning of a queue: the rest of it is next. */
  const take = <T extends Waiting | Change>(queue: Queue, count: number): readonly T[] => {
    queue.attempts = 0
    const taken = queue.waiting.splice(0, count) as T[]
    if (queue.waiting.length > 0) wake(queue)
    return taken
  }
  const reject = (queue: Queue, count: number, error: unknown): void => {
    for (const waiting of take(queue, count)) waiting.reject(error)
  }
  /** Selects the sessions of requests again, since theirs is gone. */
  const reselect = (queue: Queue): void => {
    const { id } = queue
    for (const one of queue.waiting.splice(0))
      if (one.change !== undefined) one.reject(sessionUnknown(id, 'unknown'))
      else if (++one.losses === MAX_LOSSES) one.reject(changesTooFast(id))
      else void select(one)
  }

  const enqueue = (queue: Queue, waiting: Waiting): void => {
    arrived++
    // Otherwise it is in a step, or waits for its turn.
    if (queue.waiting.push(waiting) === 1) wake(queue)
  }
  /** Queues a request whose session has to be looked up. */
  const select = async (waiting: Waiting): Promise<void> => {
    const { route, receivedAt } = waiting.request
    try {
      // The commit finds out whether the selected session exists; any other one has to be looked up.
      const id = await sessions.select(waiting.request, named =>
        route.sessionId === undefined ? queues.has(named) : named === route.sessionId,
      )
      enqueue(queues.get(id) ?? queueOf(id, await sessions.use(id, receivedAt)), waiting)
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
        const waiting = { request, started, losses: 0, resolve, reject }
        const queue = sessionOfKey(authorization) === undefined ? queues.get(shared.sessionOf(request)) : undefined
        if (queue === undefined) void select(waiting)
        else enqueue(queue, waiting)
      })
    },
  }
}
