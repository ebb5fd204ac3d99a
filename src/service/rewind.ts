// The moment before one request of a session, as a snapshot: from the journal, and from snapshots of earlier states.
import { PriceFeedMockError } from '../errors.js'
import { bytesOf } from './holding.js'
import type { Session } from './session.js'
import { type Snapshot, takeSnapshot } from './snapshot.js'
import { NO_COUNT, type State } from './state.js'

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
export const isPresent = ({ past }: Pick<Session, 'past'>, n: number): boolean => n > (past.at(-1)?.until ?? 0)

/**
 * A snapshot of a session as it was just before request `n`: it answers that request, sent again, with the same bytes. The counts of
 * hits and misses begin anew.
 * @param realMs real time of the call, in milliseconds since the epoch
 * @throws PriceFeedMockError REQUEST_INVALID if the journal has no such request, or the session has changed too often since
 */
export function snapshotBefore(session: Session, n: number, realMs: number): Snapshot {
  const entries = session.journal.entries()
  const entry = entries.find(one => one.n === n)
  if (entry === undefined) {
    const [first, last] = [entries[0]?.n, entries.at(-1)?.n]
    throw unknown(
      n,
      first === undefined ? 'a request: the journal is empty' : `a request of the journal: ${first} to ${last}`,
    )
  }
  const { snapshot } = isPresent(session, n)
    ? { snapshot: takeSnapshot(session, realMs) }
    : session.past.find(({ until }) => until >= n)!
  if (snapshot === undefined)
    throw unknown(n, `a later request: after this one the session was changed more often than it remembers`)
  const ordinals: Record<string, number> = { ...snapshot.state.ordinals }
  for (const later of entries.toReversed())
    if (later.n >= n && later.ordinal > 0) ordinals[later.endpoint] = later.ordinal - 1
  const state: State = {
    ...snapshot.state,
    n: n - 1,
    ordinals,
    faults: (entry.quotas ?? []).map(quota => ({ ...NO_COUNT, ...(quota === null ? {} : { quota }) })),
  }
  return {
    ...snapshot,
    clock: { ...snapshot.clock, virtualMs: entry.now * 1000 },
    state: state as Snapshot['state'],
  }
}

const unknown = (got: number, want: string): PriceFeedMockError =>
  new PriceFeedMockError('REQUEST_INVALID', `Request ${got} is not known.`, { problems: [{ at: 'n', got, want }] })
