// Edits of faults on the axis: windows that are moved, courses that are drawn. Durations of a scenario are virtual seconds times its pace.
import { type FaultEntry, toSeconds } from '../faults/entry.js'

/** The part of a window that is dragged. */
export type Grip = 'from' | 'until' | 'both'

/** A window in sight; without an end it lasts until it is ended by hand. */
export interface Window {
  readonly from: number
  readonly until: number | null
}

/** A window of the fault of a row that is being dragged, and by how many seconds. */
export interface Drag {
  readonly row: number
  readonly grip: Grip
  readonly window: Window
  readonly by: number
}

/** Pixels beside an edge that belong to it, and of a window that is wide enough to be gripped. */
const REACH = 6
const LEAST_WIDTH = 10
/** Maximum number of points of a course that is drawn. */
export const MAX_POINTS = 24

/** The part of a window at some pixels: only what lies after now can be changed, because the past is never redrawn. */
export function gripAt(
  windows: readonly Window[],
  x: number,
  now: number,
  toX: (second: number) => number,
): { readonly grip: Grip; readonly window: Window } | undefined {
  for (const window of windows) {
    const { from, until } = window
    const [left, right] = [toX(from), until === null ? Number.POSITIVE_INFINITY : toX(until)]
    if (x < left - REACH || x > right + REACH || right - left < LEAST_WIDTH) continue
    if (until !== null && until > now && Math.abs(x - right) <= REACH) return { grip: 'until', window }
    if (from <= now) continue
    return { grip: Math.abs(x - left) <= REACH ? 'from' : 'both', window }
  }
  return undefined
}

/** A window after a drag. */
export const draggedWindow = ({ from, until }: Window, { grip, by }: Pick<Drag, 'grip' | 'by'>): Window => ({
  from: grip === 'until' ? from : from + by,
  until: until === null || grip === 'from' ? until : until + by,
})

/** The seconds by which a drag may move: a window stays after now and keeps a second, and its entry can follow. */
export function limitedBy(
  { from, until }: Window,
  grip: Grip,
  by: number,
  now: number,
  entry?: FaultEntry,
  pace = 1,
): number {
  const end = until ?? Number.POSITIVE_INFINITY
  const least = grip === 'until' ? Math.max(from, now) + 1 - end : now + 1 - from
  const most = grip === 'from' ? end - 1 - from : Number.POSITIVE_INFINITY
  const wanted = Math.min(Math.max(by, least), most)
  if (entry === undefined) return wanted
  // No window begins before the scenario, or is longer than its repetition.
  const next = edited(entry, grip, wanted, pace)
  const changeOf = (key: 'from' | 'for'): number =>
    Math.trunc((toSeconds(next[key] ?? '0s') - toSeconds(entry[key] ?? '0s')) / pace)
  if (grip === 'both' || entry.for === undefined) return changeOf('from')
  const longer = changeOf('for')
  if (grip === 'until') return longer
  return Math.abs(longer) < Math.abs(changeOf('from')) ? -longer : changeOf('from')
}

/** The fault whose windows are changed by so many seconds. All repetitions change together. */
export function edited(entry: FaultEntry, grip: Grip, by: number, pace = 1): FaultEntry {
  const change = Math.round(by * pace)
  const { from = '0s', for: length, repeat } = entry
  const next = Math.max(0, toSeconds(from) + (grip === 'until' ? 0 : change))
  if (length === undefined) return { ...entry, from: `${next}s` }
  const longest = repeat === undefined ? Number.POSITIVE_INFINITY : toSeconds(repeat) - 1
  const seconds = toSeconds(length) + (grip === 'until' ? change : grip === 'from' ? -change : 0)
  return { ...entry, from: `${next}s`, for: `${Math.min(longest, Math.max(1, seconds))}s` }
}

/** The points of a course that was drawn, thinned out and in order: seconds from the first one, and prices. */
export function toPoints(
  drawn: readonly { readonly at: number; readonly price: number }[],
  pace = 1,
): { readonly at: string; readonly price: number }[] {
  const [first] = drawn
  if (first === undefined) return []
  const bySecond = new Map(drawn.map(({ at, price }) => [Math.round((at - first.at) * pace), price]))
  const all = [...bySecond].sort(([a], [b]) => a - b)
  const count = Math.min(MAX_POINTS, all.length)
  return Array.from({ length: count }, (_, i) => all[Math.round((i * (all.length - 1)) / Math.max(1, count - 1))]!).map(
    ([at, price]) => ({ at: `${at}s`, price }),
  )
}

/** A price with as many digits as a pixel of the chart tells. */
export function roundTo(price: number, perPixel: number): number {
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(perPixel))))
  return Number(price.toFixed(digits))
}
