// The reducer: session context, state and request give an outcome, the next state and a journal entry. Synchronous and pure.
// Stages: route, method, auth, parameters, market, tick, signature, series, reply, wire.
import type { TickFault } from '../faults/fault.js'
import { type Outcome, problemReply, type Reply, toAsciiJson } from '../outcome.js'
import { parseRetryAfter } from '../settings/time.js'
import {
  applyFaults,
  type FaultedAnswer,
  NO_FAULTS,
  type SelectedFaults,
  type State,
  selectFaults,
  withWindows,
} from './apply-faults.js'
import { readClock } from './clock.js'
import { createDrafts, type MatchedRequest } from './drafts.js'
import { type Base, feedsAsked, parseParameters, type ServiceEndpoint, ServiceError } from './endpoint.js'
import { createEndpointContext, type Trace } from './endpoint-context.js'
import type { JournalEntry } from './journal-entry.js'
import { checkKey, findKeyProblem, numberKey } from './key-problem.js'
import type { LookUps } from './market-stage.js'
import { type Received, readBody, refused, toReceived } from './received.js'
import type { Counters } from './record.js'
import { ALLOW } from './reply-headers.js'
import { type ServiceRequest, splitTarget } from './request.js'
import { createRoutes, type MatchedRoute } from './router.js'
import type { Runtime } from './runtime.js'
import { isTooCostly } from './work-limit.js'

/** The result of the reducer. */
export interface Answer {
  readonly outcome: Outcome
  readonly counters: Counters
  readonly entry: JournalEntry
}

/** The reducer. */
export type Respond = ReturnType<typeof createRespond>

