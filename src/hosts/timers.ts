// Delays in real time, which fake timers of a test cannot stop.
import { clearTimeout, setTimeout } from './real-time.js'

/** Calls back after `ms` real milliseconds. Returns a function that cancels the call. */
export function after(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

/**
 * Resolves after `ms` real milliseconds, or rejects with the reason of the signal if that aborts first.
 * @param released keeps the process alive no longer once it aborts
 */
export function wait(ms: number, signal?: AbortSignal, released?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
    // In a browser, a timer is a number.
    released?.addEventListener('abort', () => timer.unref?.(), { once: true })
  })
}
