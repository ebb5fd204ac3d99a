// Moves the fake timers of a test in step with the clock of a session.
import { PriceFeedMockError } from '../errors.js'
import { type FakeTimers, moverOf, WANT_TIMERS } from '../hosts/fake-timers.js'
import { setImmediate } from '../hosts/real-time.js'
import { parseDuration } from '../settings/time.js'

export type { FakeTimers }

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
    problems: [{ at, got: typeof got === 'object' ? typeof got : got, want }],
  })
}
