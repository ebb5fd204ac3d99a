// The earlier states of a session, as it answered then: between two changes, and before one request of its journal.
import { getOrCreate } from '../caches.js'
import { wrongValue } from '../errors.js'
import { NO_COUNT, type State } from '../service/apply-faults.js'
import { endOf, isPresent } from '../service/changes.js'
import type { JournalEntry } from '../service/journal-entry.js'
import type { MarketStage } from '../service/market-stage.js'
import type { Runtime } from '../service/runtime.js'
import type { Session } from '../service/sessions.js'
import { type Snapshot, takeSnapshot } from '../service/snapshot.js'

function toRuntime({ setup, shared }: Runtime, past: Snapshot): Runtime {
  const { seed, policy, signing, own, scenario, overrides, seriesShift = 0 } = past
  return shared.runtimeOf({
    ...setup,
    base: { seed, policy },
    own: { ...own, signing, apiKeys: setup.own.apiKeys },
    scenario,
    overrides,
    seriesShift,
  })
}

/** A time between two changes of a session. */
export type Segment = ReturnType<typeof segmentsOf>[number]

/** The times between the changes of a session, oldest first. */
export function segmentsOf({ record, runtime }: Session) {
  const past = record.setup.past.map(one => ({
    /** Its last request: infinite for the present one. */
    until: one.until,
    /** The virtual second from which on it was over; undefined where the session no longer knows it, and for the present one. */
    end: endOf(one),
    /** Undefined where the session no longer knows it. */
    runtime: one.snapshot && toRuntime(runtime, one.snapshot),
    counts: one.snapshot?.state.faults ?? [],
  }))
  return [...past, { until: Number.POSITIVE_INFINITY, end: undefined, runtime, counts: record.counters.faults }]
}

/** The state in which a session was at a second; undefined for the one that it is in, which has what is to come as well. */
export function snapshotAt({ record }: Session, at: number, now: number): Snapshot | undefined {
  if (at >= now) return undefined
  const { past, scenario } = record.setup
  const known = past.flatMap(one => (at < (endOf(one) ?? at) ? (one.snapshot ?? []) : []))
  const within = known.find(snapshot => snapshot.scenario.appliedAt <= at)
  // The clock may have gone back to a time that no earlier state has seen.
  return within ?? (scenario.appliedAt <= at ? undefined : known[0])
}

/** The stage of each second: that of the state in which the session was then. */
export function stagesOf(session: Session, now: number): (at: number) => MarketStage {
  const stages = new Map<Snapshot, MarketStage>()
  return at => {
    const snapshot = snapshotAt(session, at, now)
    if (snapshot === undefined) return session.runtime.stage
    return getOrCreate(stages, snapshot, () => toRuntime(session.runtime, snapshot).stage)
  }
}

/** The seconds at which the stage may become another one, sorted. */
export function changesOf({ record }: Session, now: number): number[] {
  const { past, scenario } = record.setup
  const known = past.flatMap(one => (one.snapshot === undefined ? [] : [endOf(one)!, one.snapshot.scenario.appliedAt]))
  return [...new Set([...known, scenario.appliedAt, now])].sort((a, b) => a - b)
}

/**
 * A snapshot of a session as it was just before request `n`: it answers that request, sent again, with the same bytes. The counts of
 * hits and misses begin anew.
 * @param realMs real time of the call, in milliseconds since the epoch
 * @param parameter the one that asks for the request
 * @throws PriceFeedMockError REQUEST_INVALID if the journal has no such request, or the session has changed too often since
 */
export function snapshotBefore(session: Session, asked: string, realMs: number, parameter = 'n'): Snapshot {
  const n = Number(asked)
  const entries = session.journal.entries()
  const entry = entries.find(one => one.n === n)
  const unknown = (want: string) =>
    wrongValue('REQUEST_INVALID', `Request ${asked} is not known.`, { at: parameter, got: asked, want })
  if (entry === undefined) {
    const [first, last] = [entries[0]?.n, entries.at(-1)?.n]
    throw unknown(
      first === undefined ? 'a request: the journal is empty' : `a request of the journal: ${first} to ${last}`,
    )
  }
  const { past } = session.record.setup
  const snapshot = isPresent(past, n) ? takeSnapshot(session, realMs) : past.find(({ until }) => until >= n)!.snapshot
  if (snapshot === undefined)
    throw unknown(`a later request: after this one the session was changed more often than it remembers`)
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
