// Everything that follows from the setup of a session: settings, market, signer, scenario, market stage. Derived when needed, never saved.
import { createBoundedCache, getOrCreate, oncePerObject } from '../caches.js'
import type { Feed } from '../market/feeds.js'
import { createMarket, createMarketMemory, type Market } from '../market/market.js'
import type { PriceOverrides } from '../market/overridden.js'
import { type ReadSeries, type SeriesAt, type SeriesInput, shiftFeeds } from '../market/series.js'
import { type ActiveScenario, applyScenario, type Scenario } from '../scenario/scenario.js'
import type { Scenarios } from '../scenario/scenarios.js'
import { mergeSettings, type Settings } from '../settings/settings.js'
import { createSignatureCache, createSigner, privateKeyOf, type Signer } from '../signing/signer.js'
import { checksOf, type KeyCheck } from './key-problem.js'
import { createMarketStage, type MarketStage } from './market-stage.js'
import type { Setup } from './record.js'
import { isScenarioId, SCENARIO, type ServiceRequest, sessionOfKey } from './request.js'
import type { Respond } from './respond.js'
import type { SessionBody } from './session-settings.js'

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

/** The parts of a mock with what its sessions derive from them, and share. */
export type Shared = ReturnType<typeof createShared>

/** All that the answers of a session depend on, besides the request and its counters. */
export interface Runtime {
  readonly setup: Setup
  readonly shared: Shared
  readonly settings: Settings
  readonly market: Market
  readonly signer: Signer
  /** The public test keys, for faults that sign with another one. */
  testSigner(number: number): Signer
  /** The active scenario. */
  readonly scenario: ActiveScenario
  /** The market with price overrides and market faults. */
  readonly stage: MarketStage
  readonly overrides: PriceOverrides
  /** The checks of its own API keys, by key. */
  readonly ownKeys: ReadonlyMap<string, KeyCheck>
  /** Whether an API key opens the protected endpoints. */
  acceptsKey(key: string): boolean
}

/**
 * Creates what the sessions of a mock share.
 * @param exists whether there is a session of an id, or was one that was evicted: all sessions accept its key
 */
export function createShared(parts: SessionParts, exists: (id: string) => boolean) {
  const { settings: ofServer, feeds, respond, scenarios } = parts
  const memory = createMarketMemory()
  // Sessions keep their own references, so an eviction from these caches only ends the sharing.
  const marketsOf = oncePerObject((_: readonly Feed[]) => createBoundedCache<string, Market>(MAX_SHARED))
  const shiftsOf = oncePerObject((_: readonly Feed[]) => createBoundedCache<number, readonly Feed[]>(MAX_SHARED))
  const signers = createBoundedCache<string, Signer>(MAX_SHARED)
  const signatures = createSignatureCache()
  const following = new WeakMap<object, readonly Feed[]>()
  /** The latest stage under a scenario: it keeps the paths of its faults. */
  const stages = new WeakMap<ActiveScenario, Pick<Runtime, 'market' | 'overrides' | 'stage'>>()

  const signerOf = (settings: Pick<Settings, 'signer' | 'signerKeyUnsafe'>): Signer =>
    getOrCreate(signers, settings.signerKeyUnsafe ?? String(settings.signer), () =>
      createSigner(privateKeyOf(settings), signatures),
    )
  const activeOf = oncePerObject((scenario: Setup['scenario']) =>
    applyScenario(all.definitionOf(scenario), scenario.appliedAt, scenario.endedAt),
  )
  const stageOf = (market: Market, scenario: ActiveScenario, overrides: PriceOverrides): MarketStage => {
    const known = stages.get(scenario)
    if (known?.market === market && known.overrides === overrides) return known.stage
    const stage = createMarketStage(market, scenario, overrides)
    stages.set(scenario, { market, overrides, stage })
    return stage
  }
  const byKey = (key: string): string | undefined => {
    if (isScenarioId(key)) return scenarios.has(key.slice(SCENARIO.length)) ? key : undefined
    const id = sessionOfKey(key)
    return id !== undefined && exists(id) ? id : undefined
  }
  const derive = (setup: Setup): Runtime => {
    const scenario = activeOf(setup.scenario)
    const settings = all.settingsOf(setup, scenario.definition)
    const ownKeys = checksOf(settings)
    const market = all.marketOf(settings.seed, all.shiftedFeeds(all.feedsOf(setup.createdWith), setup.seriesShift))
    return {
      setup,
      shared: all,
      settings,
      market,
      signer: signerOf(settings),
      testSigner: signer => signerOf({ signer }),
      scenario,
      stage: stageOf(market, scenario, setup.overrides),
      overrides: setup.overrides,
      ownKeys,
      acceptsKey: key => ownKeys.has(key) || byKey(key) !== undefined,
    }
  }
  const all = {
    ...parts,
    /** The id of the session that a request selects: by its path, or else by its key. */
    sessionOf({ route, target, authorization: key }: ServiceRequest): string {
      const { sessionId } = route ?? respond.routeOf(target)
      // A fast path: only keys that name a session or a scenario begin so.
      if (sessionId !== undefined || !key?.startsWith('s')) return sessionId ?? 'default'
      // An unknown scenario counts, so that it is reported as such and not as a wrong key.
      return (isScenarioId(key) && !ofServer.apiKeys.includes(key) ? key : byKey(key)) ?? 'default'
    },
    /** All that follows from a setup. The same object gives the same one. */
    runtimeOf: oncePerObject(derive),
    /** The settings below those of the scenario. */
    baseOf: ({ base }: Pick<Setup, 'base'>): Settings => mergeSettings(ofServer, (base ?? {}) as Setup['own']),
    /** The settings of a session; later ones win: the server's, the scenario's, the session's own. */
    settingsOf({ base, own }: Pick<Setup, 'base' | 'own'>, definition: Scenario): Settings {
      const { clock: _, ...ofScenario } = definition.settings
      const settings = mergeSettings(all.baseOf({ base }), ofScenario, own)
      if (own.signer === undefined) return settings
      // A test key chosen by the session replaces a private key of the server.
      const { signerKeyUnsafe: _key, ...rest } = settings
      return rest
    },
    definitionOf({ name, source }: Pick<Setup['scenario'], 'name' | 'source'>): Scenario {
      const named = scenarios.has(name) ? scenarios.get(name) : undefined
      const isSame =
        named !== undefined && (named.source === source || JSON.stringify(named.source) === JSON.stringify(source))
      return isSame ? named : scenarios.parse(name, source)
    },
    marketOf: (seed: string, ofFeeds: readonly Feed[]): Market =>
      getOrCreate(marketsOf(ofFeeds), seed, () => createMarket(seed, ofFeeds, memory)),
    /**
     * The feeds of a session with its own series, which are not moved.
     * @param readSeries reads the series; not needed once they were read
     */
    feedsOf({ series }: Pick<SessionBody, 'series'>, readSeries?: ReadSeries): readonly Feed[] {
      if (series === undefined) return feeds
      return getOrCreate(following, series, () => readSeries!(series as readonly SeriesInput[], feeds))
    },
    shiftedFeeds: (ofFeeds: readonly Feed[], shift: number): readonly Feed[] =>
      shift === 0 ? ofFeeds : getOrCreate(shiftsOf(ofFeeds), shift, () => shiftFeeds(ofFeeds, shift)),
  }
  return all
}
