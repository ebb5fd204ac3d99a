// Fake timers of a test: their kinds, and how they move on in step with the clock of a session.
import { PriceFeedMockError } from '../errors.js'
import { parseDuration } from '../settings/time.js'
import { setImmediate } from './real-time.js'

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

/** The longest time that needs no longer steps than a second has so many seconds. */
const MAX_STEPS = 600

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
    await new Promise(setImmediate)
  }
}

function invalid(at: string, got: unknown, want: string): PriceFeedMockError {
  return new PriceFeedMockError('OPTIONS_INVALID', 'clock.advance(by, { timers }) has a problem.', {
    problems: [{ at, got, want }],
  })
}
