// The reducer: session context, state and request give an outcome, the next state and a journal entry. Synchronous and pure.
// Stages: route, method, auth, parameters, market, tick, signature, series, reply, wire.

import { createBoundedCache } from '../bounded-cache.js'
import { isPriceFeedMockError, NOT_SHOWN, type PriceFeedMockError } from '../errors.js'
import { stageOf } from '../faults/fault.js'
import { problemReply } from '../mock-reply.js'
import { type Outcome, type Reply, toAsciiJson } from '../outcome.js'
import type { ActiveFault } from '../scenario/scenario.js'
import { toShownKey, toShownTarget } from '../settings/shown-keys.js'
import {
  applyFaults,
  type FaultedAnswer,
  isLateFault,
  NO_FAULTS,
  type SelectedFaults,
  selectFaults,
} from './apply-faults.js'
import { readClock } from './clock.js'
import { answerEndpoint, type Base, feedsAsked, type ServiceEndpoint, ServiceError } from './endpoint.js'
import { createEndpointContext, type SessionContext, type Trace } from './endpoint-context.js'
import type { JournalEntry } from './journal.js'
import { findKeyProblem, isRepeated, schemeOf } from './key-problem.js'
import { createMarketStage, type MarketStage } from './market-stage.js'
import { type CachedReply, type CachedSecond, createMemory } from './memory.js'
import type { Pauses } from './pauses.js'
import { ALLOW } from './reply-headers.js'
import { parseTarget, type ServiceRequest, type Target } from './request.js'
import { createRouter, type Match } from './router.js'
import type { State } from './state.js'
import { createWorkMeter, MAX_REPEATED_WORK, repeatedWork, type WorkMeter } from './work-limit.js'

/** The result of the reducer. */
export interface Answer {
  readonly outcome: Outcome
  readonly state: State
  readonly entry: JournalEntry
}

/** Observes all steps of an answer. Caches are not used while one is set. */
export interface AnswerTrace extends Trace {
  onSelect?(selected: SelectedFaults): void
}

/**
 * Answers a request. Undefined if no endpoint has its path, or only one of another `base`.
 * @throws PAUSED if it was given pauses and takes one
 */
export type Respond = (
  session: SessionContext,
  state: State,
  request: ServiceRequest,
  base?: Base,
  trace?: AnswerTrace,
  pauses?: Pauses,
) => Answer | undefined

/** A request with its endpoint. */
interface MatchedRequest {
  readonly request: ServiceRequest
  readonly target: Target
  readonly match: Match<ServiceEndpoint>
  readonly session: SessionContext
  readonly second: CachedSecond
  readonly key: KeyCheck
  /** Number of the request within its session, from 1. */
  readonly n: number
  readonly isRepeated: boolean
  readonly trace: AnswerTrace | undefined
  readonly pauses: Pauses | undefined
}

/** A parsed target, its endpoint, and the target as the journal shows it. */
interface Route {
  readonly target: Target
  readonly match: Match<ServiceEndpoint> | undefined
  readonly shown: string
  /** Whether the target was requested before. Other replies are not cached: most of them are never used again. */
  readonly isRepeated: boolean
}

/** The verdict on an API key. */
export type KeyCheck = 'accepted' | 'unknown' | 'missing'

/** Characters of the targets whose routes are cached, at several bytes each. A route counts like so many more characters. */
const MAX_ROUTE_CHARACTERS = 400_000
const ROUTE_CHARACTERS = 300
/** Longer targets are not cached. */
const MAX_CACHED_TARGET_LENGTH = 4096
/** The number of stages with fewer faults that are kept for a session. */
const MAX_STAGES = 16

