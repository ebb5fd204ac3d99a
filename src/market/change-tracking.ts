// Who has changed an answer: a path beside the one below it, and a note of every answer in which they differ.
import type { Extremes, Hole, PricePath } from './path.js'

/** A path that is watched, and the same path without anybody looking. */
interface Tracked extends PricePath {
  readonly untracked: PricePath
}

/** The path without anybody looking: what is only looked up on the way to an answer is not told. */
export function untracked(path: PricePath): PricePath {
  return 'untracked' in path ? (path as Tracked).untracked : path
}

/** A path made of the one below it; what that one answers is handed over where it is known. */
export interface Layer extends PricePath {
  at(tick: number, below?: number): number
  lastTick(second: number, below?: number): number | undefined
  nextTick(second: number, below?: number): number | undefined
  extremes(from: number, to: number, below?: Extremes): Extremes | undefined
}

/**
 * Answers as `layer` does.
 * @param below the path below, which may be watched, too; it is asked the same
 * @param layer made of what is below, untracked; what it does not change are the very functions of that
 * @param markApplied told when an answer is another than that of `below`
 */
export function trackChanges(below: PricePath, layer: Layer, markApplied: () => void): PricePath {
  const base = untracked(below)
  const told = <T>(was: T, is: T, same: (a: T, b: T) => boolean = Object.is): T => {
    if (!same(was, is)) markApplied()
    return is
  }
  /** A look-up of one number, which is made once for all layers. */
  const lookUp = <T extends number | undefined>(
    ask: (second: number) => T,
    change: (second: number, below?: number) => T,
  ): ((second: number) => T) => {
    return second => {
      const was = ask(second)
      return told(was, change(second, was))
    }
  }
  const path: Tracked = {
    untracked: layer,
    at: layer.at === base.at ? below.at : lookUp(below.at, layer.at),
    lastTick: layer.lastTick === base.lastTick ? below.lastTick : lookUp(below.lastTick, layer.lastTick),
    nextTick: layer.nextTick === base.nextTick ? below.nextTick : lookUp(below.nextTick, layer.nextTick),
    holes:
      layer.holes === base.holes
        ? below.holes
        : (from, to) => told(below.holes(from, to), layer.holes(from, to), sameHoles),
    extremes(from, to) {
      const was = below.extremes(from, to)
      return told(was, layer.extremes(from, to, was), sameExtremes)
    },
  }
  return path
}

const sameHoles = (a: readonly Hole[], b: readonly Hole[]): boolean =>
  a.length === b.length && a.every((hole, i) => hole.from === b[i]!.from && hole.to === b[i]!.to)

function sameExtremes(a: Extremes | undefined, b: Extremes | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return (
    a.high.price === b.high.price && a.high.ts === b.high.ts && a.low.price === b.low.price && a.low.ts === b.low.ts
  )
}
