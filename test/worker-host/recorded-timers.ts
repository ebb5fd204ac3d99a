// Loaded first in the page: timers that record their delay and fire at once. The mock keeps the timers that it finds when it is
// loaded; all other code gets the real ones back. With `#real-timers` behind the address of the page they wait.
const { setTimeout: realTimer, location } = globalThis as typeof globalThis & {
  readonly location: { readonly hash: string }
}

/** Delays of the mock in milliseconds, in order. */
export const waits: number[] = []

globalThis.setTimeout = ((callback: () => void, ms: number) => {
  waits.push(ms)
  return realTimer(callback, location.hash === '#real-timers' ? ms : 0)
}) as typeof setTimeout

export function restoreTimers(): void {
  globalThis.setTimeout = realTimer
}
