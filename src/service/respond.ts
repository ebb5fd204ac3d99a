// The reducer: a world, its state and a request give an outcome, the next state and a journal entry. Synchronous and pure;
// hosts load and save. Stages: route, method, auth, parameters, market, tick, signature, series, reply, wire.
import { createBoundedCache } from '../bounded-cache.js'
import { nearest } from '../errors.js'
import { type HeaderList, type Outcome, toAsciiJson } from '../outcome.js'
import { readClock } from './clock.js'
import { type Base, type Endpoint, Refusal } from './endpoint.js'
import type { JournalEntry } from './journal.js'
import { createMoment, type Moment, type World } from './moment.js'
import { ALLOW, createReplyHeaders, type ReplyHeaders } from './reply-headers.js'
import { parseTarget, type ServiceRequest, type Target } from './request.js'
import { createRouter, type Match } from './router.js'

/** What a session counts. */
export interface State {
  /** Requests so far. */
  readonly n: number
  /** GET and HEAD requests so far, by endpoint. */
  readonly ordinals: Readonly<Record<string, number>>
}

/** The state of a session that nobody has asked yet. */
export const INITIAL_STATE: State = { n: 0, ordinals: {} }

/** What the reducer makes of a request. */
export interface Answer {
  readonly outcome: Outcome
  readonly state: State
  readonly entry: JournalEntry
}

/** Answers a request, or returns undefined when no endpoint of the base address (of either, without one) has its path. */
export type Respond = (world: World, state: State, request: ServiceRequest, base?: Base) => Answer | undefined

/** An endpoint of the service, as the reducer sees it. */
export type ServiceEndpoint = Endpoint<Moment>

/** What an endpoint answers, before headers. */
interface Content {
  readonly status: number
  readonly body: string
}

/** What stays the same for all requests of one second of one world. */
interface SecondOfWorld {
  readonly moment: Moment
  readonly headers: ReplyHeaders
  readonly contents: Map<string, Content>
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

  const contentOf = (
    second: SecondOfWorld,
    { endpoint, pathValues }: Match<ServiceEndpoint>,
    target: Target,
    raw: string,
  ): Content => {
    const known = second.contents.get(raw)
    if (known !== undefined) return known
    const content = answer(endpoint, second.moment, target, pathValues)
    const size = raw.length + content.body.length
    if (held + size > REMEMBERED_CHARACTERS) {
      seconds = new WeakMap()
      held = 0
    } else {
      second.contents.set(raw, content)
      second.size += size
      held += size
    }
    return content
  }

  return (world, state, request, base) => {
    const { target, match } = routeOf(request.target)
    if (match === undefined || (base !== undefined && match.endpoint.base !== base)) return undefined
    const { endpoint } = match
    const { method } = request
    const now = Math.floor(readClock(world.clock, request.receivedAt) / 1000)
    const second = secondOf(world, now)

    const n = state.n + 1
    const counts = method === 'GET' || method === 'HEAD'
    const ordinal = counts ? (state.ordinals[endpoint.name] ?? 0) + 1 : 0

    let content: Content
    let headers: HeaderList
    if (method === 'OPTIONS') {
      content = { status: 204, body: '' }
      headers = second.headers.preflight(n)
    } else if (!counts) {
      content = new Refusal(405, 'method_not_allowed', `${method} is not allowed here: use GET, HEAD or OPTIONS.`)
      headers = second.headers.json(n, content.body.length, ['allow', ALLOW])
    } else {
      content =
        (endpoint.protected ? refuseKey(world, request.authorization) : undefined) ??
        contentOf(second, match, target, request.target)
      headers = second.headers.json(n, content.body.length)
    }
    const { status, body } = content
    return {
      outcome: { kind: 'reply', status, headers, body, delayMs: 0 },
      state: { n, ordinals: counts ? { ...state.ordinals, [endpoint.name]: ordinal } : state.ordinals },
      entry: {
        n,
        ordinal,
        endpoint: endpoint.name,
        method,
        target: request.target,
        apiKey: redactKey(world, request.authorization),
        status,
        faults: [],
        now,
        receivedAt: request.receivedAt,
      },
    }
  }
}

/** Auth stage: a refusal, or undefined when the key is one of the world's. */
function refuseKey(world: World, authorization: string | undefined): Refusal | undefined {
  if (authorization === undefined || authorization === '')
    return unauthorized('The Authorization header is missing: its value is the API key itself, without a scheme.')
  if (world.acceptsKey(authorization)) return undefined
  const scheme = /^(bearer|basic|token|apikey|api-key)\s+/i.exec(authorization)
  return unauthorized(
    scheme
      ? `The API key is sent bare: remove "${scheme[1]}" from the Authorization header, its value is the key itself.`
      : 'The API key in the Authorization header is not a valid one.',
  )
}

/** A key that the mock does not know may be a real one: it is never repeated. */
function redactKey(world: World, authorization: string | undefined): string | undefined {
  if (authorization === undefined || world.acceptsKey(authorization)) return authorization
  return '(not shown)'
}

const unauthorized = (message: string): Refusal => new Refusal(401, 'unauthorized', message)

/** Parameters stage and everything that the endpoint asks of the moment. */
function answer(
  endpoint: ServiceEndpoint,
  moment: Moment,
  { query }: Target,
  pathValues: Match<ServiceEndpoint>['pathValues'],
): Content {
  try {
    const values: Record<string, unknown> = {}
    for (const [name, parameter] of Object.entries(endpoint.parameters)) {
      const isInPath = parameter.in === 'path'
      const found = isInPath ? [pathValues[name]!] : query.filter(([key]) => key === name).map(([, value]) => value)
      try {
        values[name] = parameter.parse(found, name, moment.policy)
      } catch (error) {
        throw found.length === 0 && error instanceof Refusal ? withSlip(error, name, query) : error
      }
    }
    return { status: 200, body: toAsciiJson(endpoint.answer(moment, values)) }
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: error.body }
    throw error
  }
}

/** A refusal of a missing parameter, and the name that was likely meant for it. */
function withSlip(refusal: Refusal, name: string, query: Target['query']): Refusal {
  const slip = nearest(
    name,
    query.map(([key]) => key),
  )
  if (slip === undefined) return refusal
  return new Refusal(
    refusal.status,
    refusal.code,
    `${refusal.message} There is "${slip.slice(0, 40)}": write "${name}".`,
  )
}
