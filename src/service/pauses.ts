// Pauses of a long request: a host answers others meanwhile, then serves it again, and it goes on where it was.

/** The pauses of one request. A host that gives them serves the request again until it no longer throws `PAUSED`. */
export interface Pauses {
  /** Real milliseconds since any fixed time. A request waits for older ones of its session. */
  readonly arrivedAt: number
  /** Whether the request has taken long enough for now. Asked after each new look-up, so that every attempt gets further. */
  readonly isDue: () => boolean
  /** Whether the request has its answer, or never gets one: set by the host, which then drops the progress. */
  hasEnded: boolean
  progress?: Progress | undefined
}

/** The results of a request so far. */
export interface Progress {
  /** The session context that it belongs to. */
  readonly context: object
  /** Whether the target was requested before. */
  readonly isRepeated: boolean
  lookUps?: Map<string | number, LookUp>
}

/** Makes attempts until one does not pause. */
export type RunWithPauses = <T>(attempt: (pauses?: Pauses) => T) => T | Promise<T>

/** A look-up of the market with its effects. */
export interface LookUp {
  readonly value: unknown
  /** The indices of the faults that changed it. */
  readonly applied: readonly number[]
  /** Units of its work. */
  readonly units: number
}

/** Thrown by a request that pauses. Neither its session nor the journal has changed. */
export const PAUSED = new Error('paused')

/** Keeps the requests of a session in the order of their arrival: throws PAUSED for one that waits for an older one. */
export function createOrder(): (pauses: Pauses) => void {
  let last: Pauses | undefined
  return pauses => {
    if (last?.hasEnded === false && last.arrivedAt < pauses.arrivedAt) throw PAUSED
    last = pauses
  }
}
