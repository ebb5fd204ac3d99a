// A path without the ticks of some windows: a publisher that falls silent, or a feed that is gone.
import type { Extremes, Hole, PricePath } from './path.js'
import { type BoundedPath, boundsOf, merge } from './repriced.js'
import { unwatched, watched } from './watched.js'
import type { Window, Windows } from './windows.js'

/**
 * Wraps a path. Inside the windows there are no ticks.
 * @param silence `carry`: the last price stays in force; `hole`: there is no price until the next tick
 * @param touch told when an answer is another than that of the path
 */
export function withoutTicks(
  path: PricePath,
  windows: Windows,
  silence: 'carry' | 'hole',
  touch: () => void = () => {},
): PricePath {
  return watched(path, without(unwatched(path), windows, silence), touch)
}

function without(path: PricePath, windows: Windows, silence: 'carry' | 'hole'): BoundedPath {
  /** The window that makes the price of a tick void at `second`. */
  const holeBetween = (tick: number, second: number): Window | undefined =>
    silence === 'hole' ? windows.between(tick, second)[0] : undefined

  const lastTick = remembering((second, below = path.lastTick(second)) => {
    let tick = below
    while (tick !== undefined) {
      if (holeBetween(tick, second)) return undefined
      const window = windows.at(tick)
      if (window === undefined) return tick
      // A price that went in the meantime does not come back without a tick.
      if (path.holes(window.from, tick).length > 0) return undefined
      tick = path.lastTick(window.from - 1)
    }
    return undefined
  })
  const nextTick = remembering((second, below = path.nextTick(second)) => {
    let tick = below
    while (tick !== undefined) {
      const window = windows.at(tick)
      if (window === undefined) return tick
      tick = window.until === Number.POSITIVE_INFINITY ? undefined : path.nextTick(window.until)
    }
    return undefined
  })

  /** What `of` finds outside of the windows. */
  const outside = (of: (from: number, to: number) => Extremes | undefined, from: number, to: number) => {
    let found: Extremes | undefined
    let start = from
    for (const window of windows.between(from, to)) {
      if (window.from > start) found = merge(found, of(start, window.from - 1))
      start = window.until
    }
    return start <= to ? merge(found, of(start, to)) : found
  }

  return {
    at: path.at,
    lastTick,
    nextTick,
    extremes: (from, to) => outside(path.extremes, from, to),
    bounds: (from, to) => outside((a, b) => boundsOf(path, a, b), from, to),
    holes(from, to) {
      // A price can only go where it goes in the path, or where a window begins.
      const starts = [from, ...path.holes(from, to).map(hole => hole.from)]
      if (silence === 'hole') starts.push(...windows.between(from, to).map(window => window.from))
      const holes: Hole[] = []
      let covered = from - 1
      for (const start of starts.sort((a, b) => a - b)) {
        if (start <= covered || lastTick(start) !== undefined) continue
        covered = Math.min(to, (nextTick(start) ?? Number.POSITIVE_INFINITY) - 1)
        holes.push({ from: start, to: covered })
      }
      return holes
    },
  }
}

/** Seconds whose tick is remembered. */
const REMEMBERED = 256

/** A look-up that remembers its latest answers: each of many layers asks the one below it about the same few seconds. */
function remembering(
  lookUp: (second: number, below?: number) => number | undefined,
): (second: number, below?: number) => number | undefined {
  const known = new Map<number, number | undefined>()
  return (second, below) => {
    if (known.has(second)) return known.get(second)
    const tick = lookUp(second, below)
    if (known.size === REMEMBERED) known.clear()
    known.set(second, tick)
    return tick
  }
}