/** Creates the reducer of the given endpoints. It caches only results of pure functions. */
export function createRespond(endpoints: readonly ServiceEndpoint[]): Respond {
  const route = createRouter(endpoints)
  /** Null stands for a target that was requested once: routes of one-off targets would only occupy the garbage collector. */
  const routes = createBoundedCache<string, Route | null>(MAX_ROUTE_CHARACTERS)
  const memory = createMemory()

  const routeOf = (raw: string): Route => {
    const known = routes.get(raw)
    if (known) return known
    const target = parseTarget(raw)
    const isRepeated = known === null
    const routed = { target, match: route(target), shown: toShownTarget(raw), isRepeated }
    if (raw.length <= MAX_CACHED_TARGET_LENGTH)
      routes.set(raw, isRepeated ? routed : null, raw.length + (isRepeated ? ROUTE_CHARACTERS : 0))
    return routed
  }

  /** Stages auth to series: the answer before reply faults. Without `selected` nothing can fail and the value is not kept. */
  const draft = (matched: MatchedRequest, selected?: SelectedFaults): CachedReply => {
    const { request, match, session, second, key, trace, pauses } = matched
    if (match.endpoint.protected && key !== 'accepted') {
      const { status, value } = unauthorized(key, request.authorization)
      return toCachedReply(status, value, [], selected !== undefined)
    }
    const cacheKey = selected === undefined ? request.target : selected.key + request.target
    const cached = trace === undefined ? second.replies.get(cacheKey) : undefined
    if (cached !== undefined) return cached
    // A request whose session was changed during a pause begins again, and does not pause any more.
    if (pauses === undefined || !match.endpoint.canPause || (pauses.progress?.context ?? session) !== session)
      return makeReply(matched, cacheKey, selected)
    pauses.progress ??= { context: session, isRepeated: matched.isRepeated }
    return session.stage.pausable(pauses, () => makeReply(matched, cacheKey, selected))
  }

  /** A draft that is not cached. */
  const makeReply = (matched: MatchedRequest, cacheKey: string, selected: SelectedFaults | undefined): CachedReply => {
    const { target, match, session, second, isRepeated, trace } = matched
    if (selected === undefined) {
      const { result } = session.stage.track(() => answerEndpoint(match, second.context, target))
      const reply = toCachedReply(result.status, result.value, [], false)
      if (isRepeated) memory.remember(second, cacheKey, reply)
      return reply
    }
    const { result, applied } = session.stage.track(markApplied =>
      answerEndpoint(
        match,
        createEndpointContext(session, second.context.now, selected.byStage, markApplied, trace),
        target,
      ),
    )
    const reply = toCachedReply(result.status, result.value, applied, true)
    if (isRepeated && trace === undefined) memory.remember(second, cacheKey, reply)
    return reply
  }

  /** The stages of a session with only some of its market faults, and their common meter. */
  const fewerFaults = new WeakMap<MarketStage, { meter: WorkMeter; stages: Map<string, MarketStage> }>()
  const stageWith = ({ market, scenario, overrides, stage }: SessionContext, only: ReadonlySet<number>) => {
    let known = fewerFaults.get(stage)
    if (known === undefined)
      fewerFaults.set(
        stage,
        (known = { meter: createWorkMeter(scenario.faults.length, 0, MAX_REPEATED_WORK), stages: new Map() }),
      )
    const { stages, meter } = known
    const faults = scenario.faults.filter(({ index, fault }) => only.has(index) && stageOf(fault) === 'market')
    const key = faults.map(({ index }) => index).join()
    const found = stages.get(key) ?? createMarketStage(market, { ...scenario, faults }, overrides, meter)
    if (stages.size >= MAX_STAGES) stages.clear()
    stages.set(key, found)
    return found
  }

  /**
   * The draft with only some of the faults. It does not pause: its work is limited, and each attempt would begin with the drafts before.
   * @param continues whether its work counts together with that of the one before
   * @param bytes the length of the whole draft
   */
  const draftWith = (
    { match, target, request, session, second, isRepeated, trace }: MatchedRequest,
    { byStage }: SelectedFaults,
    only: ReadonlySet<number>,
    continues: boolean,
    bytes: number,
  ): CachedReply | undefined => {
    const early = session.scenario.faults.filter(({ index, fault }) => only.has(index) && !isLateFault(fault))
    const faultsKey = early.map(({ index }) => index).join()
    const cacheKey = `only ${faultsKey} ${request.target}`
    const known = second.replies.get(cacheKey)
    if (known !== undefined && trace === undefined) return known
    const chosen = (list: readonly ActiveFault[]) => list.filter(({ index }) => only.has(index))
    const { tick, signature, series } = byStage
    const faults = { ...NO_FAULTS, tick: chosen(tick), signature: chosen(signature), series: chosen(series) }
    const stage = stageWith(session, only)
    const context = createEndpointContext({ ...session, stage }, second.context.now, faults)
    try {
      const { result } = stage.track(() => {
        stage.spend(repeatedWork(bytes, early.length))
        return answerEndpoint(match, context, target)
      }, continues)
      const reply = toCachedReply(result.status, result.value, [], true)
      if (isRepeated && trace === undefined) memory.remember(second, cacheKey, reply)
      return reply
    } catch (error) {
      if (isTooCostly(error)) return undefined
      throw error
    }
  }

  /** The answer while no scenario is active. */
  const answerWithoutFaults = (matched: MatchedRequest): Outcome => {
    const { status, text } = draft(matched)
    return toReply(status, matched.second.headers.reply(matched.n, text.length, { status }), text)
  }

  /** The answer under a scenario. */
  const answerWithFaults = (matched: MatchedRequest, state: State, ordinal: number): FaultedAnswer => {
    const { match, target, session, second, n, trace } = matched
    const endpoint = match.endpoint.name
    const selected = selectFaults(session.scenario, {
      endpoint,
      ordinal: ordinal - (state.applied[endpoint] ?? 0),
      now: second.context.now,
      seed: session.settings.seed,
    })
    trace?.onSelect?.(selected)
    const drafted = draft(matched, selected)
    const isRefused = match.endpoint.protected && matched.key !== 'accepted'
    let continues = false
    let isTooMuch = false
    return applyFaults(session.scenario, selected, {
      draft: drafted,
      // The look-ups of history and candles see more than they show, and an error may hide what a fault did to a feed.
      isExact: drafted.status === 200 && match.endpoint.canPause !== true,
      counts: state.faults,
      draftWith(only) {
        if (isRefused) return drafted
        if (isTooMuch) return undefined
        const found = draftWith(matched, selected, only, continues, drafted.text.length)
        continues = true
        isTooMuch = found === undefined
        return found
      },
      feeds: () => feedsAsked(match, second.context, target),
      toReply(content, body, faults) {
        const { status, mediaType, cors, delayMs } = content
        const headers = second.headers.reply(n, body.length, {
          status,
          mediaType,
          cors,
          headers: content.headers,
          faults,
        })
        return toReply(status, headers, body, delayMs)
      },
    })
  }

  return (session, state, request, base, trace, pauses) => {
    const routed = routeOf(request.target)
    const { target, match, shown } = routed
    if (match === undefined || (base !== undefined && match.endpoint.base !== base)) return undefined
    const { method, authorization } = request
    const endpoint = match.endpoint.name
    const now = Math.floor(readClock(session.clock, request.receivedAt) / 1000)
    const n = state.n + 1
    const key = checkKey(session, authorization)
    const second = memory.secondOf(session, now)
    // The second attempt of a request is no second request.
    const { isRepeated } = pauses?.progress ?? routed
    const matched: MatchedRequest = { request, target, match, session, second, key, n, isRepeated, trace, pauses }

    // Only GET and HEAD are counted, and only they meet faults.
    const counts = method === 'GET' || method === 'HEAD'
    const ordinal = counts ? (state.ordinals[endpoint] ?? 0) + 1 : 0
    const ordinals = counts ? withOrdinal(state.ordinals, endpoint, ordinal) : state.ordinals
    const hasFaults = counts && (session.scenario.faults.length > 0 || trace !== undefined)
    const answer = orTooCostly(
      () =>
        hasFaults
          ? answerWithFaults(matched, state, ordinal)
          : {
              outcome: counts ? answerWithoutFaults(matched) : answerMethod(matched),
              faults: [],
              counts: state.faults,
            },
      state,
    )
    const { outcome, faults } = answer
    return {
      outcome,
      state: { n, ordinals, applied: state.applied, faults: answer.counts },
      entry: {
        n,
        ordinal,
        endpoint,
        method,
        target: shown,
        apiKey: toJournaledKey(key, authorization, session),
        keyProblem:
          key === 'accepted' || !counts || !match.endpoint.protected
            ? undefined
            : findKeyProblem(authorization, target.query, session),
        status: 'status' in outcome ? outcome.status : 0,
        retryAfter: faults.length > 0 && 'status' in outcome ? findRetryAfter(outcome.headers) : undefined,
        faults,
        quotas: state.faults.length === 0 ? undefined : quotasOf(state.faults),
        now,
        receivedAt: request.receivedAt,
        ...(n === 1 && session.replacesEvicted ? EVICTED : NOT_EVICTED),
      },
    }
  }
}

