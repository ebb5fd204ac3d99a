// The counters of a session, as data: requests, ordinals, and hits and misses of each fault.
import type { Quota } from '../faults/fault.js'

/** The counters of one fault since the scenario was applied. */
export interface FaultCount {
  /** Answers that it changed. */
  readonly hits: number
  /** Answers of its endpoints that it did not change. */
  readonly misses: number
  /** Reason for the latest miss. */
  readonly lastMiss?: string | undefined
  /** The used quota, for faults with one. */
  readonly quota?: Quota | undefined
}

/** The counters of a session. */
export interface State {
  /** Requests so far. */
  readonly n: number
  /** GET and HEAD requests so far, by endpoint. */
  readonly ordinals: Readonly<Record<string, number>>
  /** The ordinals when the scenario was applied. Its faults count requests from there. */
  readonly applied: Readonly<Record<string, number>>
  /** By the index of the fault. A missing entry counts as 0. */
  readonly faults: readonly FaultCount[]
}

/** The state of a new session. */
export const DEFAULT_STATE: State = { n: 0, ordinals: {}, applied: {}, faults: [] }
/** The counters of a fault before its first request. */
export const NO_COUNT: FaultCount = { hits: 0, misses: 0 }

/** The state after a scenario is applied: request counters stay, fault counters start at 0. */
export function withFreshFaults(state: State): State {
  return { ...state, applied: state.ordinals, faults: [] }
}
