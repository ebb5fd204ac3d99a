// All sessions of a mock: found by path, by key or by default, created on first use or by name, bounded in number.
import { PriceFeedMockError } from '../errors.js'
import type { Feed } from '../market/feeds.js'
import { createCandleMemory, createMarket, type Market } from '../market/market.js'
import type { Scenarios } from '../scenario/scenarios.js'
import { assertNoProblems, read } from '../settings/schema.js'
import type { Settings } from '../settings/settings.js'
import { createSigner, type Signer } from '../signing/signer.js'
import { privateKeyOf } from '../signing/test-keys.js'
import { decodeText, type ServiceRequest } from './request.js'
import type { Respond } from './respond.js'
import { createSession, type Session, type SessionResources } from './session.js'
import { type SessionBody, sessionIdSchema } from './session-settings.js'

/** Sessions besides `default`, at most. */
const MAX_SESSIONS = 1000
/** Markets and signers kept for sessions that share a seed or a key. */
const MAX_SHARED = 2000

/** What sessions are made of. */
export interface SessionsOptions {
  readonly settings: Settings
  readonly feeds: readonly Feed[]
  readonly respond: Respond
  readonly scenarios: Scenarios
  /**
   * The scenario that sessions start with unless they say otherwise, by name or as an object.
   * @default 'calm'
   */
  readonly scenario?: SessionBody['scenario']
  /** Real time at which the clock of `default` starts, in milliseconds since the epoch. */
  readonly startedAt: number
}

/** A session, and the request that is for it without the prefix that named it. */
export interface Routing {
  readonly session: Session
  readonly request: ServiceRequest
}

/** The sessions of a mock. */
export interface Sessions {
  readonly default: Session
  /** How many there are, `default` included. */
  readonly size: number
  /**
   * The session that a request is for, created if need be.
   * @throws PriceFeedMockError SESSION_INVALID, SCENARIO_UNKNOWN or SESSIONS_FULL
   */
  route(request: ServiceRequest): Routing
  /**
   * The same, changing nothing: a session that is not there yet is made, and not kept.
   * @throws PriceFeedMockError SESSION_INVALID or SCENARIO_UNKNOWN
   */
  preview(request: ServiceRequest): Routing
  /** @throws PriceFeedMockError SESSION_UNKNOWN */
  get(id: string): Session
  /**
   * Creates a session by name.
   * @throws PriceFeedMockError SESSION_INVALID, SESSION_EXISTS, SCENARIO_UNKNOWN or SESSIONS_FULL
   */
  create(body: SessionBody, realMs: number): Session
  /** @throws PriceFeedMockError SESSION_UNKNOWN, or SESSION_DEFAULT since that one stays */
  delete(id: string): void
  /** In the order of their creation. */
  list(): Session[]
}

