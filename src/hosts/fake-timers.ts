// Fake timers of a test: their kinds, and how each is moved on.

/** Fake timers of a test: `vi` of Vitest, `jest`, a clock of sinon, or `mock.timers` of node:test. */
export type FakeTimers =
  | { advanceTimersByTimeAsync(ms: number): Promise<unknown> }
  | { tickAsync(ms: number): Promise<unknown> }
  | { tick(ms: number): unknown }

/** The kinds, for messages. */
export const WANT_TIMERS = 'vi of vitest, jest, a clock of sinon.useFakeTimers(), or mock.timers of node:test'

/** The function that moves timers on by milliseconds; undefined for a value that is no fake timers. */
export function moverOf(timers: unknown): ((ms: number) => unknown) | undefined {
  for (const name of ['advanceTimersByTimeAsync', 'tickAsync', 'tick']) {
    const move = (timers as Record<string, unknown> | null)?.[name]
    if (typeof move === 'function') return ms => move.call(timers, ms)
  }
  return undefined
}
