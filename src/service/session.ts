// A session in memory: its record, what follows from it, and its journal. Steps replace the record, requests its counters.
import { type Charge, chargeOf } from './admission.js'
import type { Step } from './changes.js'
import { readClock } from './clock.js'
import type { Journal } from './journal.js'
import type { LookUps } from './market-stage.js'
import type { SessionRecord } from './record.js'
import type { ServiceRequest } from './request.js'
import type { Answer } from './respond.js'
import type { Runtime, Shared } from './runtime.js'

/** An isolated session. */
export type Session = ReturnType<typeof createSession>

/**
 * Creates a session.
 * @param admit counts its changed charge, or throws
 */
export function createSession(
  first: SessionRecord,
  shared: Shared,
  journal: Journal,
  admit: (before: Charge, after: Charge) => void,
) {
  let record = first
  let runtime = shared.runtimeOf(record.setup)
  let charge = chargeOf(runtime)
  return {
    id: first.setup.id,
    journal,
    get record(): SessionRecord {
      return record
    },
    /** Derived from the setup of the record. */
    get runtime(): Runtime {
      return runtime
    },
    /** Its cost to the mock. */
    get charge(): Charge {
      return charge
    },
    /**
     * Answers a request. Undefined if no endpoint has its path.
     * @param made look-ups that were made before
     */
    handle(request: ServiceRequest, made?: LookUps): Answer | undefined {
      const answer = shared.respond(runtime, record.counters, request, undefined, made)
      if (answer !== undefined) record = { setup: record.setup, counters: answer.counters }
      return answer
    },
    /** The long look-ups of the answer to a request. Undefined if it needs none. */
    lookUps: (request: ServiceRequest): LookUps | undefined =>
      shared.respond.lookUps(runtime, record.counters, request),
    /**
     * Makes a step, or throws and changes nothing.
     * @throws PriceFeedMockError SESSIONS_FULL, or an error of the step
     */
    run(step: Step): void {
      const { record: next, journal: change } = step(record, runtime)
      const isSame = next.setup === record.setup
      const nextRuntime = isSame ? runtime : shared.runtimeOf(next.setup)
      const nextCharge = isSame ? charge : chargeOf(nextRuntime)
      admit(charge, nextCharge)
      record = next
      runtime = nextRuntime
      charge = nextCharge
      if (change === 'clear') journal.clear()
      else if (change !== undefined) journal.rewind(change.rewindTo)
    },
    /** Virtual milliseconds since the epoch at real time `realMs`. */
    nowMs: (realMs: number): number => readClock(record.counters.clock, realMs),
  }
}
