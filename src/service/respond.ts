// The reducer: a world, its state and a request give an outcome, the next state and a journal entry. Synchronous and pure;
// hosts load and save. Stages: route, method, auth, parameters, market, tick, signature, series, reply, wire.
import { createBoundedCache } from '../bounded-cache.js'
import type { Content } from '../faults/fault.js'
import { type Outcome, type Reply, toAsciiJson } from '../outcome.js'
import { readClock } from './clock.js'
import { answerOf, feedsAsked, type ServiceEndpoint, toContent } from './content.js'
import { disturb } from './disturb.js'
import { type Due, dueAt } from './due.js'
import { type Base, Refusal } from './endpoint.js'
import type { JournalEntry } from './journal.js'
import { redactKey, refuseKey } from './keys.js'
import { createMoment, type Moment, type Trace, type World } from './moment.js'
import { ALLOW, createReplyHeaders, type ReplyHeaders } from './reply-headers.js'
import { parseTarget, type ServiceRequest, type Target } from './request.js'
import { createRouter, type Match } from './router.js'
import type { FaultCount, State } from './state.js'

/** What the reducer makes of a request. */
export interface Answer {
  readonly outcome: Outcome
  readonly state: State
  readonly entry: JournalEntry
}

/** Who watches a whole answer come about; nothing remembered is used then. */
export interface AnswerTrace extends Trace {
  onDue?(due: Due): void
}

/** Answers a request, or returns undefined when no endpoint of the base address (of either, without one) has its path. */
export type Respond = (
  world: World,
  state: State,
  request: ServiceRequest,
  base?: Base,
  trace?: AnswerTrace,
) => Answer | undefined

/** What an endpoint answers, before headers and before faults of the reply. */
interface Made {
  readonly status: number
  readonly value: unknown
  /** The value as JSON. */
  readonly text: string
  /** Indices of the faults that have touched it. */
  readonly touched: readonly number[]
}

/** What stays the same for all requests of one second of one world. */
interface SecondOfWorld {
  readonly moment: Moment
  readonly headers: ReplyHeaders
  /** By target, and by the faults at work on it. */
  readonly contents: Map<string, Made>
  /** Characters held in `contents`. */
  size: number
}

/** Targets whose route is remembered, and how long one may be. */
const REMEMBERED_TARGETS = 1000
const LONGEST_REMEMBERED = 4096
/** Characters of bodies remembered over all worlds, for the current second of each. */
const REMEMBERED_CHARACTERS = 4_000_000

