// Traded volume under faults: none while a market is silent, more during a crash. Volumes of adjacent times still add up exactly.
import type { Volume } from './volume.js'
import type { Window, Windows } from './windows.js'

/** Additional trade in some windows. */
export interface Surge {
  readonly windows: Windows
  /** The trade until so many seconds after the start of a window, in hundredths of a USD: a whole number that never falls. */
  tradedBy(passed: number): number
  /** Called when it changes an answer. */
  markApplied(): void
}

/** Windows without trade. */
export interface Silence {
  readonly windows: Windows
  /** Called when it changes an answer. */
  markApplied(): void
}

/** Adds surges, then removes what is traded in silence: in a closed market nothing trades, not even in a crash. */
export function changeVolume(volume: Volume, surges: readonly Surge[], silences: readonly Silence[]): Volume {
  return {
    between(from, to) {
      const whole = { from, until: to }
      let traded = volume.between(from, to)
      let silent: readonly Window[] = []
      for (const { windows, markApplied } of silences) {
        // Silences may overlap, and nothing is lost twice.
        const more = outside(silent, clipped(windows, whole))
        if (more.length === 0) continue
        const lost = more.reduce((sum, span) => sum + volume.between(span.from, span.until), 0)
        if (lost > 0 || surges.some(surge => surgeIn(surge, more) > 0)) markApplied()
        traded -= lost
        silent = [...silent, ...more].sort((a, b) => a.from - b.from)
      }
      for (const surge of surges) {
        const added = surgeIn(surge, [whole]) - surgeIn(surge, silent)
        if (added > 0) surge.markApplied()
        traded += added
      }
      return traded
    },
  }
}

/** The trade of a surge in some spans. */
function surgeIn({ windows, tradedBy }: Surge, spans: readonly Window[]): number {
  let added = 0
  for (const span of spans)
    for (const window of windows.between(span.from, span.until - 1))
      added +=
        tradedBy(Math.min(span.until, window.until) - window.from) -
        tradedBy(Math.max(span.from, window.from) - window.from)
  return added
}

/** The parts of windows inside a span. */
function clipped(windows: Windows, { from, until }: Window): Window[] {
  const found: Window[] = []
  for (const window of windows.between(from, until - 1))
    found.push({ from: Math.max(from, window.from), until: Math.min(until, window.until) })
  return found
}

/** The parts of some spans outside of others; both in order and without overlaps. */
function outside(others: readonly Window[], spans: readonly Window[]): readonly Window[] {
  if (others.length === 0) return spans
  const parts: Window[] = []
  let next = 0
  for (const { from, until } of spans) {
    let start = from
    while (next < others.length && others[next]!.until <= start) next++
    for (let i = next; i < others.length && others[i]!.from < until; i++) {
      if (others[i]!.from > start) parts.push({ from: start, until: others[i]!.from })
      start = others[i]!.until
    }
    if (start < until) parts.push({ from: start, until })
  }
  return parts
}
