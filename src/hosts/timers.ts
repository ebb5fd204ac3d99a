// The timers of the platform, taken when the mock is loaded: fake timers of a test cannot freeze what waits by them.

const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** Calls back after real milliseconds, whatever a test has done to the clock since. Returns what calls it off. */
export function after(ms: number, callback: () => void): () => void {
  const timer = startTimer(callback, ms)
  return () => stopTimer(timer)
}

/** Resolves after real milliseconds; rejects with the reason of the signal when that aborts first. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = (): void => {
      callOff()
      reject(signal!.reason)
    }
    const callOff = after(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}