/** Creates the reducer of some endpoints. What it remembers are results of pure functions. */
export function createRespond(endpoints: readonly ServiceEndpoint[]): Respond {
  const route = createRouter(endpoints)
  const routes = createBoundedCache<string, { target: Target; match: Match<ServiceEndpoint> | undefined }>(
    REMEMBERED_TARGETS,
  )
  let seconds = new WeakMap<World, SecondOfWorld>()
  /** Characters remembered: too many of them where worlds have gone, never too few. */
  let held = 0

  const routeOf = (raw: string) => {
    let routed = routes.get(raw)
    if (routed === undefined) {
      const target = parseTarget(raw)
      routed = { target, match: route(target) }
      if (raw.length <= LONGEST_REMEMBERED) routes.set(raw, routed)
    }
    return routed
  }

  const secondOf = (world: World, now: number): SecondOfWorld => {
    let second = seconds.get(world)
    if (second?.moment.now !== now) {
      held -= second?.size ?? 0
      second = {
        moment: createMoment(world, now),
        headers: createReplyHeaders(world, now),
        contents: new Map(),
        size: 0,
      }
      seconds.set(world, second)
    }
    return second
  }

  const remember = (second: SecondOfWorld, key: string, made: Made): void => {
    // What a fault of the reply may want to change is kept as a value, too.
    const size = key.length + made.text.length * (made.value === undefined ? 1 : 2)
    if (held + size > REMEMBERED_CHARACTERS) {
      seconds = new WeakMap()
      held = 0
    } else {
      second.contents.set(key, made)
      second.size += size
      held += size
    }
  }

  /** Stages parameters to series where nothing goes wrong. */
  const makeCalm = (second: SecondOfWorld, match: Match<ServiceEndpoint>, target: Target, raw: string): Made => {
    const known = second.contents.get(raw)
    if (known !== undefined) return known
    const { status, value } = answerOf(match, second.moment, target)
    const made = { status, value: undefined, text: toAsciiJson(value), touched: [] }
    remember(second, raw, made)
    return made
  }

  /** The same under faults. */
  const makeDisturbed = (
    world: World,
    second: SecondOfWorld,
    match: Match<ServiceEndpoint>,
    target: Target,
    raw: string,
    due: Due,
    trace: AnswerTrace | undefined,
  ): Made => {
    const key = `${due.key}${raw}`
    const known = trace === undefined ? second.contents.get(key) : undefined
    if (known !== undefined) return known
    const touched = world.stage.touched
    touched.clear()
    const moment = createMoment(world, second.moment.now, due.byStage, touched, trace)
    const { status, value } = answerOf(match, moment, target)
    const made = { status, value, text: toAsciiJson(value), touched: [...touched] }
    if (trace === undefined) remember(second, key, made)
    return made
  }

  return (world, state, request, base, trace) => {
    const { target, match } = routeOf(request.target)
    if (match === undefined || (base !== undefined && match.endpoint.base !== base)) return undefined
    const { endpoint } = match
    const { method } = request
    const now = Math.floor(readClock(world.clock, request.receivedAt) / 1000)
    const second = secondOf(world, now)

    const n = state.n + 1
    const counts = method === 'GET' || method === 'HEAD'
    const ordinal = counts ? (state.ordinals[endpoint.name] ?? 0) + 1 : 0
    const ordinals = counts ? { ...state.ordinals, [endpoint.name]: ordinal } : state.ordinals

    let outcome: Outcome
    let status: number
    let faults: readonly string[] = []
    let faultCounts: readonly FaultCount[] = state.faults
    if (method === 'OPTIONS') {
      outcome = toReply((status = 204), second.headers.preflight(n), '')
    } else if (!counts) {
      const { value } = new Refusal(
        405,
        'method_not_allowed',
        `${method} is not allowed here: use GET, HEAD or OPTIONS.`,
      )
      const text = toAsciiJson(value)
      outcome = toReply((status = 405), second.headers.reply(n, text.length, { headers: ['allow', ALLOW] }), text)
    } else {
      const refusal = endpoint.protected ? refuseKey(world, request.authorization) : undefined
      const refused = refusal && {
        status: refusal.status,
        value: refusal.value,
        text: toAsciiJson(refusal.value),
        touched: [],
      }
      if (world.scenario.faults.length === 0 && trace === undefined) {
        const made = refused ?? makeCalm(second, match, target, request.target)
        outcome = toReply((status = made.status), second.headers.reply(n, made.text.length), made.text)
      } else {
        const asked = { endpoint: endpoint.name, ordinal: ordinal - (state.applied[endpoint.name] ?? 0) }
        const due = dueAt(world.scenario, { ...asked, now, seed: world.settings.seed })
        trace?.onDue?.(due)
        const made = refused ?? makeDisturbed(world, second, match, target, request.target, due, trace)
        const disturbed = disturb(world.scenario, due, {
          content: toContent(made.status, made.value),
          text: made.text,
          touched: made.touched,
          counts: state.faults,
          feeds: () => feedsAsked(match, second.moment, target),
          toReply(content: Content, text: string, names: readonly string[]) {
            status = content.status
            const headers = second.headers.reply(n, text.length, { ...content, faults: names })
            return { ...toReply(status, headers, text), delayMs: content.delayMs }
          },
        })
        outcome = disturbed.outcome
        status = 'status' in outcome ? outcome.status : 0
        faults = disturbed.faults
        faultCounts = disturbed.counts
      }
    }
    return {
      outcome,
      state: { n, ordinals, applied: state.applied, faults: faultCounts },
      entry: {
        n,
        ordinal,
        endpoint: endpoint.name,
        method,
        target: request.target,
        apiKey: redactKey(world, request.authorization),
        status,
        faults,
        now,
        receivedAt: request.receivedAt,
      },
    }
  }
}

function toReply(status: number, headers: Reply['headers'], body: string): Reply {
  return { kind: 'reply', status, headers, body, delayMs: 0 }
}
