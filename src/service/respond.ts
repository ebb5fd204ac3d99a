// The reducer: a world, its state and a request give an outcome, the next state and a journal entry. Synchronous and pure;
// hosts load and save. Stages: route, method, auth, parameters, market, tick, signature, series, reply, wire.
import { createBoundedCache } from '../bounded-cache.js'
import { type Outcome, type Reply, toAsciiJson } from '../outcome.js'
import { readClock } from './clock.js'
import { answerOf, feedsAsked, type ServiceEndpoint, toContent } from './content.js'
import { type Disturbed, disturb } from './disturb.js'
import { type Base, ServiceError } from './endpoint.js'
import { createEndpointContext, type SessionContext, type Trace } from './endpoint-context.js'
import type { JournalEntry } from './journal.js'
import { redactKey, refuseKey } from './keys.js'
import { type CachedSecond, createMemory, type Made } from './memory.js'
import { ALLOW } from './reply-headers.js'
import { parseTarget, type ServiceRequest, type Target } from './request.js'
import { createRouter, type Match } from './router.js'
import { type SelectedFaults, selectFaults } from './select-faults.js'
import type { State } from './state.js'

/** What the reducer makes of a request. */
export interface Answer {
  readonly outcome: Outcome
  readonly state: State
  readonly entry: JournalEntry
}

/** Who watches a whole answer come about; nothing remembered is used then. */
export interface AnswerTrace extends Trace {
  onDue?(due: SelectedFaults): void
}

/** Answers a request, or returns undefined when no endpoint of the base address (of either, without one) has its path. */
export type Respond = (
  world: SessionContext,
  state: State,
  request: ServiceRequest,
  base?: Base,
  trace?: AnswerTrace,
) => Answer | undefined

/** A request that has found its endpoint. */
interface MatchedRequest {
  readonly request: ServiceRequest
  readonly target: Target
  readonly match: Match<ServiceEndpoint>
  readonly world: SessionContext
  readonly second: CachedSecond
  /** Numbers the requests of the session. */
  readonly n: number
  readonly trace: AnswerTrace | undefined
}

/** Targets whose route is remembered, and how long one may be. */
const CACHED_TARGETS = 1000
const MAX_CACHED_TARGET_LENGTH = 4096

