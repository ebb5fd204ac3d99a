// Answers a Request of the Fetch standard with a Response: shared by the hosts without sockets. Wire faults fail as `fetch` fails.
// And reads the body of a reply from elsewhere, which may be long, slow or without an end.
import type { Addresses } from '../admin/admin-route.js'
import { createBoundedCache, getOrCreate, oncePerObject } from '../caches.js'
import { wrongValue } from '../errors.js'
import type { Mock } from '../mock.js'
import {
  bodyNotJson,
  bodyToSend,
  type Dribble,
  internalReply,
  isJsonType,
  type Outcome,
  plannedMs,
  type Reply,
  type Reset,
  type Timeout,
  type Truncate,
  toPairs,
  toPieces,
} from '../outcome.js'
import type { Base } from '../service/endpoint.js'
import type { Session } from '../service/sessions.js'
import { load, monotonicMs, wait as realWait, setImmediate } from './real-time.js'
import type { Delays, Wait } from './virtual-delays.js'

/** Node's module has it also where no global does: jsdom in the pools vmThreads and vmForks of Vitest. */
export const { ReadableStream } = (load?.('stream/web') ?? globalThis) as typeof globalThis

/**
 * Checks a mock that JavaScript callers pass.
 * @throws PriceFeedMockError OPTIONS_INVALID
 */
export function assertMock(got: Mock): void {
  if (typeof got?.serve === 'function') return
  throw wrongValue('OPTIONS_INVALID', 'Invalid mock.', { at: 'mock', got, want: 'a mock, such as createMock()' })
}

interface Arrival {
  /** Path and query, below the base address. */
  readonly target: string
  /** The base address that received the request; undefined if one address serves both. */
  readonly base?: Base | undefined
  readonly addresses: Addresses
  /** Ends delays and timeouts, in addition to the signal of the request. */
  readonly signal?: AbortSignal | undefined
  /** The body, if it is known. Reading it from the request never ends while a test fakes `queueMicrotask`. */
  readonly body?: string | undefined
  /** Delays in virtual time; real ones if undefined. */
  readonly delays?: Delays | undefined
}

/**
 * Answers any request: of the service or of the admin.
 * @throws TypeError for a network error of `fetch`, the reason of a signal, or the error of reading the request's body
 */
export async function answerRequest(mock: Mock, request: Request, arrival: Arrival): Promise<Response> {
  const signal = arrival.signal ? AbortSignal.any([request.signal, arrival.signal]) : request.signal
  requestOf.set(signal, request)
  const { outcome, session } = await outcomeOf(mock, request, signal, arrival)
  if (isTurnDue(mock, arrival.target)) await new Promise(setImmediate)
  const wait = session && releasedAtEnd(mock, session, arrival.delays?.(session) ?? realWait)
  return toResponse(outcome, { method: request.method, signal, wait })
}

/** Keeps a request as long as its signal, which a body that is still sent waits for: without it the caller's signal is not followed. */
const requestOf = new WeakMap<AbortSignal, Request>()

