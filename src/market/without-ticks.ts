// A path without the ticks of some windows: a publisher falls silent, or a feed disappears.
import { memoize } from '../caches.js'
import type { Extremes, PricePath, TickPrice } from './path.js'
import { type Layer, trackChanges, untracked } from './path.js'
import { type ChangeBounds, changeParts, type PartedPath, searchExtremes } from './search.js'
import { commonCycle, EVER, type Window, type Windows } from './windows.js'

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

function without(path: PricePath, windows: Windows, silence: 'carry' | 'hole'): PartedPath & Layer {
  const isHole = silence === 'hole'
  const cycle = commonCycle(path.cycle, windows.cycle)
  const isLeft = (tick: number): boolean => windows.at(tick) === undefined
  /** Whether a window ends the price of a tick before or at `second`. */
  const hasEnded = (tick: number, second: number): boolean => isHole && windows.first(tick, second) !== undefined

  const searchBack = memoize(MAX_CACHED_TICKS, (second: number, below: number | undefined = path.lastTick(second)) => {
    let tick = below
    while (tick !== undefined) {
      if (hasEnded(tick, second)) return undefined
      const window = windows.at(tick)
      if (window === undefined) return tick
      // A price that a layer below has removed in the meantime returns only with a tick.
      if (path.holes(window.from, tick).length > 0) return undefined
      let { from } = window
      // A whole cycle without a tick: there is none since its first. The first may begin without a price, unlike the others.
      if (cycle && below! < cycle.until && from > cycle.from && below! - from >= cycle.seconds) {
        if (path.holes(cycle.from, Math.min(from, cycle.from + cycle.seconds)).length > 0) return undefined
        from = cycle.from
      }
      tick = path.lastTick(from - 1)
    }
    return undefined
  })
  /** Most ticks are outside of all windows: then nothing is searched or cached. */
  const lastTick = (second: number, below?: number): number | undefined =>
    below !== undefined && isLeft(below) && !hasEnded(below, second) ? below : searchBack(second, below)
  const nextTick = memoize(MAX_CACHED_TICKS, (second: number, below: number | undefined = path.nextTick(second)) => {
    let tick = below
    while (tick !== undefined) {
      const window = windows.at(tick)
      if (window === undefined) return tick
      let { until } = window
      // A whole cycle without a tick: there is none until the last.
      if (cycle && below! >= cycle.from && until - below! >= cycle.seconds) until = Math.max(until, cycle.until)
      tick = until === EVER ? undefined : path.nextTick(until)
    }
    return undefined
  })

  /** The start of the first window that begins in `second … to`; infinite if there is none. */
  const nextStart = (second: number, to: number): number => {
    for (const { from } of windows.between(second, to)) if (from >= second) return from
    return EVER
  }

  /** The same bounds, as long as a tick may be left. */
  const change: ChangeBounds = (from, to, low, high) => {
    const window = windows.at(from)
    return window !== undefined && window.until > to ? undefined : [low, high]
  }
  const parted = changeParts(path, change)

  return {
    cycle,
    at: path.at,
    lastTick,
    nextTick,
    ...parted,
    extremes(from, to, anyTick, below: Extremes | undefined = path.extremes(from, to, anyTick)) {
      if (below === undefined || (isLeft(below.high.ts) && isLeft(below.low.ts))) return below
      const at = ({ ts, price }: TickPrice) => (isLeft(ts) ? price : undefined)
      return searchExtremes(parted, [from, to], { extremes: below, at }, anyTick)
    },
    holes(from, to, below: readonly Window[] = path.holes(from, to)) {
      const tick = path.lastTick(from)
      if (tick !== undefined && windows.first(tick, to) === undefined) return below
      const holes: Window[] = []
      let i = 0
      for (let start = from; start <= to; ) {
        let until = start + 1
        if (lastTick(start) === undefined) {
          until = Math.min(to + 1, nextTick(start) ?? EVER)
          holes.push({ from: start, until })
        }
        // A hole can start only where one starts on the path, or at the start of a window.
        while (i < below.length && below[i]!.from < until) i++
        start = Math.min(below[i]?.from ?? EVER, isHole ? nextStart(until, to) : EVER)
      }
      return holes
    },
  }
}
