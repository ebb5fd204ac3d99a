// Delays without real time: replies wait for the clock of their session, which moves on to the next of them. And fake timers of a test,
// which move on in step with that clock.
import { type PriceFeedMockError, wrongValue } from '../errors.js'
import type { Mock } from '../mock.js'
import { changeClock } from '../service/clock.js'
import type { Session } from '../service/sessions.js'
import { parseDuration } from '../settings/time.js'
import { setImmediate, setTimeout } from './real-time.js'

/**
 * Resolves after some milliseconds, undefined is for ever, or rejects with the reason of the signal if that aborts first. Once `released`
 * aborts, it keeps neither the process nor a clock going.
 */
export type Wait = (ms: number | undefined, signal: AbortSignal, released?: AbortSignal) => Promise<void>

/** The delays of one request, once the session that answers it is known. */
export type Delays = (session: Session) => Wait

/** Fake timers move on in steps of a second, at most so many: longer ones in a longer time. In a delay it is the number for what is left. */
const MAX_STEPS = 600

/** The time after which the `fetch` of Node gives up without an answer. */
const MAX_WAIT_MS = 300_000

interface Waiting {
  /** In milliseconds of all delays so far. */
  readonly due: number
  readonly session: Session
  deadlines: readonly Deadline[]
  end(): void
  fail(error: unknown): void
}

interface Deadline {
  readonly due: number
  abort(): void
}

/**
 * Creates the delays of a mock. The clock of a session moves by each delay, a running one by its speed. Replies that wait at the same
 * time arrive in the order of their delays, and the clock moves by the longest of them only.
 * @param timers fake timers of a test, which move with the clock
 */
export function createVirtualDelays(
  mock: Pick<Mock, 'realTime'>,
  timers: FakeTimers | undefined,
): (signal: AbortSignal | undefined) => Delays {
  observeTimeouts()
  const moveTimers = timers === undefined ? undefined : moverOf(timers)
  /** Milliseconds of all delays so far. */
  let elapsed = 0
  const waiting = new Set<Waiting>()
  /** When each timeout of a caller was first given to a request. */
  const started = new WeakMap<Timeout, number>()
  let isRunning = false

  const moveTo = async (due: number): Promise<void> => {
    // Time does not go back to a deadline that was over before its request.
    if (due <= elapsed) return
    const ms = due - elapsed
    elapsed = due
    for (const session of new Set([...waiting].map(one => one.session))) moveClock(session, ms, mock.realTime())
    await moveTimers?.(ms)
  }
  const run = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    try {
      // The caller has a turn first: requests that it sends together wait together.
      for (await turn(); waiting.size > 0; await turn()) await step()
    } catch (error) {
      // The end of all time, or an error of a timer of the caller.
      for (const one of waiting) one.fail(error)
    } finally {
      isRunning = false
    }
  }
  /** Moves on to the next end of a delay, or a part of the way if fake timers have far to go. */
  const step = async (): Promise<void> => {
    const next = [...waiting].flatMap(one => [one, ...one.deadlines]).reduce((a, b) => (b.due < a.due ? b : a))
    const part = Math.max(1000, (next.due - elapsed) / MAX_STEPS)
    const isWhole = moveTimers === undefined || next.due - elapsed <= part
    await moveTo(isWhole ? next.due : elapsed + part)
    if (!isWhole) return
    if ('end' in next) return next.end()
    next.abort()
    for (const one of waiting) one.deadlines = one.deadlines.filter(other => other !== next)
  }

  return given => {
    const deadlines = timeoutsOf(given).map(timeout => {
      if (!started.has(timeout)) started.set(timeout, elapsed)
      // One that began with an earlier request may be over.
      else if (started.get(timeout)! + timeout.ms <= elapsed) timeout.abort()
      return { due: started.get(timeout)! + timeout.ms, abort: timeout.abort }
    })
    return session => (ms, signal, released) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        const settle = (how: () => void): void => {
          waiting.delete(one)
          signal.removeEventListener('abort', abort)
          how()
        }
        const fail = (error: unknown): void => settle(() => reject(error))
        const abort = (): void => fail(signal.reason)
        const end = (): void => settle(() => (ms === undefined ? reject(headersTimeout()) : resolve()))
        const one: Waiting = { due: elapsed + (ms ?? MAX_WAIT_MS), session, deadlines, end, fail }
        waiting.add(one)
        signal.addEventListener('abort', abort, { once: true })
        // Nothing moves the clock of a session that has ended: silence goes on, and a reply comes.
        const release = (): void => (ms === undefined ? void waiting.delete(one) : end())
        released?.addEventListener('abort', release, { once: true })
        void run()
      })
  }
}

const headersTimeout = (): TypeError =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' }),
  })