/** A response that tells its address, as one from the network. So do its clones. */
export function withAddress(response: Response, url: string, redirected = false): Response {
  const { clone } = response
  return Object.defineProperties(response, {
    url: { value: url.replace(/#.*/, ''), configurable: true },
    redirected: { value: redirected, configurable: true },
    clone: { value: () => withAddress(clone.call(response), url, redirected), configurable: true },
  })
}

/** Whether a response sends its client to another address. */
export const isRedirect = ({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean =>
  [301, 302, 303, 307, 308].includes(status) && headers.has('location')

/** Requests of each session of a mock, by the name in their target. */
const countsOf = oncePerObject((_: Mock) => createBoundedCache<string, { n: number }>(2000))

/**
 * Counts a request, and returns whether the event loop has to turn before its reply: a consumer that asks again at once would never let
 * timers, such as the limit of its test, have their turn. It is counted by session, so that a run is the same whatever ran before.
 */
function isTurnDue(mock: Mock, target: string): boolean {
  const session = String(/\/sessions?\/[^/?]*/.exec(target))
  // Pages have no setImmediate.
  return setImmediate !== undefined && ++getOrCreate(countsOf(mock), session, () => ({ n: 0 })).n % 100 === 0
}

/**
 * Carries an outcome out. A reset rejects, a timeout waits until the signal aborts or the connection would be closed.
 * @throws TypeError for a network error of `fetch`, or the reason of the signal
 */
export async function toResponse(
  outcome: Outcome,
  { method, signal, wait = realWait }: Pick<Request, 'method' | 'signal'> & { readonly wait?: Wait | undefined },
): Promise<Response> {
  signal.throwIfAborted()
  if (outcome.delayMs > 0) await wait(outcome.delayMs, signal)
  if (outcome.kind === 'timeout') await wait(outcome.closeAfterMs, signal)
  if (outcome.kind === 'timeout' || outcome.kind === 'reset') throw networkError(outcome)
  const { status, headers } = outcome
  const body = bodyToSend(method, outcome)
  return new Response(body === null ? null : toBody(outcome, body, signal, wait), { status, headers: toPairs(headers) })
}

async function outcomeOf(
  mock: Mock,
  request: Request,
  signal: AbortSignal,
  { target, base, addresses, body }: Arrival,
): Promise<{ outcome: Outcome; session?: Session }> {
  const started = monotonicMs()
  const serviceRequest = {
    method: request.method,
    target,
    authorization: request.headers.get('authorization') ?? undefined,
    receivedAt: mock.realTime(),
  }
  try {
    const served = mock.serve(serviceRequest, base)
    if (served !== undefined) {
      mock.record(served, monotonicMs() - started + plannedMs(served.outcome))
      return served
    }
  } catch (error) {
    return { outcome: internalReply(error) }
  }
  // `fetch` rejects if the request's body cannot be read, and so does this.
  const text = body ?? (await untilAborted(request.text(), signal))
  if (text !== '' && !isJsonType(request.headers.get('content-type'))) return { outcome: bodyNotJson() }
  return { outcome: await mock.administer({ ...serviceRequest, body: text }, addresses).catch(internalReply) }
}

/** The result of reading a body, or the reason of a signal that aborts first: a body that its caller streams may never end. */
export function untilAborted<Result>(reading: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort)
    reading.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    signal.throwIfAborted()
  })
}

function networkError(outcome: Reset | Timeout): TypeError {
  const cause =
    outcome.kind === 'reset' && outcome.isRefused
      ? Object.assign(new Error('connect ECONNREFUSED: wire/refused'), { code: 'ECONNREFUSED', syscall: 'connect' })
      : new Error(`the connection was closed: wire/${outcome.kind}`)
  return new TypeError('fetch failed', { cause })
}

/**
 * The stream of a body, which an abort takes away as long as it is neither read nor cloned. That of a string would stay, and it is
 * closed by `queueMicrotask`: while a test fakes that, readers never see its end.
 */
function toBody(outcome: Reply | Truncate | Dribble, body: string, signal: AbortSignal, waitFor: Wait) {
  const isCut = outcome.kind === 'truncate'
  const pieces =
    outcome.kind === 'dribble' ? toPieces(body, outcome.pieces) : [isCut ? body.slice(0, outcome.sentLength) : body]
  let sent = 0
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
      if (isCut && sent > 0)
        throw new TypeError('terminated', { cause: new Error('the connection was closed: wire/truncate') })
      if (outcome.kind === 'dribble' && sent > 0) await waitFor(outcome.everyMs, signal)
      signal.throwIfAborted()
      controller.enqueue(new TextEncoder().encode(pieces[sent++]))
      if (!isCut && sent >= pieces.length) controller.close()
    },
  }
  // No buffering: an error would discard pieces that have not been read yet.
  return new ReadableStream(source, { highWaterMark: 0 })
}

/** The controllers that release the pauses of replies, by their session. */
const pausesOf = oncePerObject((_: Session) => new Set<AbortController>())
/** The sessions of mocks whose ends are observed. */
const observed = new WeakSet<Mock['sessions']>()

/** Pauses that are released when their session ends: the reply comes at its time, as that of a server, if the process still runs. */
function releasedAtEnd({ sessions }: Mock, session: Session, wait: Wait): Wait {
  if (!observed.has(sessions)) sessions.onEnd(ended => pausesOf(ended).forEach(release => void release.abort()))
  observed.add(sessions)
  return async (ms, signal) => {
    const own = pausesOf(session)
    const release = new AbortController()
    own.add(release)
    try {
      await wait(ms, signal, release.signal)
    } finally {
      own.delete(release)
    }
  }
}

/**
 * The text of a body; of one that is longer than `most`, a part that is also longer.
 * @param signal ends it. The signal of the request alone does not do: engines forget a combined one that only a request refers to
 */
export async function readReplyText({ body }: Response, most: number, signal: AbortSignal): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const end = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', end)
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length <= most) {
      signal.throwIfAborted()
      const { value, done } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    signal.throwIfAborted()
    return text
  } finally {
    signal.removeEventListener('abort', end)
    // The rest of a body that is too long ends the connection.
    end()
  }
}
