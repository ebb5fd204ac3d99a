// A path without the ticks of some windows: a publisher falls silent, or a feed disappears.
import { type Layer, trackChanges, untracked } from './change-tracking.js'
import { memoize } from './memoize.js'
import type { Extremes, Hole, PricePath, TickPrice } from './path.js'
import { type BoundedPath, boundsOf, type Part, searchExtremes } from './search.js'
import { firstBetween, type Window, type Windows } from './windows.js'

/** The number of seconds whose ticks are cached. */
const MAX_CACHED_TICKS = 256

/**
 * Wraps a path and removes the ticks inside the windows.
 * @param silence `carry`: the last price stays in force; `hole`: there is no price until the next tick
 * @param markApplied called when an answer differs from that of the path
 */
export function withoutTicks(
  path: PricePath,
  windows: Windows,
  silence: 'carry' | 'hole',
  markApplied: () => void = () => {},
): PricePath {
  return trackChanges(path, without(untracked(path), windows, silence), markApplied)
}

function without(path: PricePath, windows: Windows, silence: 'carry' | 'hole'): BoundedPath & Layer {
  /** The window that ends the price of a tick before or at `second`. */
  const holeBetween = (tick: number, second: number): Window | undefined =>
    silence === 'hole' ? firstBetween(windows, tick, second) : undefined

  const lastTick = memoize(MAX_CACHED_TICKS, (second: number, below: number | undefined = path.lastTick(second)) => {
    let tick = below
    while (tick !== undefined) {
      if (holeBetween(tick, second)) return undefined
      const window = windows.at(tick)
      if (window === undefined) return tick
      // A price that a layer below has removed in the meantime returns only with a tick.
      if (path.holes(window.from, tick).length > 0) return undefined
      tick = path.lastTick(window.from - 1)
    }
    return undefined
  })
  const nextTick = memoize(MAX_CACHED_TICKS, (second: number, below: number | undefined = path.nextTick(second)) => {
    let tick = below
    while (tick !== undefined) {
      const window = windows.at(tick)
      if (window === undefined) return tick
      tick = window.until === Number.POSITIVE_INFINITY ? undefined : path.nextTick(window.until)
    }
    return undefined
  })

  /** The part `from … to`, or none if it has no ticks. Windows are cut out on demand, since most contain no extreme. */
  const partsOf = (from: number, to: number): Part[] => {
    const first = from <= to ? nextTick(from) : undefined
    const base = first !== undefined && first <= to ? boundsOf(path, from, to) : undefined
    if (base === undefined) return []
    const kept = ({ price, ts }: TickPrice): TickPrice => ({ price, ts: windows.at(ts) === undefined ? ts : first! })
    const split = (): Part[] => {
      const middle = Math.floor((from + to) / 2)
      const window = firstBetween(windows, middle, to)
      return window === undefined
        ? [...partsOf(from, middle), ...partsOf(middle + 1, to)]
        : [
            ...partsOf(from, Math.min(middle, window.from) - 1),
            ...partsOf(middle, window.from - 1),
            ...partsOf(window.until, to),
          ]
    }
    return [{ from, to, bounds: { high: kept(base.high), low: kept(base.low) }, split }]
  }

  return {
    at: path.at,
    lastTick,
    nextTick,
    extremes: (from, to, below: Extremes | undefined = path.extremes(from, to)) =>
      searchExtremes(partsOf(from, to), path.at, below, tick => windows.at(tick) === undefined),
    bounds: (from, to) => partsOf(from, to)[0]?.bounds,
    holes(from, to) {
      // A hole can start only where one starts on the path, or at the start of a window.
      const starts = [from, ...path.holes(from, to).map(hole => hole.from)]
      if (silence === 'hole') for (const window of windows.between(from, to)) starts.push(window.from)
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
