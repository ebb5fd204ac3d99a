// The price path, on which the market rests. It knows ticks and their prices, but not the present: callers clamp to the horizon.
// Change tracking compares every answer of a layer with that of the path below, and reports a difference.
import type { Cycle, Window } from './windows.js'

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

/** The answer of a path without holes. */
export const NO_HOLES: readonly Window[] = []

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
  holes(from: number, to: number): readonly Window[]
}

/** The path without change tracking, for internal look-ups that must not mark a fault as applied. */
export const untracked = (path: PricePath): PricePath => ('untracked' in path ? (path.untracked as PricePath) : path)

/** A path on top of another one. `below` is the other one's answer, passed in when it is known, to save a second look-up. */
export interface Layer extends PricePath {
  at(tick: number, below?: number): number
  lastTick(second: number, below?: number): number | undefined
  nextTick(second: number, below?: number): number | undefined
  holes(from: number, to: number, below?: readonly Window[]): readonly Window[]
  extremes(from: number, to: number, anyTick?: boolean, below?: Extremes): Extremes | undefined
}

/**
 * Adds change tracking to a layer.
 * @param below the path below, tracked or not; it is asked the same questions, so that its own tracking works
 * @param layer built on the untracked path below; it reuses the functions of that path that it does not change
 * @param markApplied called when an answer differs from that of `below`
 */
export function trackChanges(below: PricePath, layer: Layer, markApplied: () => void): PricePath {
  const base = untracked(below)
  const report = <T>(was: T, is: T, same: (a: T, b: T) => boolean = Object.is): T => {
    if (!same(was, is)) markApplied()
    return is
  }
  /** Wraps a look-up of one number. The answer below is looked up once and passed to the layer. */
  const lookUp = <T extends number | undefined>(
    ask: (second: number) => T,
    change: (second: number, below?: number) => T,
  ): ((second: number) => T) => {
    return second => {
      const was = ask(second)
      return report(was, change(second, was))
    }
  }
  const path: PricePath & { readonly untracked: PricePath } = {
    untracked: layer,
    at: layer.at === base.at ? below.at : lookUp(below.at, layer.at),
    lastTick: layer.lastTick === base.lastTick ? below.lastTick : lookUp(below.lastTick, layer.lastTick),
    nextTick: layer.nextTick === base.nextTick ? below.nextTick : lookUp(below.nextTick, layer.nextTick),
    holes:
      layer.holes === base.holes
        ? below.holes
        : (from, to) => {
            const was = below.holes(from, to)
            return report(was, layer.holes(from, to, was), sameHoles)
          },
    extremes(from, to, anyTick) {
      const was = below.extremes(from, to, anyTick)
      const same = anyTick ? samePrices : sameExtremes
      return report(was, layer.extremes(from, to, anyTick, was), same)
    },
  }
  return path
}

const sameHoles = (a: readonly Window[], b: readonly Window[]): boolean =>
  a.length === b.length && a.every((hole, i) => hole.from === b[i]!.from && hole.until === b[i]!.until)

const sameExtremes = (a: Extremes | undefined, b: Extremes | undefined): boolean =>
  samePrices(a, b) && a?.high.ts === b?.high.ts && a?.low.ts === b?.low.ts

function samePrices(a: Extremes | undefined, b: Extremes | undefined): boolean {
  return a?.high.price === b?.high.price && a?.low.price === b?.low.price
}
