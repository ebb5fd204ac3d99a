// The counters of a session, as data: requests, ordinals, and hits and misses of each fault.
import type { Quota } from '../faults/fault.js'
import type { ActiveScenario } from '../scenario/scenario.js'

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
  /** The window of the latest request, for faults that count requests in their windows. */
  readonly window?: CountedWindow | undefined
}

/** A window of a fault that a session has entered. */
export interface CountedWindow {
  /** Its start in virtual seconds since the epoch. */
  readonly from: number
  /** The ordinals when it was entered. Requests count from there. */
  readonly ordinals: State['ordinals']
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

/** The state at virtual second `now`: a request in another window of a fault enters that one. */
export function withWindows<S extends State>(state: S, { faults }: ActiveScenario, now: number): S {
  let counts: FaultCount[] | undefined
  for (const { index, windows, countsInWindow } of faults) {
    if (!countsInWindow) continue
    const from = windows.at(now)?.from
    if (from === state.faults[index]?.window?.from) continue
    counts ??= faults.map((_, i) => state.faults[i] ?? NO_COUNT)
    counts[index] = {
      ...counts[index]!,
      window: from === undefined ? undefined : { from, ordinals: state.ordinals },
    }
  }
  return counts === undefined ? state : { ...state, faults: counts }
}