/** Creates the reducer of the given endpoints. It caches only results of pure functions. */
export function createRespond(endpoints: readonly ServiceEndpoint[]) {
  const routeOf = createRoutes(endpoints)
  const { secondOf, draft, createRepeats } = createDrafts()

  const answerWithoutFaults = (matched: MatchedRequest, { faults: counts }: State): JudgedAnswer => {
    const drafted = draft(matched)
    const { status, text } = drafted
    const outcome = toReply(status, matched.second.headers.reply(matched.n, text.length, { status }), text)
    drafted.received ??= toReceived(outcome, undefined, body => judge(matched, body))
    return { outcome, faults: NONE, counts, received: drafted.received }
  }

  const answerWithFaults = (matched: MatchedRequest, state: State, ordinal: number): JudgedAnswer => {
    const { match, target, session, second, n, trace } = matched
    const endpoint = match.endpoint.name
    const selected = select(session, state, endpoint, ordinal, second.context.now, matched.request.target)
    trace?.onSelect?.(selected)
    const drafted = draft(matched, selected)
    const hasActed = ({ index }: { readonly index: number }): boolean => drafted.applied.includes(index)
    const answer = applyFaults(session.scenario, selected, {
      draft: drafted,
      // The look-ups of history, of candles and of faults for an earlier price see more than is shown, and an error may hide what a fault
      // did to a feed.
      isExact:
        drafted.status === 200 &&
        match.endpoint.lookUps === undefined &&
        selected.byStage.tick.every(hasActed) &&
        selected.byStage.signature.every(hasActed),
      counts: state.faults,
      draftWith: createRepeats(matched, selected, drafted),
      feeds: () => feedsAsked(match, second.context, target),
      toReply({ status, mediaType, cors, headers, delayMs }, body, faults) {
        const all = second.headers.reply(n, body.length, { status, mediaType, cors, headers, faults })
        return toReply(status, all, body, delayMs)
      },
    })
    const received = toReceived(answer.outcome, answer.forger, body => {
      if (drafted.status !== 200 || body !== drafted.text) return judge(matched, body)
      drafted.received ??= judge(matched, body)
      return drafted.received
    })
    return { ...answer, received }
  }

  const judge = ({ match, target, second: { context }, session }: MatchedRequest, body: string): Received =>
    readBody(body, {
      endpoint: match.endpoint.name,
      now: context.now,
      feed: context.feed,
      numbered: number => session.market.feeds.find(one => one.number === number),
      feeds: () => feedsAsked(match, context, target),
      minutes: () => Number(target.query.find(([name]) => name === 'minutes')?.[1]),
    })

  /** The long look-ups of the answer to a request. Undefined if it needs none. */
  const lookUps = (
    session: Runtime,
    counters: Counters,
    request: ServiceRequest,
    trace?: Trace,
  ): LookUps | undefined => {
    const { target, match } = request.route ?? routeOf(request.target)
    if (match?.endpoint.lookUps === undefined) return undefined
    const { endpoint } = match
    if (!isCounted(request.method)) return undefined
    if (endpoint.protected && checkKey(session, request.authorization).verdict !== 'accepted') return undefined
    const now = Math.floor(readClock(counters.clock, request.receivedAt) / 1000)
    const { stage, scenario } = session
    const { context: honest, replies } = secondOf(session, now)
    const ordinal = (counters.ordinals[endpoint.name] ?? 0) + 1
    const state = withWindows(counters, scenario, now)
    const selected =
      scenario.faults.length === 0 ? undefined : select(session, state, endpoint.name, ordinal, now, request.target)
    const { key = '', byStage: { tick, series } = NO_FAULTS } = selected ?? {}
    if (trace === undefined && replies.has(key + request.target)) return undefined
    // Faults choose the interval of a chart, and add feeds to a history.
    const adding = tick.filter(({ fault }) => (fault as TickFault).adds)
    const isHonest = series.length === 0 && adding.length === 0
    const context = isHonest ? honest : createEndpointContext(session, now, { ...NO_FAULTS, tick: adding, series })
    const work = { units: 0, known: new Map() }
    let steps: Iterator<unknown>
    return {
      stage,
      now,
      known: work.known,
      makeNext() {
        try {
          steps ??= endpoint.lookUps!(context, parseParameters(match, context, target))
          return stage.track(() => steps.next(), work).result.done !== true
        } catch (error) {
          // The answer meets it as well.
          if (error instanceof ServiceError || isTooCostly(error)) return false
          throw error
        }
      },
    }
  }

  /** The route of a target if an endpoint has its path, and belongs to `base`. Otherwise undefined. */
  const matchedRouteOf = (target: string, base?: Base): MatchedRoute<ServiceEndpoint> | undefined => {
    const route = routeOf(target)
    const { match } = route
    const isServed = match !== undefined && (base === undefined || match.endpoint.base === base)
    return isServed ? (route as MatchedRoute<ServiceEndpoint>) : undefined
  }

  /** Undefined if no endpoint has the path of the request. `made` are look-ups that were made before. */
  const respond = (
    session: Runtime,
    before: Counters,
    request: ServiceRequest,
    trace?: Trace,
    made?: LookUps,
  ): Answer | undefined => {
    const { target, match, shown, isRepeated } = request.route ?? routeOf(request.target)
    if (match === undefined) return undefined
    const { method, authorization } = request
    const endpoint = match.endpoint.name
    const nowMs = Math.floor(readClock(before.clock, request.receivedAt))
    const now = Math.floor(nowMs / 1000)
    const n = before.n + 1
    const key = checkKey(session, authorization)
    const isRefused = match.endpoint.protected && key.verdict !== 'accepted'
    const second = secondOf(session, now)
    const matched = { request, target, match, session, second, key, n, isRepeated, isRefused, trace, made }

    const counts = isCounted(method)
    const isCalm = session.scenario.faults.length === 0
    const counters = counts && !isCalm ? withWindows(before, session.scenario, now) : before
    const ordinal = counts ? (before.ordinals[endpoint] ?? 0) + 1 : 0
    const ordinals: Record<string, number> = { ...before.ordinals }
    // Assigned, because V8 is slow at computed keys in literals.
    if (counts) ordinals[endpoint] = ordinal
    let answer: JudgedAnswer
    try {
      if (!counts) answer = answerMethod(matched, before)
      else if (isCalm && trace === undefined) answer = answerWithoutFaults(matched, before)
      else answer = answerWithFaults(matched, counters, ordinal)
    } catch (error) {
      if (!isTooCostly(error)) throw error
      // An error of the mock's own, where the scenario makes the answer too costly. Such a request counts for no fault.
      const outcome = problemReply(error)
      answer = { outcome, faults: NONE, counts: counters.faults, received: refused(outcome.status) }
    }
    const { outcome, faults, received } = answer
    const { entry, refused: refusedKeys } = numberKey(
      counters.refused,
      {
        n,
        ordinal,
        endpoint,
        method,
        target: shown,
        apiKey: key.shown,
        keyProblem: isRefused && counts ? findKeyProblem(authorization, target.query, session) : undefined,
        status: 'status' in outcome ? outcome.status : 0,
        got: received?.got,
        why: received?.why,
        retryAfter: faults.length > 0 && 'status' in outcome ? findRetryAfter(outcome.headers, now) : undefined,
        faults,
        quotas: before.faults.length === 0 ? undefined : countedBy(before.faults, 'quota'),
        windows: counters.faults.length === 0 ? undefined : countedBy(counters.faults, 'window'),
        now,
        nowMs,
        receivedAt: request.receivedAt,
        evicted: n === 1 && session.setup.replacesEvicted ? true : undefined,
      },
      authorization,
    )
    const { clock, applied } = counters
    const at = request.receivedAt
    return {
      outcome,
      counters: { n, ordinals, applied, faults: answer.counts, clock, refused: refusedKeys, at },
      entry,
    }
  }
  return Object.assign(respond, { lookUps, routeOf, matchedRouteOf })
}

