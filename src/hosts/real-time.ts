// Real time and timers, saved when the mock is loaded: a test that fakes them later neither moves a clock nor stops a wait.
import { PriceFeedMockError } from '../errors.js'

// In the edge runtime of Next it has no `argv`, and functions that throw.
const { process } = globalThis as { readonly process?: Partial<NodeJS.Process> }

/** Loads a module of Node, whose name needs no `node:`. Undefined in a browser and in edge runtimes. */
export const load: NodeJS.Process['getBuiltinModule'] | undefined = process?.argv && process.getBuiltinModule

/** Real timers. Node's module has them also where the globals are fake from the start, as in Jest with `enableGlobally`. */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = load?.('timers') ?? globalThis

/** The longest time of a timer: a longer one ends at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

const isReal = /native code/.test(Function.toString.call(Date.now))

/** Real milliseconds since the epoch. Where `Date` is fake from the start, those of a new realm. */
export const realTime: () => number = isReal || !load ? Date.now : load('vm').runInNewContext('Date.now')

const { performance } = load?.('perf_hooks') ?? globalThis

/** Real milliseconds since some time, for durations. */
export const monotonicMs: () => number = performance.now.bind(performance)

/**
 * Checks that streams of Node go on. Without this check, calls over a socket would wait for ever.
 * @throws PriceFeedMockError TIMERS_FAKED
 */
export async function assertTicks(): Promise<void> {
  let hasTicked = false
  // A stream, since some runners give a test another `process` than Node's.
  ;new (load!('node:stream').Readable)().once('close', () => (hasTicked = true)).destroy()
  // Node's own ticks come before.
  await new Promise(setImmediate)
  if (hasTicked) return
  throw new PriceFeedMockError('TIMERS_FAKED', 'The sockets of Node stand still, because process.nextTick is fake.', {
    fix: `sinon.useFakeTimers({ toFake: [${FAKED}] }), or the same with vi`,
    note: 'a mock in process, openPriceFeed() without server and url, works with all timers fake',
    docs: 'price-feed-mock/docs/runners.md',
  })
}

const FAKED = "'Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'"

/** Calls back after `ms` real milliseconds, or after the longest time of a timer. Returns a function that cancels the call. */
export function after(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(ms, MAX_TIMER_MS))
  return () => clearTimeout(timer)
}

/**
 * Resolves after `ms` real milliseconds, undefined is never, or rejects with the reason of the signal if that aborts first.
 * @param released keeps the process alive no longer once it aborts
 */
export function wait(ms: number | undefined, signal?: AbortSignal, released?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const end = (): void => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }
    // For ever, it keeps the process alive, as an open socket would. The timer of `AbortSignal.timeout` does not.
    const timer = ms === undefined ? setInterval(() => {}, MAX_TIMER_MS) : setTimeout(end, ms)
    signal?.addEventListener('abort', abort)
    // In a browser, a timer is a number.
    released?.addEventListener('abort', () => (ms === undefined ? clearTimeout(timer) : timer.unref?.()))
  })
}
