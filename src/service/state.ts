// What a session counts, as data: requests, ordinals, and what has become of each fault of its scenario.
import type { Quota } from '../faults/fault.js'

/** What has become of one fault since the scenario was applied. */
export interface FaultCount {
  /** Answers that it has changed. */
  readonly hits: number
  /** Answers of its endpoints that it has not. */
  readonly misses: number
  /** Why it left the newest of those alone. */
  readonly lastMiss?: string | undefined
  /** What it has counted, where it is a quota. */
  readonly quota?: Quota | undefined
}

/** What a session counts. */
export interface State {
  /** Requests so far. */
  readonly n: number
  /** GET and HEAD requests so far, by endpoint. */
  readonly ordinals: Readonly<Record<string, number>>
  /** The ordinals when the scenario was applied: its faults count requests from there. */
  readonly applied: Readonly<Record<string, number>>
  /** By the index of the fault; what is missing has counted nothing yet. */
  readonly faults: readonly FaultCount[]
}

/** The state of a session that nobody has asked yet. */
export const DEFAULT_STATE: State = { n: 0, ordinals: {}, applied: {}, faults: [] }
/** What a fault has counted before its first request. */
export const NO_COUNT: FaultCount = { hits: 0, misses: 0 }

/** The state in which a scenario has just been applied. */
export function withFreshFaults(state: State): State {
  return { ...state, applied: state.ordinals, faults: [] }
}
