// The moment before one request of a session, as a snapshot: from the journal, and from snapshots of earlier states.
import { PriceFeedMockError } from '../errors.js'
import type { JournalEntry } from '../service/journal-entry.js'
import { isPresent } from '../service/past.js'
import type { Session } from '../service/session.js'
import { type Snapshot, takeSnapshot } from '../service/snapshot.js'
import { NO_COUNT, type State } from '../service/state.js'

/**
 * A snapshot of a session as it was just before request `n`: it answers that request, sent again, with the same bytes. The counts of
 * hits and misses begin anew.
 * @param realMs real time of the call, in milliseconds since the epoch
 * @throws PriceFeedMockError REQUEST_INVALID if the journal has no such request, or the session has changed too often since
 */
export function snapshotBefore(session: Session, asked: string, realMs: number): Snapshot {
  const n = Number(asked)
  const entries = session.journal.entries()
  const entry = entries.find(one => one.n === n)
  if (entry === undefined) {
    const [first, last] = [entries[0]?.n, entries.at(-1)?.n]
    throw unknown(
      asked,
      first === undefined ? 'a request: the journal is empty' : `a request of the journal: ${first} to ${last}`,
    )
  }
  const { past } = session.record.setup
  const snapshot = isPresent(past, n) ? takeSnapshot(session, realMs) : past.find(({ until }) => until >= n)!.snapshot
  if (snapshot === undefined)
    throw unknown(asked, `a later request: after this one the session was changed more often than it remembers`)
  const ordinals: Record<string, number> = { ...snapshot.state.ordinals }
  for (const later of entries.toReversed())
    if (later.n >= n && later.ordinal > 0) ordinals[later.endpoint] = later.ordinal - 1
  return {
    ...snapshot,
    clock: { ...snapshot.clock, virtualMs: entry.now * 1000 },
    state: { ...snapshot.state, n: n - 1, ordinals, faults: countsOf(entry) },
  }
}

/** The counts of the faults before a request, without their hits and misses. */
function countsOf({ quotas = [], windows = [] }: JournalEntry): State['faults'] {
  const length = Math.max(quotas.length, windows.length)
  return Array.from({ length }, (_, i) => ({
    ...NO_COUNT,
    ...(quotas[i] ? { quota: quotas[i] } : {}),
    ...(windows[i] ? { window: windows[i] } : {}),
  }))
}

const unknown = (got: string, want: string): PriceFeedMockError =>
  new PriceFeedMockError('REQUEST_INVALID', `Request ${got} is not known.`, { problems: [{ at: 'n', got, want }] })
