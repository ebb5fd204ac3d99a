// Explains how a request would be answered, stage by stage, without changing anything.
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Signed } from '../faults/fault.js'
import type { Outcome } from '../outcome.js'
import type { ActiveFault } from '../scenario/scenario.js'
import type { Layout } from '../settings/layouts.js'
import { createEncoder, type Tick } from '../signing/encode.js'
import type { SelectedFaults } from './apply-faults.js'
import { restored } from './changes.js'
import { checkKey, type KeyCheck } from './key-problem.js'
import type { LookUps } from './market-stage.js'
import type { Received } from './received.js'
import type { Counters } from './record.js'
import type { ServiceRequest } from './request.js'
import type { Answer, AnswerTrace } from './respond.js'
import type { Runtime } from './runtime.js'
import type { Session } from './session.js'
import type { Snapshot } from './snapshot.js'
import { NO_COUNT, type State } from './state.js'

/** A tick whose price is text, so that big integers stay exact. */
export interface ExplainedTick extends Omit<Tick, 'price'> {
  readonly price: string
}

/** One signature with the ticks that it covers and the ticks that the reply shows. */
export interface ExplainedSignature {
  readonly layout: string
  readonly shown: readonly ExplainedTick[]
  readonly covered: readonly ExplainedTick[]
  /** The message of the covered prices, in hex, and its 32-byte digest. */
  readonly bytes: string
  readonly digest: string
  readonly signature: string
  readonly recoveryId: number
}

/** The effect of one fault of the scenario. */
export interface ExplainedFault {
  readonly fault: string
  readonly planned: string
  readonly applied: boolean
  /** Why it was not applied. */
  readonly reason?: string
}

/** All steps of an answer. */
export interface Explanation {
  readonly endpoint: string
  readonly ordinal: number
  /** Virtual seconds since the epoch. */
  readonly now: number
  readonly key: 'accepted' | 'refused' | 'missing'
  /** Ticks before and after the faults of their stage. */
  readonly ticks: readonly { readonly before: ExplainedTick; readonly after: ExplainedTick }[]
  readonly signatures: readonly ExplainedSignature[]
  readonly faults: readonly ExplainedFault[]
  readonly outcome: Outcome
  /** The judgement on it, as of a consumer. */
  readonly received: Received
}

/** A session at some second, which need not be its present one. */
export interface Moment {
  readonly runtime: Runtime
  readonly counters: Counters
}

/** A session now, or as it would be at another second: with the scenario, the prices and the counters of now. */
export function momentOf({ runtime, record: { counters } }: Session, at?: number): Moment {
  if (at === undefined) return { runtime, counters }
  // A copy has a cache of its own, so requests of the present second keep theirs.
  return { runtime: { ...runtime }, counters: { ...counters, clock: { ...counters.clock, ...still(at * 1000) } } }
}

/** The moment of a snapshot of a session, or another second with the scenario, the prices and the counters of the snapshot. */
export function momentBefore({ record, runtime }: Session, before: Snapshot, at?: number): Moment {
  const { setup, counters } = restored(before, 0)(record, runtime).record
  const clock = { ...counters.clock, ...still(at === undefined ? before.clock.virtualMs : at * 1000) }
  return { runtime: runtime.shared.runtimeOf(setup), counters: { ...counters, clock } }
}

const still = (virtualMs: number) => ({ virtualMs, frozen: true })

/**
 * Explains the answer to a request at a moment. Undefined if no endpoint has its path.
 * @param made look-ups that were made before
 */
export function explain(
  { runtime, counters }: Moment,
  request: ServiceRequest,
  made?: LookUps,
): Explanation | undefined {
  const ticks: { before: ExplainedTick; after: ExplainedTick }[] = []
  const signatures: ExplainedSignature[] = []
  let selected: SelectedFaults | undefined
  const trace: AnswerTrace = {
    onSelect: found => (selected = found),
    onTick: (before, after) => ticks.push({ before: toExplained(before), after: toExplained(after) }),
    onSign: (form, signed) => {
      const { signing } = runtime.settings
      signatures.push(toSignature(signing[form], signing.layouts[signing[form]]!, signed))
    },
  }
  const answer = runtime.shared.respond(runtime, counters, request, trace, made)
  if (answer === undefined) return undefined
  const { endpoint, ordinal, now, got = 'broken', why } = answer.entry
  return {
    endpoint,
    ordinal,
    now,
    key: KEYS[checkKey(runtime, request.authorization).verdict],
    ticks,
    signatures,
    faults: runtime.scenario.faults.map(active => explainFault(active, selected, counters, answer)),
    outcome: answer.outcome,
    received: { got, why },
  }
}

function explainFault(
  { index, fault, planned }: ActiveFault,
  selected: SelectedFaults | undefined,
  state: State,
  answer: Answer,
): ExplainedFault {
  const applied = (answer.counters.faults[index] ?? NO_COUNT).hits > (state.faults[index] ?? NO_COUNT).hits
  const reason = selected?.reasons.get(index) ?? answer.counters.faults[index]?.lastMiss ?? 'nothing to change'
  return { fault: fault.name, planned, applied, ...(applied ? {} : { reason }) }
}

const KEYS: Record<KeyCheck['verdict'], Explanation['key']> = {
  accepted: 'accepted',
  unknown: 'refused',
  missing: 'missing',
}

const toExplained = ({ feedId, price, expo, ts }: Tick): ExplainedTick => ({ feedId, price: String(price), expo, ts })

function toSignature(name: string, layout: Layout, { shown, covered, signature, recoveryId }: Signed) {
  const { encode, digest } = createEncoder(layout)
  const message = encode(covered, 'wrap')
  return {
    layout: name,
    shown: shown.map(toExplained),
    covered: covered.map(toExplained),
    bytes: bytesToHex(message),
    digest: bytesToHex(digest(message)),
    signature,
    recoveryId,
  }
}