/** Creates the reducer of some endpoints. What it remembers are results of pure functions. */
export function createRespond(endpoints: readonly ServiceEndpoint[]): Respond {
  const route = createRouter(endpoints)
  const routes = createBoundedCache<string, { target: Target; match: Match<ServiceEndpoint> | undefined }>(
    CACHED_TARGETS,
  )
  const memory = createMemory()

  const routeOf = (raw: string) => {
    let routed = routes.get(raw)
    if (routed === undefined) {
      const target = parseTarget(raw)
      routed = { target, match: route(target) }
      if (raw.length <= MAX_CACHED_TARGET_LENGTH) routes.set(raw, routed)
    }
    return routed
  }

  /** Stages auth to series: what is answered before faults of the reply. `due` is undefined where nothing can go wrong. */
  const make = ({ request, target, match, world, second, trace }: MatchedRequest, due?: SelectedFaults): Made => {
    const refusal = match.endpoint.protected ? refuseKey(world, request.authorization) : undefined
    if (refusal) return toMade(refusal.status, refusal.value, [], due !== undefined)
    const key = due === undefined ? request.target : due.key + request.target
    const known = trace === undefined ? second.made.get(key) : undefined
    if (known !== undefined) return known
    const { touched } = world.stage
    touched.clear()
    const moment = due ? createEndpointContext(world, second.moment.now, due.byStage, touched, trace) : second.moment
    const { status, value } = answerOf(match, moment, target)
    const made = toMade(status, value, due ? [...touched] : [], due !== undefined)
    if (due && status !== 200 && made.touched.length > 0) {
      // What a fault did to the price of one feed cannot be seen where another feed is unknown.
      touched.clear()
      const undisturbed = toAsciiJson(answerOf(match, second.moment, target).value)
      if (undisturbed === made.text) return { ...made, touched: [...touched] }
    }
    if (trace === undefined) memory.remember(second, key, made)
    return made
  }

  /** The answer of a world in which nothing goes wrong. */
  const answerCalmly = (found: MatchedRequest): Outcome => {
    const { status, text } = make(found)
    return toReply(status, found.second.headers.reply(found.n, text.length), text)
  }

  /** The answer of a world with a scenario, from the first fault to the last. */
  const answerDisturbed = (found: MatchedRequest, state: State, ordinal: number): Disturbed => {
    const { match, target, world, second, n, trace } = found
    const endpoint = match.endpoint.name
    const due = selectFaults(world.scenario, {
      endpoint,
      ordinal: ordinal - (state.applied[endpoint] ?? 0),
      now: second.moment.now,
      seed: world.settings.seed,
    })
    trace?.onDue?.(due)
    const { status, value, text, touched } = make(found, due)
    return disturb(world.scenario, due, {
      content: toContent(status, value),
      text,
      touched,
      counts: state.faults,
      feeds: () => feedsAsked(match, second.moment, target),
      toReply(content, body, faults) {
        const headers = second.headers.reply(n, body.length, { ...content, faults })
        return { ...toReply(content.status, headers, body), delayMs: content.delayMs }
      },
    })
  }

  return (world, state, request, base, trace) => {
    const { target, match } = routeOf(request.target)
    if (match === undefined || (base !== undefined && match.endpoint.base !== base)) return undefined
    const { method } = request
    const endpoint = match.endpoint.name
    const now = Math.floor(readClock(world.clock, request.receivedAt) / 1000)
    const n = state.n + 1
    const found: MatchedRequest = { request, target, match, world, second: memory.secondOf(world, now), n, trace }

    // What is no GET or HEAD counts nowhere, and no fault touches it.
    const counts = method === 'GET' || method === 'HEAD'
    const ordinal = counts ? (state.ordinals[endpoint] ?? 0) + 1 : 0
    const ordinals = counts ? { ...state.ordinals, [endpoint]: ordinal } : state.ordinals
    const isCalm = !counts || (world.scenario.faults.length === 0 && trace === undefined)
    const {
      outcome,
      faults,
      counts: faultCounts,
    }: Disturbed = isCalm
      ? { outcome: counts ? answerCalmly(found) : answerMethod(found), faults: [], counts: state.faults }
      : answerDisturbed(found, state, ordinal)
    return {
      outcome,
      state: { n, ordinals, applied: state.applied, faults: faultCounts },
      entry: {
        n,
        ordinal,
        endpoint,
        method,
        target: request.target,
        apiKey: redactKey(world, request.authorization),
        status: 'status' in outcome ? outcome.status : 0,
        faults,
        now,
        receivedAt: request.receivedAt,
      },
    }
  }
}

/** The answer to a preflight, or to a method that is not allowed. */
function answerMethod({ request: { method }, second: { headers }, n }: MatchedRequest): Outcome {
  if (method === 'OPTIONS') return toReply(204, headers.preflight(n), '')
  const refusal = new ServiceError(
    405,
    'method_not_allowed',
    `${method} is not allowed here: use GET, HEAD or OPTIONS.`,
  )
  const text = toAsciiJson(refusal.value)
  return toReply(405, headers.reply(n, text.length, { headers: ['allow', ALLOW] }), text)
}

const toMade = (status: number, value: unknown, touched: readonly number[], keepValue: boolean): Made => ({
  status,
  value: keepValue ? value : undefined,
  text: toAsciiJson(value),
  touched,
})

function toReply(status: number, headers: Reply['headers'], body: string): Reply {
  return { kind: 'reply', status, headers, body, delayMs: 0 }
}
