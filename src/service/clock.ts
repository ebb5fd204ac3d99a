// The virtual clock of a world, as data: it is told the real time and never reads one.

import type { ClockSettings } from '../settings/settings.js'
import { LATEST } from '../settings/time.js'

/** A clock: virtual time stood at `virtualMs` when real time stood at `realMs`, and runs `speed` times as fast unless frozen. */
export interface Clock {
  readonly virtualMs: number
  readonly realMs: number
  readonly speed: number
  readonly frozen: boolean
}

/** Starts a clock at real time `realMs` (milliseconds since the epoch). */
export function startClock({ at, speed, frozen }: ClockSettings, realMs: number): Clock {
  return { virtualMs: at ?? realMs, realMs, speed, frozen }
}

/** Virtual milliseconds since the epoch at real time `realMs`. A clock that reaches the end of 2105 stays there. */
export function readClock({ virtualMs, realMs: since, speed, frozen }: Clock, realMs: number): number {
  if (frozen) return virtualMs
  return Math.max(0, Math.min(virtualMs + (realMs - since) * speed, LATEST * 1000 + 999))
}
