// Delays in real time, which fake timers of a test cannot stop.
import { clearTimeout, setTimeout } from './real-time.js'

/** Calls back after `ms` real milliseconds. Returns a function that cancels the call. */
export function after(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

/** Resolves after `ms` real milliseconds, or rejects with the reason of the signal if that aborts first. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = (): void => {
      cancel()
      reject(signal!.reason)
    }
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}
