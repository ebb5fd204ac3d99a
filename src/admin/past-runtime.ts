// An earlier state of a session, as it answered then.
import type { MarketStage } from '../service/market-stage.js'
import type { Runtime } from '../service/runtime.js'
import type { Session } from '../service/session.js'
import type { Snapshot } from '../service/snapshot.js'

/** The market, scenario and settings of an earlier state of a session. */
export function toRuntime({ setup, shared }: Runtime, { seed, policy, signing, own, ...snapshot }: Snapshot): Runtime {
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

/** The state in which a session was at a second; undefined for the one that it is in, which has what is to come as well. */
export function snapshotAt({ record }: Session, at: number, now: number): Snapshot | undefined {
  if (at >= now) return undefined
  const isBefore = (snapshot: Snapshot): boolean => at < Math.floor(snapshot.clock.virtualMs / 1000)
  return record.setup.past.find(({ snapshot }) => snapshot !== undefined && isBefore(snapshot))?.snapshot
}

/** The stage of each second: that of the state in which the session was then. */
export function stagesOf(session: Session, now: number): (at: number) => MarketStage {
  const stages = new Map<Snapshot, MarketStage>()
  return at => {
    const snapshot = snapshotAt(session, at, now)
    if (snapshot === undefined) return session.runtime.stage
    const known = stages.get(snapshot) ?? toRuntime(session.runtime, snapshot).stage
    stages.set(snapshot, known)
    return known
  }
}
