// An earlier state of a session, as it answered then.
import type { Runtime } from '../service/runtime.js'
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