/** The caller runs on until it waits for something else than promises. */
const turn = (): Promise<unknown> =>
  new Promise(resolve => (setImmediate === undefined ? setTimeout(resolve, 0) : setImmediate(resolve)))

/** Moves the clock of a session on by real milliseconds, a frozen one as if its speed were 1. */
function moveClock(session: Session, ms: number, realMs: number): void {
  session.run(({ setup, counters }) => {
    const { clock } = counters
    const advance = (ms / 1000) * (clock.frozen ? 1 : clock.speed)
    return { record: { setup, counters: { ...counters, clock: changeClock(clock, { advance }, realMs) } } }
  })
}

/** A signal made by `AbortSignal.timeout`. */
interface Timeout {
  readonly ms: number
  /** Aborts the signal as its time would. */
  abort(): void
}

const timeouts = new WeakMap<AbortSignal, readonly Timeout[]>()
const timeoutsOf = (signal: AbortSignal | undefined): readonly Timeout[] => (signal && timeouts.get(signal)) ?? []

/** The classes whose signals are known. A test environment can bring its own. */
const observed = new WeakSet<typeof AbortSignal>()

/** From now on, `AbortSignal.timeout` and `any` of the process remember their times. Their signals abort in real time as before. */
function observeTimeouts(): void {
  const { AbortSignal } = globalThis
  if (observed.has(AbortSignal)) return
  observed.add(AbortSignal)
  const [timeout, any] = [AbortSignal.timeout, AbortSignal.any]
  AbortSignal.timeout = ms => {
    const early = new AbortController()
    const { signal } = early
    // A listener keeps the timeout of the platform: Node 20 lets go of one that only `any` depends on, and nothing would abort.
    const real = timeout.call(AbortSignal, ms)
    real.addEventListener('abort', () => early.abort(real.reason), { once: true })
    const reason = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    timeouts.set(signal, [{ ms, abort: () => early.abort(reason()) }])
    return signal
  }
  AbortSignal.any = signals => {
    const all = [...signals]
    const signal = any.call(AbortSignal, all)
    timeouts.set(signal, all.flatMap(timeoutsOf))
    return signal
  }
}

/** Fake timers of a test: `vi` of Vitest, `jest`, also that of bun, a clock of sinon, or `mock.timers` of node:test. */
export type FakeTimers =
  | { advanceTimersByTimeAsync(ms: number): Promise<unknown> }
  | { advanceTimersByTime(ms: number): unknown }
  | { tickAsync(ms: number): Promise<unknown> }
  | { tick(ms: number): unknown }

/** The kinds, for messages. */
export const WANT_TIMERS = 'vi of vitest, jest, a clock of sinon.useFakeTimers(), or mock.timers of node:test'

/** The function that moves timers on by milliseconds; undefined for a value that is no fake timers. */
export function moverOf(timers: unknown): ((ms: number) => unknown) | undefined {
  for (const name of ['advanceTimersByTimeAsync', 'advanceTimersByTime', 'tickAsync', 'tick']) {
    const move = (timers as Record<string, unknown> | null)?.[name]
    if (typeof move === 'function') return ms => move.call(timers, ms)
  }
  return undefined
}

/**
 * Moves a clock and timers on in steps of a second, longer ones for more than 600 seconds. A timer finds the clock at its own second.
 * @param advance moves the clock on by seconds
 * @throws PriceFeedMockError OPTIONS_INVALID for other timers, or a time that is not above 0
 */
export async function advanceWithTimers(
  advance: (seconds: number) => Promise<void>,
  by: string | number,
  timers: FakeTimers,
): Promise<void> {
  const move = moverOf(timers)
  if (move === undefined) throw invalid('timers', timers, WANT_TIMERS)
  const seconds = typeof by === 'number' ? by : (parseDuration(by)?.seconds ?? Number.NaN)
  if (!(seconds > 0) || seconds === Number.POSITIVE_INFINITY)
    throw invalid('by', by, 'a duration above 0, such as "1m", or seconds: timers do not go back')
  // Timers that are not faked refuse this, while the clock has not moved yet.
  await move(0)
  const steps = Math.min(Math.ceil(seconds), MAX_STEPS)
  /** Milliseconds until the end of a step. */
  const endOf = (step: number): number => Math.round(Math.min(seconds, (step * Math.ceil(seconds)) / steps) * 1000)
  for (let step = 1; step <= steps; step++) {
    const ms = endOf(step) - endOf(step - 1)
    await advance(ms / 1000)
    await move(ms)
    // The requests of timers are sent before the clock moves again.
    await turn()
  }
}

function invalid(at: string, got: unknown, want: string): PriceFeedMockError {
  return wrongValue('OPTIONS_INVALID', 'clock.advance(by, { timers }) has a problem.', { at, got, want })
}
