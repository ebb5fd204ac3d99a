// The virtual clock of a session, as data. Callers pass the real time in.
import { wrongValue } from '../errors.js'
import type { ClockChange, ClockSettings } from '../settings/settings.js'
import { EARLIEST, LATEST, toInstant } from '../settings/time.js'
import type { Counters } from './record.js'

/** A clock. Virtual time was `virtualMs` at real time `realMs`, and runs `speed` times as fast unless frozen. */
export type Clock = Counters['clock']

/** Starts a clock at real time `realMs` (milliseconds since the epoch). */
export function startClock({ at, speed, frozen }: ClockSettings, realMs: number): Clock {
  return { virtualMs: at ?? realMs, realMs, speed, frozen }
}

/** Virtual milliseconds since the epoch at real time `realMs`. A clock that reaches the end of 2105 stays there. */
export function readClock({ virtualMs, realMs: since, speed, frozen }: Clock, realMs: number): number {
  if (frozen) return virtualMs
  return Math.max(0, Math.min(virtualMs + (realMs - since) * speed, LATEST * 1000 + 999))
}

/**
 * Changes a clock at real time `realMs`: sets it, then advances it, then changes speed and freezing.
 * @throws PriceFeedMockError CLOCK_OUT_OF_RANGE if it would leave 1970 to 2105
 */
export function changeClock(clock: Clock, { at, advance = 0, speed, frozen }: ClockChange, realMs: number): Clock {
  const virtualMs = (at ?? readClock(clock, realMs)) + advance * 1000
  if (virtualMs < EARLIEST * 1000 || virtualMs >= (LATEST + 1) * 1000) {
    const want = `seconds from ${EARLIEST} to ${LATEST}, ${toInstant(0)} to ${toInstant(LATEST * 1000)}`
    const problem = { at: 'clock', got: virtualMs / 1000, want }
    throw wrongValue('CLOCK_OUT_OF_RANGE', 'The clock would leave the supported years.', problem)
  }
  return { virtualMs, realMs, speed: speed ?? clock.speed, frozen: frozen ?? clock.frozen }
}