/** Only GET and HEAD are counted, and only they meet faults. */
const isCounted = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** An answer with the judgement on it. A preflight has none: it asks for no price. */
interface JudgedAnswer extends FaultedAnswer {
  readonly received: Received | undefined
}

const NONE: readonly string[] = []

/** The faults that are active on the request of an ordinal. */
const select = (
  { scenario, settings }: Runtime,
  { applied, faults }: State,
  endpoint: string,
  ordinal: number,
  now: number,
  target: string,
): SelectedFaults =>
  selectFaults(scenario, {
    target: () => splitTarget(target).target,
    endpoint,
    ordinal: ordinal - (applied[endpoint] ?? 0),
    ordinalIn: index => ordinal - (faults[index]?.window?.ordinals[endpoint] ?? 0),
    now,
    seed: settings.seed,
  })

/** The counts that faults keep for themselves; undefined if none has one. */
const countedBy = <Key extends 'quota' | 'window'>(faults: State['faults'], key: Key) =>
  faults.some(one => one[key] !== undefined) ? faults.map(one => one[key] ?? null) : undefined

/** The seconds of the `Retry-After` in headers at second `now`, if there is one that makes sense. */
function findRetryAfter(headers: Reply['headers'], now: number): number | undefined {
  const at = headers.indexOf('retry-after')
  if (at < 0) return undefined
  const seconds = parseRetryAfter(headers[at + 1]!, now)
  return seconds >= 0 ? seconds : undefined
}

/** The answer to a preflight, or to a method that is not allowed. */
function answerMethod(
  { request: { method }, second: { headers }, n }: MatchedRequest,
  { faults: counts }: State,
): JudgedAnswer {
  if (method === 'OPTIONS')
    return { outcome: toReply(204, headers.preflight(n), ''), faults: NONE, counts, received: undefined }
  const error = new ServiceError(405, 'method_not_allowed', `${method} is not allowed here: use GET, HEAD or OPTIONS.`)
  const text = toAsciiJson(error.value)
  const outcome = toReply(405, headers.reply(n, text.length, { headers: ['allow', ALLOW] }), text)
  return { outcome, faults: NONE, counts, received: refused(405) }
}

function toReply(status: number, headers: Reply['headers'], body: string, delayMs = 0): Reply {
  return { kind: 'reply', status, headers, body, delayMs }
}
