// The counters of a session, as data: requests, ordinals, and hits and misses of each fault.
import type * as z from 'zod/mini'
import type { ActiveScenario } from '../scenario/scenario.js'
import type { DeepReadonly } from '../settings/schema.js'
import type { snapshotSchema } from './snapshot.js'

/** The counters of a session. */
export type State = DeepReadonly<z.output<typeof snapshotSchema.shape.state>>
/** The counters of one fault since the scenario was applied. */
export type FaultCount = State['faults'][number]
/** A window of a fault that a session has entered. */
export type CountedWindow = NonNullable<FaultCount['window']>

/** The state of a new session. */
export const DEFAULT_STATE: State = { n: 0, ordinals: {}, applied: {}, faults: [] }
/** The counters of a fault before its first request. */
export const NO_COUNT: FaultCount = { hits: 0, misses: 0 }

/** The state at virtual second `now`: a request in another window of a fault enters that one. */
export function withWindows<S extends State>(state: S, { faults }: ActiveScenario, now: number): S {
  let counts: FaultCount[] | undefined
  for (const { index, windows, countsInWindow } of faults) {
    if (!countsInWindow) continue
    const from = windows.at(now)?.from
    if (from === state.faults[index]?.window?.from) continue
    counts ??= faults.map((_, i) => state.faults[i] ?? NO_COUNT)
    counts[index] = { ...counts[index]!, window: from === undefined ? undefined : { from, ordinals: state.ordinals } }
  }
  return counts === undefined ? state : { ...state, faults: counts }
}
