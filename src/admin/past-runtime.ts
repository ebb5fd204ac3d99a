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

/** The stage of each second: that of the state in which the session was then. What is to come is as it is planned now. */
export function stagesOf({ runtime, record }: Session, now: number): (at: number) => MarketStage {
  const past = record.setup.past.flatMap(({ snapshot }) => snapshot ?? [])
  const stages = new Map<number, MarketStage>()
  return at => {
    const i = at >= now ? -1 : past.findIndex(({ clock }) => at < Math.floor(clock.virtualMs / 1000))
    if (i < 0) return runtime.stage
    const known = stages.get(i) ?? toRuntime(runtime, past[i]!).stage
    stages.set(i, known)
    return known
  }
}
