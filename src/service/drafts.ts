// The draft of an answer: stages auth to series, as they are before reply faults; and the same with only some of the faults.
// Drafts are results of pure functions. They are kept for the current second of each session, bounded over all sessions.
import { getOrCreate } from '../caches.js'
import { stageOf } from '../faults/fault.js'
import { toAsciiJson } from '../outcome.js'
import type { ActiveFault } from '../scenario/scenario.js'
import { isLateFault, NO_FAULTS, type SelectedFaults } from './apply-faults.js'
import { answerEndpoint, type ServiceEndpoint } from './endpoint.js'
import { createEndpointContext, type EndpointContext, type Trace } from './endpoint-context.js'
import { type KeyCheck, unauthorized } from './key-problem.js'
import { createMarketStage, type LookUps, type MarketStage, type Work } from './market-stage.js'
import type { Received } from './received.js'
import { createReplyHeaders, type ReplyHeaders } from './reply-headers.js'
import type { ServiceRequest, Target } from './request.js'
import type { Match } from './router.js'
import type { Runtime } from './runtime.js'
import {
  createWorkMeter,
  MAX_REPEATED_WORK,
  MAX_WORK,
  repeatedWork,
  unlessTooCostly,
  type WorkMeter,
} from './work-limit.js'

/** The answer of an endpoint before headers and reply faults. */
export interface CachedReply {
  readonly status: number
  /** Kept only if a reply fault may change it. */
  readonly value: unknown
  /** The value as JSON. */
  readonly text: string
  /** Indices of the faults applied to it. */
  readonly applied: readonly number[]
  /** Units of its work, which count each time: the same request then gives up at the same place. */
  readonly units?: number | undefined
  /** The judgement on it, once it has arrived unchanged. */
  received?: Received
}

/** Everything that all requests of a session in one second have in common. */
export interface CachedSecond {
  /** The context without faults of tick, signature and series. */
  readonly context: EndpointContext
  readonly headers: ReplyHeaders
  /** By target and active faults. */
  readonly replies: Map<string, CachedReply>
  /** Characters held in `replies`. */
  size: number
}

/** Maximum number of cached characters over all sessions. */
const MAX_CHARACTERS = 4_000_000

/** Creates an empty cache of drafts. */
export function createMemory() {
  let seconds = new WeakMap<Runtime, CachedSecond>()
  /** Cached characters. Those of deleted sessions still count. */
  let held = 0
  return {
    /** The cache of a session at virtual second `now`. Only the newest second of a session is kept. */
    secondOf(session: Runtime, now: number): CachedSecond {
      let second = seconds.get(session)
      if (second?.context.now !== now) {
        held -= second?.size ?? 0
        second = {
          context: createEndpointContext(session, now),
          headers: createReplyHeaders(session, now),
          replies: new Map(),
          size: 0,
        }
        seconds.set(session, second)
      }
      return second
    },
    remember(second: CachedSecond, key: string, reply: CachedReply): void {
      const size = key.length + reply.text.length * (reply.value === undefined ? 1 : 2)
      if (held + size > MAX_CHARACTERS) {
        seconds = new WeakMap()
        held = 0
      } else {
        second.replies.set(key, reply)
        second.size += size
        held += size
      }
    },
  }
}

/** A request with its endpoint. */
export interface MatchedRequest {
  readonly request: ServiceRequest
  readonly target: Target
  readonly match: Match<ServiceEndpoint>
  readonly session: Runtime
  readonly second: CachedSecond
  readonly key: KeyCheck
  /** Number of the request within its session, from 1. */
  readonly n: number
  readonly isRepeated: boolean
  /** Whether its key gets a 401. */
  readonly isRefused: boolean
  readonly trace: Trace | undefined
  readonly made: LookUps | undefined
}

/** The number of stages with fewer faults that are kept for a session. */
const MAX_STAGES = 16