const EVICTED = { evicted: true } as const
const NOT_EVICTED = {}

/** The answer, or an error of the mock's own where the scenario makes it too costly. Such a request counts for no fault. */
function orTooCostly(answer: () => FaultedAnswer, state: State): FaultedAnswer {
  try {
    return answer()
  } catch (error) {
    if (!isTooCostly(error)) throw error
    return { outcome: problemReply(error), faults: [], counts: state.faults }
  }
}

/** A copy with one ordinal changed. Assigned, because V8 is slow at computed keys in literals. */
function withOrdinal(ordinals: State['ordinals'], endpoint: string, ordinal: number): State['ordinals'] {
  const copy: Record<string, number> = { ...ordinals }
  copy[endpoint] = ordinal
  return copy
}

/** Checks the value of the `Authorization` header. */
export function checkKey(session: SessionContext, authorization: string | undefined): KeyCheck {
  if (authorization === undefined || authorization === '') return 'missing'
  return session.acceptsKey(authorization) ? 'accepted' : 'unknown'
}

/** The key as the journal shows it. An unknown one may be a real one, and an accepted one may be a secret of the user. */
function toJournaledKey(
  key: KeyCheck,
  authorization: string | undefined,
  { settings }: SessionContext,
): string | undefined {
  if (key === 'missing' || authorization === undefined) return authorization
  if (key === 'accepted') return toShownKey(authorization, settings)
  return isRepeated(authorization) ? '(several values, not shown)' : NOT_SHOWN
}

