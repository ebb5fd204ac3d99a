// The price path, on which the market rests. It knows ticks and their prices, but not the present: callers clamp to the horizon.
import type { Cycle } from './windows.js'

/** A price at the second it occurred. `price` is in units of 10^expo of the feed, `ts` in seconds since the epoch. */
export interface TickPrice {
  readonly price: number
  readonly ts: number
}

/** The highest and the lowest tick of a window; of equally extreme ticks the earliest. */
export interface Extremes {
  readonly high: TickPrice
  readonly low: TickPrice
}

/** Seconds from `from` to `to`, both included, in which a feed has no price at all. */
export interface Hole {
  readonly from: number
  readonly to: number
}

/** The answer of a path without holes. */
export const NO_HOLES: readonly Hole[] = []

/**
 * A price as a function of time. The walk is a path; a market fault wraps a path and returns a path.
 * Every method is pure: the same arguments give the same answer, whatever was asked before.
 */
export interface PricePath {
  /** The time in which its ticks repeat; undefined if they do not. */
  readonly cycle?: Cycle | undefined
  /** Marks a path whose `extremes` are much faster than a search of its parts. */
  readonly hasFastSearch?: true
  /** The price at the second of a tick, in units of 10^expo. */
  at(tick: number): number
  /**
   * The extremes of the ticks in `from … to`, both included (seconds), or undefined when there is none.
   * @param anyTick whether any of the ticks with an extreme price will do, not only the earliest; this is faster
   */
  extremes(from: number, to: number, anyTick?: boolean): Extremes | undefined
  /** The second of the tick whose price is in force at `second`: the latest one so far. Undefined when there is no price. */
  lastTick(second: number): number | undefined
  /** The second of the first tick at or after `second`, or undefined when there is none. */
  nextTick(second: number): number | undefined
  /** The parts of `from … to` (seconds, both included) without a price in force, in order. */
  holes(from: number, to: number): readonly Hole[]
}
