// Delays in real time, which fake timers of a test cannot stop.
import { clearTimeout, MAX_TIMER_MS, setInterval, setTimeout } from './real-time.js'

/** Calls back after `ms` real milliseconds. Returns a function that cancels the call. */
export function after(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
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
    signal?.addEventListener('abort', abort, { once: true })
    // In a browser, a timer is a number.
    const letGo = (): void => void (ms === undefined ? clearTimeout(timer) : timer.unref?.())
    released?.addEventListener('abort', letGo, { once: true })
  })
}
