// The earlier states of a session, from which the moment before one of its requests is found again.
import { bytesOf, bytesOfOverrides } from './admission.js'
import type { Setup } from './record.js'
import type { Snapshot } from './snapshot.js'

/** The state of a session before a change of anything but its clock. */
type Past = Setup['past'][number]

/** Maximum number of earlier snapshots of one session, and of the bytes in which they differ. */
export const MAX_PAST = 20
const MAX_PAST_BYTES = 40_000

const secondOf = ({ clock }: Snapshot): number => Math.floor(clock.virtualMs / 1000)

/** The second from which on an earlier state was over; undefined where it is no longer known. */
export const endOf = ({ snapshot, end }: Past): number | undefined => end ?? (snapshot && secondOf(snapshot))

/**
 * Adds a state that lasted up to request `until`, if it has answered any, or has lasted for a second. Beyond the limits the oldest are
 * forgotten.
 * @param now the second after the change
 */
export function withPast(past: readonly Past[], until: number, next: Snapshot, now: number): readonly Past[] {
  const last = past.at(-1)
  const since = last === undefined ? next.scenario.appliedAt : last.snapshot && secondOf(last.snapshot)
  const second = secondOf(next)
  const hasLasted = since !== undefined && second > since
  if (until <= (last?.until ?? 0) && !hasLasted) return past
  const snapshot = { ...next, ...equalParts(next, last?.snapshot) }
  const all: readonly Past[] = [...past, { until, snapshot, ...(now !== second && { end: second + 1 }) }]
  let bytes = 0
  const isForgotten = ({ snapshot }: Past, i: number): boolean => {
    if (snapshot === undefined) return true
    const equal = equalParts(snapshot, all[i + 1]?.snapshot)
    const { overrides, ...parts } = snapshot
    for (const [key, part] of Object.entries(parts)) if (!(key in equal)) bytes += bytesOf(part)
    if (!('overrides' in equal)) bytes += bytesOfOverrides(overrides)
    return bytes > MAX_PAST_BYTES || all.length - i > MAX_PAST
  }
  const forgotten = all.findLastIndex(isForgotten)
  return forgotten < 0 ? all : [{ until: all[forgotten]!.until }, ...all.slice(forgotten + 1)]
}

/** The parts of another snapshot that one has as well. A change leaves most of them, which are held and counted once. */
function equalParts(snapshot: Snapshot, other: Snapshot | undefined): Partial<Snapshot> {
  if (other === undefined) return {}
  const isEqual = ([key, value]: [string, unknown]): boolean => {
    const own = snapshot[key as keyof Snapshot]
    return own === value || JSON.stringify(own) === JSON.stringify(value)
  }
  return Object.fromEntries(Object.entries(other).filter(isEqual))
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
