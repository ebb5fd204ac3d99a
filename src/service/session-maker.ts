// Makes sessions for a collection, and finds the session that a request selects: shared by the collection in memory and by stores.
import { type BoundedCache, createBoundedCache } from '../caches.js'
import type { Feed } from '../market/feeds.js'
import { createMarket, createMarketMemory, type Market } from '../market/market.js'
import { type ReadSeries, type SeriesAt, type SeriesInput, shiftFeeds } from '../market/series.js'
import type { Scenarios } from '../scenario/scenarios.js'
import { assertNoProblems, read } from '../settings/schema.js'
import type { Settings } from '../settings/settings.js'
import { createSignatureCache, createSigner, privateKeyOf, type Signer } from '../signing/signer.js'
import type { Journal } from './journal.js'
import { decodeText, type ServiceRequest } from './request.js'
import type { Respond } from './respond.js'
import { createSession, type Session } from './session.js'
import type { SessionResources } from './session-options.js'
import { type SessionBody, sessionIdSchema } from './session-settings.js'

/** Maximum number of markets, of shifted catalogues and of signers that are cached for sessions with the same seed, series or key. */
const MAX_SHARED = 200

/** The parts of a mock that its sessions are made of. */
export interface SessionParts {
  readonly settings: Settings
  readonly feeds: readonly Feed[]
  readonly respond: Respond
  readonly scenarios: Scenarios
  /**
   * The scenario of new sessions, by name or as an object.
   * @default 'calm'
   */
  readonly scenario?: SessionBody['scenario']
  /**
   * The time of the first row of series.
   * @default 'start'
   */
  readonly seriesAt?: SeriesAt | undefined
}

/** Options of a new session. */
export interface MakeOptions {
  readonly id: string
  readonly created: boolean
  /** The changes at its creation. */
  readonly body?: SessionBody | undefined
  readonly realMs: number
  /** Whether it replaces a session of the same id that was evicted. */
  readonly replacesEvicted: boolean
  /** Reads the series of the body. */
  readonly readSeries?: ReadSeries | undefined
  /**
   * A journal that is kept elsewhere.
   * @default a journal in memory
   */
  readonly journal?: Journal | undefined
}

/**
 * Creates a function that makes sessions. They share markets and signers.
 * @param host the collection that the sessions belong to
 */
export function createSessionMaker(
  { settings, feeds, respond, scenarios, scenario, seriesAt }: SessionParts,
  host: Pick<SessionResources, 'isSessionKey' | 'journals' | 'admit'>,
): (options: MakeOptions) => Session {
  const memory = createMarketMemory()
  const markets = new WeakMap<readonly Feed[], BoundedCache<string, Market>>()
  const shifts = new WeakMap<readonly Feed[], BoundedCache<number, readonly Feed[]>>()
  const signers = createBoundedCache<string, Signer>(MAX_SHARED)
  const signatures = createSignatureCache()
  const resources: SessionResources = {
    ...host,
    feeds,
    respond,
    marketOf: (seed, ofFeeds) => shared(sharedBy(markets, ofFeeds), seed, () => createMarket(seed, ofFeeds, memory)),
    shiftedFeeds: (ofFeeds, shift) =>
      shift === 0 ? ofFeeds : shared(sharedBy(shifts, ofFeeds), shift, () => shiftFeeds(ofFeeds, shift)),
    signerOf: settings =>
      shared(signers, settings.signerKeyUnsafe ?? String(settings.signer), () =>
        createSigner(privateKeyOf(settings), signatures),
      ),
    scenarios,
  }
  return ({ id, created, body, realMs, replacesEvicted, readSeries, journal }) => {
    const { id: _, series, seriesAt: ownSeriesAt, ...patch } = body ?? {}
    return createSession(
      {
        id,
        created,
        settings,
        scenario: isScenarioId(id) ? id.slice(SCENARIO.length) : scenario,
        patch,
        feeds: series && readSeries?.(series as readonly SeriesInput[], feeds),
        seriesAt: ownSeriesAt ?? seriesAt,
        ownSeries: {
          ...(series === undefined ? {} : { series }),
          ...(ownSeriesAt === undefined ? {} : { seriesAt: ownSeriesAt }),
        },
        startedAt: realMs,
        replacesEvicted,
        journal,
      },
      resources,
    )
  }
}

/** `/session/<id>` or `/scenario/<name>`, also in a whole URL, and the rest of the target. */
const PREFIX = /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*)?\/(session|scenario)\/([^/?#]+)(.*)$/s

/** Prefix of the ids of sessions that run a built-in scenario or one from a file. */
export const SCENARIO = 'scenario.'

/** Whether an id is that of a session that runs a scenario by its name. */
export const isScenarioId = (id: string): boolean => id.startsWith(SCENARIO)

/** The id of the session that the path of a request selects, if any, and the request without that prefix. */
export function selectByPath(request: ServiceRequest): { readonly id?: string; readonly request: ServiceRequest } {
  // A fast path: the five endpoints start otherwise.
  const mayMatch = request.target.startsWith('/s') || !request.target.startsWith('/')
  const prefix = mayMatch ? PREFIX.exec(request.target) : null
  if (prefix === null) return { request }
  const name = decodeText(prefix[2]!)
  const target = prefix[3] === '' ? '/' : prefix[3]!
  return { id: prefix[1] === 'scenario' ? SCENARIO + name : name, request: { ...request, target } }
}

/**
 * Checks the id of a session that a request creates.
 * @throws PriceFeedMockError SESSION_INVALID or SCENARIO_UNKNOWN
 */
export function assertRequestedId(id: string, scenarios: Scenarios): void {
  // Checked first, so that an unknown scenario is reported as such.
  if (isScenarioId(id)) scenarios.get(id.slice(SCENARIO.length))
  const { problems = [] } = read(sessionIdSchema, id)
  const at = 'session id'
  assertNoProblems(
    'SESSION_INVALID',
    'The path',
    problems.map(problem => ({ ...problem, at })),
  )
}

function sharedBy<T extends object, K, V>(known: WeakMap<T, BoundedCache<K, V>>, of: T): BoundedCache<K, V> {
  let values = known.get(of)
  if (values === undefined) known.set(of, (values = createBoundedCache(MAX_SHARED)))
  return values
}

/** Sessions keep their own references, so an eviction only ends the sharing. */
function shared<K, V>(known: BoundedCache<K, V>, key: K, create: () => V): V {
  let value = known.get(key)
  if (value === undefined) known.set(key, (value = create()))
  return value
}
