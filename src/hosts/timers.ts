// Real timers, saved when the mock is loaded, so that fake timers of a test cannot stop a delay.

const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** Calls back after `ms` real milliseconds. Returns a function that cancels the call. */
export function after(ms: number, callback: () => void): () => void {
  const timer = startTimer(callback, ms)
  return () => stopTimer(timer)
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
