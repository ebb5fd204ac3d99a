// The earlier states of a session, as it answered then.
import { getOrCreate } from '../caches.js'
import type { MarketStage } from '../service/market-stage.js'
import type { Runtime } from '../service/runtime.js'
import type { Session } from '../service/session.js'
import type { Snapshot } from '../service/snapshot.js'

/** The market, scenario and settings of an earlier state of a session. */
function toRuntime({ setup, shared }: Runtime, { seed, policy, signing, own, ...snapshot }: Snapshot): Runtime {
  const { scenario, overrides, seriesShift = 0 } = snapshot
  const { apiKeys } = setup.own
  return shared.runtimeOf({
    ...setup,
    base: { seed, policy },
    own: { ...own, signing, apiKeys },
    scenario,
    overrides,
    seriesShift,
  })
}

const endOf = ({ clock }: Snapshot): number => Math.floor(clock.virtualMs / 1000)

/** A time between two changes of a session. */
export type Segment = ReturnType<typeof segmentsOf>[number]

/** The times between the changes of a session, oldest first. */
export function segmentsOf({ record, runtime }: Session) {
  const past = record.setup.past.map(({ until, snapshot }) => ({
    /** Its last request: infinite for the present one. */
    until,
    /** The virtual second of the change after it; undefined where the session no longer knows it, and for the present one. */
    end: snapshot && endOf(snapshot),
    /** Undefined where the session no longer knows it. */
    runtime: snapshot && toRuntime(runtime, snapshot),
    counts: snapshot?.state.faults ?? [],
  }))
  return [...past, { until: Number.POSITIVE_INFINITY, end: undefined, runtime, counts: record.counters.faults }]
}

/** The state in which a session was at a second; undefined for the one that it is in, which has what is to come as well. */
export function snapshotAt({ record }: Session, at: number, now: number): Snapshot | undefined {
  if (at >= now) return undefined
  const { past, scenario } = record.setup
  const known = past.flatMap(({ snapshot }) => (snapshot !== undefined && at < endOf(snapshot) ? [snapshot] : []))
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
  const known = past.flatMap(({ snapshot }) =>
    snapshot === undefined ? [] : [endOf(snapshot), snapshot.scenario.appliedAt],
  )
  return [...new Set([...known, scenario.appliedAt, now])].sort((a, b) => a - b)
}