/** Creates the functions that make drafts, and keep those of repeated targets. */
export function createDrafts() {
  const memory = createMemory()
  /** Without `selected` nothing can fail and the value is not kept. */
  const draft = (matched: MatchedRequest, selected?: SelectedFaults): CachedReply => {
    const { request, second, key, trace } = matched
    if (matched.isRefused) return toCachedReply(unauthorized(key, request.authorization), [], selected !== undefined)
    const cacheKey = selected === undefined ? request.target : selected.key + request.target
    const cached = trace === undefined ? second.replies.get(cacheKey) : undefined
    return cached ?? makeReply(matched, cacheKey, selected)
  }

  /** A draft that is not cached. */
  const makeReply = (matched: MatchedRequest, cacheKey: string, selected: SelectedFaults | undefined): CachedReply => {
    const { target, match, session, second, isRepeated, trace, made } = matched
    // If the session was changed after its look-ups, they are made anew.
    const holds = made?.stage === session.stage && made.now === second.context.now
    const work: Work = { units: 0, ...(holds ? { known: made.known } : {}) }
    const { result, applied } = session.stage.track(
      markApplied =>
        answerEndpoint(
          match,
          selected === undefined
            ? second.context
            : createEndpointContext(session, second.context.now, selected.byStage, markApplied, trace),
          target,
        ),
      work,
    )
    const reply = toCachedReply(result, applied, selected !== undefined, work.units)
    if (isRepeated && trace === undefined) memory.remember(second, cacheKey, reply)
    return reply
  }

  /** The stages of a session with only some of its market faults, and their common meter. */
  const fewerFaults = new WeakMap<MarketStage, { meter: WorkMeter; stages: Map<string, MarketStage> }>()
  const stageWith = ({ market, scenario, overrides, stage }: Runtime, only: ReadonlySet<number>) => {
    const { stages, meter } = getOrCreate(fewerFaults, stage, () => ({
      meter: createWorkMeter(scenario.faults.length, 0, MAX_REPEATED_WORK),
      stages: new Map(),
    }))
    const faults = scenario.faults.filter(({ index, fault }) => only.has(index) && stageOf(fault) === 'market')
    const key = faults.map(({ index }) => index).join()
    return getOrCreate(stages, key, () => {
      if (stages.size === MAX_STAGES) stages.clear()
      return createMarketStage(market, { ...scenario, faults }, overrides, meter)
    })
  }

  /** The draft with only some of the faults, by their indexes; undefined once it is too costly together with those before. */
  const createRepeats = (matched: MatchedRequest, { byStage }: SelectedFaults, drafted: CachedReply) => {
    if (matched.isRefused) return () => drafted
    const { match, target, request, session, second, isRepeated, trace } = matched
    // The repeats of an answer have the work that the answer itself has left.
    const left = MAX_WORK - (drafted.units ?? 0)
    let spent = Math.max(0, MAX_REPEATED_WORK - left)
    const lookUps = new Map<MarketStage, NonNullable<Work['known']>>()
    return (only: ReadonlySet<number>): CachedReply | undefined => {
      if (spent > MAX_REPEATED_WORK) return undefined
      const early = session.scenario.faults.filter(({ index, fault }) => only.has(index) && !isLateFault(fault))
      const faultsKey = early.map(({ index }) => index).join()
      const cacheKey = `only ${faultsKey} ${request.target}`
      const known = second.replies.get(cacheKey)
      if (known !== undefined && trace === undefined) {
        spent += known.units!
        return spent > MAX_REPEATED_WORK ? undefined : known
      }
      const chosen = (list: readonly ActiveFault[]) => list.filter(({ index }) => only.has(index))
      const { tick, signature, series } = byStage
      const faults = { ...NO_FAULTS, tick: chosen(tick), signature: chosen(signature), series: chosen(series) }
      const stage = stageWith(session, only)
      const context = createEndpointContext({ ...session, stage }, second.context.now, faults)
      const work: Work = { units: spent, known: getOrCreate(lookUps, stage, () => new Map()) }
      const tracked = unlessTooCostly(() =>
        stage.track(() => {
          stage.spend(repeatedWork(drafted.text.length, early.length))
          return answerEndpoint(match, context, target)
        }, work),
      )
      const units = work.units - spent
      spent = work.units
      if (tracked === undefined) return undefined
      const reply = toCachedReply(tracked.result, [], true, units)
      if (isRepeated && trace === undefined) memory.remember(second, cacheKey, reply)
      return reply
    }
  }

  return { secondOf: memory.secondOf, draft, createRepeats }
}

const toCachedReply = (
  { status, value }: Pick<CachedReply, 'status' | 'value'>,
  applied: readonly number[],
  keepsValue: boolean,
  units?: number,
): CachedReply => ({ status, value: keepsValue ? value : undefined, text: toAsciiJson(value), applied, units })
