// Before anything else is loaded in the page: timers that tell how long they were to wait, and are over at once. The mock keeps those
// that it finds when it is loaded; everybody else gets the real ones back.
const { setTimeout: realTimer } = globalThis

/** Milliseconds that the mock wanted to wait, in order. */
export const waits: number[] = []

globalThis.setTimeout = ((callback: () => void, ms: number) => {
  waits.push(ms)
  return realTimer(callback, 0)
}) as typeof setTimeout

export function restoreTimers(): void {
  globalThis.setTimeout = realTimer
}
