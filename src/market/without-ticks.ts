// A path without the ticks of some windows: a publisher that falls silent, or a feed that is gone.
import type { Extremes, Hole, PricePath } from './path.js'
import { merge } from './repriced.js'
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
  /** The window that makes the price of a tick void at `second`. */
  const holeBetween = (tick: number, second: number): Window | undefined =>
    silence === 'hole' ? windows.between(tick, second)[0] : undefined

  const lastTick = (second: number): number | undefined => {
    let tick = path.lastTick(second)
    while (tick !== undefined) {
      if (holeBetween(tick, second)) break
      const window = windows.at(tick)
      if (window === undefined) return tick
      touch()
      tick = path.lastTick(window.from - 1)
    }
    if (tick !== undefined) touch()
    return undefined
  }
  const nextTick = (second: number): number | undefined => {
    let tick = path.nextTick(second)
    while (tick !== undefined) {
      const window = windows.at(tick)
      if (window === undefined) return tick
      touch()
      tick = window.until === Number.POSITIVE_INFINITY ? undefined : path.nextTick(window.until)
    }
    return undefined
  }

  return {
    at: path.at,
    lastTick,
    nextTick,
    extremes(from, to) {
      let found: Extremes | undefined
      let start = from
      for (const window of windows.between(from, to)) {
        touch()
        if (window.from > start) found = merge(found, path.extremes(start, window.from - 1))
        start = window.until
      }
      return start <= to ? merge(found, path.extremes(start, to)) : found
    },
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