function unauthorized(key: KeyCheck, authorization = ''): ServiceError {
  return new ServiceError(401, 'unauthorized', key === 'missing' ? MISSING_KEY : describeKey(authorization))
}

const MISSING_KEY = 'The Authorization header is missing: its value is the API key itself, without a scheme.'

function describeKey(authorization: string): string {
  if (isRepeated(authorization)) return 'The Authorization header has several values: send only the API key.'
  const scheme = schemeOf(authorization)
  return scheme
    ? `The API key is sent bare: remove "${scheme}" from the Authorization header, its value is the key itself.`
    : 'The API key in the Authorization header is not a valid one.'
}

/** The used quotas of the faults of a scenario, if one of them has a quota. */
const quotasOf = (faults: State['faults']): JournalEntry['quotas'] =>
  faults.some(({ quota }) => quota !== undefined) ? faults.map(({ quota = null }) => quota) : undefined

/** The seconds of the `Retry-After` in headers, if there is one. */
function findRetryAfter(headers: Reply['headers']): number | undefined {
  const at = headers.indexOf('retry-after')
  return at < 0 ? undefined : Number(headers[at + 1])
}

/** The answer to a preflight, or to a method that is not allowed. */
function answerMethod({ request: { method }, second: { headers }, n }: MatchedRequest): Outcome {
  if (method === 'OPTIONS') return toReply(204, headers.preflight(n), '')
  const error = new ServiceError(405, 'method_not_allowed', `${method} is not allowed here: use GET, HEAD or OPTIONS.`)
  const text = toAsciiJson(error.value)
  return toReply(405, headers.reply(n, text.length, { headers: ['allow', ALLOW] }), text)
}

const isTooCostly = (error: unknown): error is PriceFeedMockError =>
  isPriceFeedMockError(error) && error.code === 'SCENARIO_TOO_COSTLY'

const toCachedReply = (
  status: number,
  value: unknown,
  applied: readonly number[],
  keepsValue: boolean,
): CachedReply => ({ status, value: keepsValue ? value : undefined, text: toAsciiJson(value), applied })

function toReply(status: number, headers: Reply['headers'], body: string, delayMs = 0): Reply {
  return { kind: 'reply', status, headers, body, delayMs }
}