/** Creates the sessions of a mock; `default` is there from the start. */
export function createSessions(options: SessionsOptions): Sessions {
  const { settings, feeds, respond, scenarios, scenario, startedAt } = options
  const candles = createCandleMemory()
  const markets = new Map<string, Market>()
  const signers = new Map<string, Signer>()
  const resources: SessionResources = {
    feeds,
    respond,
    marketOf: seed => shared(markets, seed, () => createMarket(seed, feeds, candles)),
    signerOf: ({ signer, signerKeyUnsafe }: Pick<Settings, 'signer' | 'signerKeyUnsafe'>) =>
      shared(signers, signerKeyUnsafe ?? String(signer), () => createSigner(privateKeyOf(signerKeyUnsafe ?? signer))),
    isSessionKey: key => byKey(key) !== undefined,
    scenarios,
  }

  const sessions = new Map<string, Session>()
  /** When each lazy session was last asked, as a count of questions. */
  const lastUse = new Map<string, number>()
  let uses = 0
  let named = 0

  const forget = (id: string): void => {
    sessions.get(id)?.journal.close()
    sessions.delete(id)
    lastUse.delete(id)
  }
  const makeRoom = (): void => {
    if (sessions.size <= MAX_SESSIONS) return
    const [idlest] = [...lastUse].reduce(
      (least, one) => (one[1] < least[1] ? one : least),
      ['', Number.POSITIVE_INFINITY],
    )
    if (idlest === '') throw sessionsFull()
    forget(idlest)
  }
  const make = (id: string, created: boolean, patch: SessionBody | undefined, realMs: number): Session => {
    const { id: _, ...changes } = patch ?? {}
    const own = isScenarioId(id) ? id.slice(SCENARIO.length) : scenario
    return createSession({ id, created, settings, scenario: own, patch: changes, startedAt: realMs }, resources)
  }
  const add = (session: Session): Session => {
    const { id, created } = session
    if (id !== 'default') makeRoom()
    sessions.set(id, session)
    if (!created) lastUse.set(id, ++uses)
    return session
  }

  /** A session that is made by its name alone. */
  const makeLazily = (id: string, realMs: number): Session => {
    // A name that no scenario has is told as such, whatever it looks like.
    if (isScenarioId(id)) scenarios.get(id.slice(SCENARIO.length))
    assertNoProblems('SESSION_INVALID', 'The path', withPath(read(sessionIdSchema, id).problems, 'session id'))
    return make(id, false, undefined, realMs)
  }
  /** The session of an id, created on first use. */
  const use = (id: string, realMs: number): Session => {
    const known = sessions.get(id)
    if (known === undefined) return add(makeLazily(id, realMs))
    if (!known.created) lastUse.set(id, ++uses)
    return known
  }

  /** The session that a key opens. */
  const byKey = (key: string): string | undefined => {
    if (key.startsWith('session.')) return sessions.has(key.slice(8)) ? key.slice(8) : undefined
    return isScenarioId(key) && scenarios.has(key.slice(SCENARIO.length)) ? key : undefined
  }
  /** The session that a key leads to: a scenario that there is not is told as such, not as a wrong key. */
  const leadsTo = (key: string): string | undefined =>
    isScenarioId(key) && !settings.apiKeys.includes(key) ? key : byKey(key)

  /** The id of the session that a request is for, `default` without one, and the request without the prefix that named it. */
  const locate = (request: ServiceRequest): { id: string | undefined; request: ServiceRequest } => {
    // Nearly all targets begin otherwise, and an expression costs more than a look.
    const prefix = request.target.startsWith('/prices/') ? null : PREFIX.exec(request.target)
    if (prefix === null) {
      const key = request.authorization
      return { id: key === undefined ? undefined : leadsTo(key), request }
    }
    const name = decodeText(prefix[2]!)
    const target = prefix[3] === '' ? '/' : prefix[3]!
    return { id: prefix[1] === 'scenario' ? SCENARIO + name : name, request: { ...request, target } }
  }

  const fallback = add(make('default', true, undefined, startedAt))
  return {
    default: fallback,
    get size() {
      return sessions.size
    },
    route(given) {
      const { id, request } = locate(given)
      return { session: id === undefined ? fallback : use(id, request.receivedAt), request }
    },
    preview(given) {
      const { id = 'default', request } = locate(given)
      return { session: sessions.get(id) ?? makeLazily(id, request.receivedAt), request }
    },
    get(id) {
      const session = sessions.get(id)
      if (session !== undefined) return session
      throw new PriceFeedMockError('SESSION_UNKNOWN', `There is no session "${id.slice(0, 64)}".`, {
        details: [['want', `one of ${[...sessions.keys()].slice(0, 20).join(', ')}`]],
      })
    },
    create(body, realMs) {
      let { id } = body
      while (id === undefined || (body.id === undefined && sessions.has(id))) id = `s${++named}`
      if (sessions.has(id))
        throw new PriceFeedMockError('SESSION_EXISTS', `There is a session "${id}" already.`, {
          details: [['fix', `PATCH or DELETE /_mock/sessions/${id}`]],
        })
      // Made before there is room: what cannot be made costs nobody its session.
      return add(make(id, true, body, realMs))
    },
    delete(id) {
      if (id === 'default')
        throw new PriceFeedMockError('SESSION_DEFAULT', 'The session "default" stays.', {
          details: [['fix', 'POST /_mock/sessions/default/reset']],
        })
      this.get(id)
      forget(id)
    },
    list: () => [...sessions.values()],
  }
}

/** `/session/<id>` or `/scenario/<name>`, also in a whole URL, and what follows. */
const PREFIX = /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*)?\/(session|scenario)\/([^/?#]+)(.*)$/s

/** What the ids of sessions begin with that run a scenario by its name. */
const SCENARIO = 'scenario.'

const isScenarioId = (id: string): boolean => id.startsWith(SCENARIO)

function withPath(problems: ReturnType<typeof read>['problems'], at: string) {
  return (problems ?? []).map(problem => ({ ...problem, at }))
}

function sessionsFull(): PriceFeedMockError {
  return new PriceFeedMockError(
    'SESSIONS_FULL',
    `There are ${MAX_SESSIONS} sessions, all created by name: no more fit.`,
    {
      details: [['fix', 'DELETE /_mock/sessions/{id} when a test ends']],
    },
  )
}

function shared<K, V>(known: Map<K, V>, key: K, create: () => V): V {
  let value = known.get(key)
  if (value === undefined) {
    // Sessions hold what they use: forgetting here costs nothing but sharing.
    if (known.size >= MAX_SHARED) known.clear()
    known.set(key, (value = create()))
  }
  return value
}
