// Explains how a request would be answered, stage by stage, without changing anything.
import { bytesToHex } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'
import { type Outcome, toPairs } from '../outcome.js'
import type { ActiveFault } from '../scenario/scenario.js'
import { documented } from '../settings/schema.js'
import { createEncoder, type Tick } from '../signing/encode.js'
import { NO_COUNT, type SelectedFaults, type State } from './apply-faults.js'
import { restored } from './changes.js'
import type { Trace } from './endpoint-context.js'
import { checkKey } from './key-problem.js'
import type { LookUps } from './market-stage.js'
import { GOT } from './received.js'
import type { Counters } from './record.js'
import type { ServiceRequest } from './request.js'
import type { Answer } from './respond.js'
import type { Runtime } from './runtime.js'
import type { Session } from './sessions.js'
import type { Snapshot } from './snapshot.js'

const tickSchema = documented(
  z.object({
    feedId: z.string(),
    price: documented(z.string(), 'Integer in units of 10^expo; a string, so that every integer is exact.'),
    expo: z.int32(),
    ts: documented(z.int(), 'Seconds since the epoch.'),
  }),
  'One price of a feed.',
  'Tick',
)

/** Longer bodies and messages are truncated, unless the caller asks for the whole body. */
const MAX_BODY_CHARACTERS = 2000
const AT_MOST = `at most ${MAX_BODY_CHARACTERS} characters of it unless the whole is asked for`

/** An explanation as JSON. */
export const explanationSchema = documented(
  z.object({
    session: z.string(),
    seed: z.string(),
    scenario: z.string(),
    endpoint: z.string(),
    ordinal: documented(z.int(), 'Number of the request among the requests of its endpoint.'),
    now: documented(z.int(), 'Virtual time in seconds since the epoch.'),
    key: z.enum(['accepted', 'refused', 'missing']),
    ticks: documented(
      z.array(z.object({ before: tickSchema, after: tickSchema })),
      'Each tick of the market, before and after the tick faults.',
    ),
    signatures: z.array(
      z.object({
        layout: z.string(),
        signer: documented(z.string(), "Address of the session's signer; a fault may sign with another key."),
        shown: documented(z.array(tickSchema), 'Prices in the reply.'),
        covered: documented(z.array(tickSchema), 'Prices in the signed message.'),
        bytes: documented(z.string(), `The signed message in hex, ${AT_MOST}.`),
        digest: documented(z.string(), 'Its hash in hex.'),
        signature: z.string(),
        recoveryId: z.int32(),
      }),
    ),
    faults: z.array(
      z.object({
        fault: z.string(),
        planned: documented(z.string(), 'When and where the scenario applies it.'),
        applied: z.boolean(),
        reason: documented(z.optional(z.string()), 'Why it is not applied.'),
      }),
    ),
    got: documented(z.enum(GOT), 'What a consumer gets with it.'),
    why: documented(z.optional(z.string()), 'The reason, unless it is `fresh`.'),
    outcome: z.object({
      kind: z.enum(['reply', 'reset', 'truncate', 'timeout', 'dribble']),
      delayMs: documented(z.number(), 'Delay of the reply in milliseconds.'),
      status: z.optional(z.int()),
      headers: z.optional(z.record(z.string(), z.string())),
      body: documented(z.optional(z.string()), `The body, ${AT_MOST}.`),
    }),
  }),
  'How a request is answered, stage by stage.',
  'Explanation',
)

/** All steps of an answer. */
export type Explanation = z.output<typeof explanationSchema>

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
 * @param body whether the body and the signed messages are truncated
 * @param made look-ups that were made before
 */
export function explain(
  { runtime, counters }: Moment,
  request: ServiceRequest,
  body?: 'whole',
  made?: LookUps,
): Explanation | undefined {
  const { setup, settings, scenario, signer } = runtime
  const { signing } = settings
  const most = body === 'whole' ? Number.POSITIVE_INFINITY : MAX_BODY_CHARACTERS
  const ticks: Explanation['ticks'] = []
  const signatures: Explanation['signatures'] = []
  let selected: SelectedFaults | undefined
  const trace: Trace = {
    onSelect: found => (selected = found),
    onTick: (before, after) => ticks.push({ before: toExplained(before), after: toExplained(after) }),
    onSign(form, { shown, covered, signature, recoveryId }) {
      const layout = signing[form]
      const { encode, digest } = createEncoder(signing.layouts[layout]!)
      const message = encode(covered, 'wrap')
      signatures.push({
        layout,
        bytes: truncate(bytesToHex(message), most),
        digest: bytesToHex(digest(message)),
        signature,
        recoveryId,
        signer: signer.address,
        shown: shown.map(toExplained),
        covered: covered.map(toExplained),
      })
    },
  }
  const answer = runtime.shared.respond(runtime, counters, request, trace, made)
  if (answer === undefined) return undefined
  const { endpoint, ordinal, now, got = 'broken', why } = answer.entry
  return {
    session: setup.id,
    seed: settings.seed,
    scenario: scenario.definition.name,
    endpoint,
    ordinal,
    now,
    key: KEYS[checkKey(runtime, request.authorization).verdict],
    ticks,
    signatures,
    faults: scenario.faults.map(active => explainFault(active, selected, counters, answer)),
    got,
    why,
    outcome: toPlain(answer.outcome, most),
  }
}

function explainFault(
  { index, fault, planned }: ActiveFault,
  selected: SelectedFaults | undefined,
  state: State,
  answer: Answer,
): Explanation['faults'][number] {
  const applied = (answer.counters.faults[index] ?? NO_COUNT).hits > (state.faults[index] ?? NO_COUNT).hits
  const reason = selected?.reasons.get(index) ?? answer.counters.faults[index]?.lastMiss ?? 'nothing to change'
  return { fault: fault.name, planned, applied, reason: applied ? undefined : reason }
}

const KEYS = { accepted: 'accepted', unknown: 'refused', missing: 'missing' } as const

const toExplained = ({ feedId, price, expo, ts }: Tick) => ({ feedId, price: String(price), expo, ts })

function toPlain(outcome: Outcome, maxCharacters: number) {
  const { kind, delayMs } = outcome
  if (!('status' in outcome)) return { kind, delayMs }
  const { status, headers, body } = outcome
  return { kind, delayMs, status, headers: Object.fromEntries(toPairs(headers)), body: truncate(body, maxCharacters) }
}

function truncate(text: string, maxCharacters: number): string {
  const more = text.length - maxCharacters
  return more > 0 ? `${text.slice(0, maxCharacters)}… ${more} more` : text
}
