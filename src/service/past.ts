// The earlier states of a session, from which the moment before one of its requests is found again.
import { bytesOf } from './admission.js'
import type { Snapshot } from './snapshot.js'

/** The state of a session before a change of anything but its clock. */
export interface Past {
  /** Its last request before the change. */
  readonly until: number
  /** Undefined where it is no longer known. */
  readonly snapshot?: Snapshot | undefined
}

/** Maximum number of earlier snapshots of one session, and of their bytes. */
export const MAX_PAST = 20
const MAX_PAST_BYTES = 40_000

/** Adds a state that lasted up to request `until`, if it has answered any. Beyond the limits the oldest are forgotten. */
export function withPast(past: readonly Past[], until: number, toSnapshot: () => Snapshot): readonly Past[] {
  if (until <= (past.at(-1)?.until ?? 0)) return past
  const all: readonly Past[] = [...past, { until, snapshot: toSnapshot() }]
  let bytes = 0
  const isForgotten = (one: Past, i: number): boolean => {
    bytes += one.snapshot === undefined ? Number.POSITIVE_INFINITY : bytesOf(one.snapshot)
    return bytes > MAX_PAST_BYTES || all.length - i > MAX_PAST
  }
  const last = all.findLastIndex(isForgotten)
  return last < 0 ? all : [{ until: all[last]!.until }, ...all.slice(last + 1)]
}

/** The part up to request `n`, for a session that goes back to it. */
export function pastUntil(past: readonly Past[], n: number): readonly Past[] {
  const at = past.findIndex(({ until }) => until >= n)
  if (at < 0) return past
  const isEmpty = n <= (past[at - 1]?.until ?? 0)
  return [...past.slice(0, at), ...(isEmpty ? [] : [{ ...past[at]!, until: n }])]
}

/** Whether a session has not changed, its clock aside, since it answered request `n`. */
export const isPresent = (past: readonly Past[], n: number): boolean => n > (past.at(-1)?.until ?? 0)
