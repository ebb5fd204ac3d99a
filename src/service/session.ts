// A session: a context, its state and its journal. It passes requests to the reducer and saves the next state.
import type { Feed } from '../market/feeds.js'
import { seriesShift, seriesStart } from '../market/series.js'
import type { Scenario } from '../scenario/scenario.js'
import { applyScenario } from '../scenario/scenario.js'
import { assertNoProblems } from '../settings/schema.js'
import { mergePatches, mergeSettings, type Settings, type SettingsPatch } from '../settings/settings.js'
import { type Clock, changeClock, readClock, startClock } from './clock.js'
import type { Base } from './endpoint.js'
import type { SessionContext } from './endpoint-context.js'
import { assertRestorable, bytesOf, type Holding, measure, measureSeries } from './holding.js'
import { createJournal, type Journal } from './journal.js'
import type { LookUps } from './market-stage.js'
import { createMarketStage, type MarketStage } from './market-stage.js'
import { type Past, pastUntil, withPast } from './past.js'
import { checkSignable, overridePrices } from './price-overrides.js'
import { createRefusedKeys } from './refused-keys.js'
import type { ServiceRequest } from './request.js'
import type { Answer, AnswerTrace } from './respond.js'
import type { SessionOptions, SessionResources } from './session-options.js'
import type { SessionBody, SessionPatch } from './session-settings.js'
import { type Snapshot, takeSnapshot } from './snapshot.js'
import { DEFAULT_STATE, type State, withFreshFaults } from './state.js'
import type { Verdict, VerdictInput } from './verdict-schema.js'
import { toVerdict, withVerdict } from './verdicts.js'

/** An isolated session. */
export interface Session {
  readonly id: string
  /** Whether it was created or changed through the admin API. Only other sessions can be evicted. */
  readonly created: boolean
  /** Its cost to the mock. */
  readonly holding: Holding
  /** The API key that selects it on plain paths. Undefined for `default`, which needs none. */
  readonly apiKey: string | undefined
  readonly context: SessionContext
  readonly state: State
  readonly journal: Journal
  /**
   * Answers a request. Undefined if no endpoint has its path, or only one of another `base`.
   * @param made look-ups that were made before
   */
  handle(request: ServiceRequest, base?: Base, made?: LookUps): Answer | undefined
  /** The long look-ups of the answer to a request. Undefined if it needs none. */
  lookUps(request: ServiceRequest, base?: Base, trace?: AnswerTrace): LookUps | undefined
  /** The answer that `handle` would give, with all its steps. Changes nothing. */
  preview(request: ServiceRequest, trace: AnswerTrace, made?: LookUps): Answer | undefined
  /** Virtual milliseconds since the epoch at real time `realMs`. */
  nowMs(realMs: number): number
  /**
   * Changes settings, clock, prices and scenario, all or nothing.
   * @throws PriceFeedMockError SESSION_INVALID, CLOCK_OUT_OF_RANGE, SCENARIO_UNKNOWN or SCENARIO_INVALID; like every method
   * that changes the session SESSION_TOO_LARGE or SESSIONS_FULL
   */
  change(patch: SessionPatch, realMs: number): void
  /** Restores the settings at creation: counters at 0, the clock at its start, an empty journal. */
  reset(realMs: number): void
  /** Empties the journal, and removes the verdicts. */
  clearJournal(): void
  /** The verdicts on its consumer, oldest first. */
  readonly verdicts: readonly Verdict[]
  /**
   * Adds a verdict, without the secrets of the session in its texts. It replaces the one on the same case.
   * @throws PriceFeedMockError SESSION_TOO_LARGE or SESSIONS_FULL
   */
  addVerdict(verdict: VerdictInput, realMs: number): Verdict
  clearVerdicts(): void
  /** Its state before each of its changes, oldest first. */
  readonly past: readonly Past[]
  /** Seed and policy below those of the scenario, and the session's own settings. */
  readonly layers: Pick<Settings, 'seed' | 'policy'> & { readonly own: SettingsPatch }
  /**
   * Replaces everything but the id and the older part of the journal with a checked snapshot.
   * @param remainder the rest of the same session. The journal then stays as it is.
   */
  restore(snapshot: Snapshot, realMs: number, remainder?: SessionRemainder): void
  /** The parts that a snapshot leaves out, besides the journal. */
  readonly remainder: SessionRemainder
  /** The series that it was created with, as they were given, and their place. */
  readonly ownSeries: OwnSeries
}

/** Series of a session, as its creator gave them. */
export type OwnSeries = Pick<SessionBody, 'series' | 'seriesAt'>

/** The parts of a session that a snapshot leaves out. */
export interface SessionRemainder {
  /** Whether it was created or changed through the admin API. */
  readonly kept: boolean
  /** Its own settings, API keys included. */
  readonly own: SettingsPatch
  /** The change at its creation, which a reset repeats. */
  readonly patch: SessionPatch
  /** The counters of the snapshot that was restored last. */
  readonly restored: State | undefined
  readonly replacesEvicted: boolean
  readonly verdicts: readonly Verdict[]
  readonly past: readonly Past[]
}

/**
 * Creates a session.
 * @throws PriceFeedMockError SESSION_INVALID or CLOCK_OUT_OF_RANGE
 */
export function createSession(options: SessionOptions, resources: SessionResources): Session {
  const { id, startedAt } = options
  const apiKey = id === 'default' ? undefined : `session.${id}`
  const { marketOf, signerOf, isSessionKey, scenarios, respond, shiftedFeeds } = resources
  const { feeds: ownFeeds = resources.feeds, seriesAt = 'start', ownSeries = {} } = options

  const toContext = (
    { settings, clock, overrides, scenario, feeds }: SessionConfig,
    stage?: MarketStage,
  ): SessionContext => {
    const market = marketOf(settings.seed, feeds)
    return {
      id,
      settings,
      clock,
      market,
      signer: signerOf(settings),
      testSigner: signer => signerOf({ signer }),
      scenario,
      stage: stage ?? createMarketStage(market, scenario, overrides),
      overrides,
      replacesEvicted,
      acceptsKey: key => settings.apiKeys.includes(key) || isSessionKey(key),
    }
  }

  /** Merges settings; later ones win: the server's, the scenario's, the session's own. */
  const layer = (base: Settings, scenario: Scenario, own: SettingsPatch): Settings => {
    const { clock: _, ...ofScenario } = scenario.settings
    const settings = mergeSettings(base, ofScenario, own)
    if (own.signer === undefined) return settings
    // A test key chosen by the session replaces a private key of the server.
    const { signerKeyUnsafe: _key, ...rest } = settings
    return rest
  }

  /**
   * Applies a change.
   * @param next the scenario of the change, if it is parsed already
   * @throws PriceFeedMockError SESSION_INVALID with all problems, or CLOCK_OUT_OF_RANGE
   */
  const changed = (
    before: SessionConfig,
    { clock, prices, scenario: given, ...patch }: SessionPatch,
    realMs: number,
    next = given === undefined ? undefined : scenarios.get(given),
  ): SessionConfig => {
    const { feeds } = before
    // The same objects where nothing changes: they are measured once, and `apply` compares them.
    const own = Object.keys(patch).length === 0 ? before.own : mergePatches(before.own, patch)
    const isSame = own === before.own && next === undefined
    const settings = isSame ? before.settings : layer(before.base, next ?? before.scenario.definition, own)
    // Overrides belong to a market, and a new seed is a new market.
    const overrides = settings.seed === before.settings.seed ? before.overrides : {}
    const nextClock = [next?.settings.clock, clock].reduce<Clock>(
      (running, change) => (change ? changeClock(running, change, realMs) : running),
      before.clock,
    )
    const now = Math.floor(readClock(nextClock, realMs) / 1000)
    // Setting the clock to before the scenario's start restarts the scenario there.
    const isBefore = now < before.scenario.appliedAt
    const scenario = next || isBefore ? applyScenario(next ?? before.scenario.definition, now) : before.scenario
    const overridden = prices
      ? overridePrices(marketOf(settings.seed, feeds), overrides, prices, now)
      : { overrides, problems: [] }
    // Only these can make a price unsignable, so a step of the clock need not check every feed.
    const layouts =
      patch.signing !== undefined || prices !== undefined
        ? checkSignable(feeds, settings.signing, overridden.overrides)
        : []
    assertNoProblems('SESSION_INVALID', `The change of the session ${id}`, [...overridden.problems, ...layouts])
    return { base: before.base, settings, own, clock: nextClock, overrides: overridden.overrides, scenario, feeds }
  }

  const start = (realMs: number): SessionConfig => {
    const { settings, scenario: first = 'calm' } = options
    const scenario = scenarios.get(patch.scenario ?? first)
    const rowsStart = seriesAt === 'start' ? seriesStart(ownFeeds) : undefined
    // A clock without a start time begins when the first row is published.
    const at = settings.clock.at ?? (rowsStart === undefined ? undefined : rowsStart * 1000)
    const clock = startClock({ ...settings.clock, ...(at === undefined ? {} : { at }) }, realMs)
    const begun = [scenario.settings.clock, patch.clock].reduce<Clock>(
      (running, change) => (change ? changeClock(running, change, realMs) : running),
      clock,
    )
    const shift = seriesShift(ownFeeds, seriesAt, Math.floor(readClock(begun, realMs) / 1000))
    const calm = applyScenario(scenarios.get('calm'), 0)
    const blank: SessionConfig = {
      base: settings,
      settings,
      own: mergePatches({}, {}),
      clock,
      overrides: {},
      scenario: calm,
      feeds: shiftedFeeds(ownFeeds, shift),
    }
    return changed(blank, patch, realMs, scenario)
  }

  let { patch = {}, replacesEvicted } = options
  let config = start(startedAt)
  // The parsed copy of the scenario, so that the object in the body is not held as well.
  if (typeof patch.scenario === 'object') patch = { ...patch, scenario: config.scenario.definition.source }
  let context = toContext(config)
  let state = DEFAULT_STATE
  /** The counters of the snapshot that was restored last. */
  let restored: State | undefined
  let verdicts: readonly Verdict[] = []
  let past: readonly Past[] = []
  if (options.created) assertRestorable(id, { ...config, state: undefined })
  const ownBytes = measureSeries(ownFeeds, resources.feeds, ownSeries)
  let holding: Holding = {
    kept: options.created,
    bytes: ownBytes + measure({ ...config, state: restored, patch }, scenarios),
  }
  /** Counts the session as changed, with a new configuration, or throws and changes nothing. */
  const admit = (next: SessionConfig, nextRestored: State | undefined, kept = true, nextVerdicts = verdicts): void => {
    const measured = measure({ ...next, state: nextRestored, patch }, scenarios)
    const after = { kept, bytes: ownBytes + measured + (nextVerdicts.length === 0 ? 0 : bytesOf(nextVerdicts)) }
    resources.admit(holding, after)
    holding = after
    restored = nextRestored
    verdicts = nextVerdicts
  }
  /** Whether only the clock changes. */
  const isMoved = ({ settings, overrides, scenario }: SessionConfig): boolean =>
    settings === config.settings && overrides === config.overrides && scenario === config.scenario
  const apply = (next: SessionConfig): void => {
    // The market stage keeps the paths of its faults.
    context = toContext(next, isMoved(next) ? context.stage : undefined)
    config = next
  }
  const layersOf = (): Session['layers'] => {
    const { seed, policy } = mergeSettings(config.base, config.own)
    return { seed, policy, own: config.own }
  }
  const snapshotAt = (realMs: number): Snapshot => takeSnapshot({ context, state, layers: layersOf() }, realMs)
  const journal = options.journal ?? createJournal(undefined, resources.journals)
  const refusedKeys = createRefusedKeys(journal.entries)
  return {
    id,
    get created() {
      return holding.kept
    },
    get holding() {
      return holding
    },
    apiKey,
    journal,
    get context() {
      return context
    },
    get state() {
      return state
    },
    handle(request, base, made) {
      const answer = respond(context, state, request, base, undefined, made)
      if (answer === undefined) return undefined
      state = answer.state
      const entry = refusedKeys.mark(answer.entry, request.authorization)
      return entry === answer.entry ? answer : { ...answer, entry }
    },
    lookUps: (request, base, trace) => respond.lookUps(context, state, request, base, trace),
    preview: (request, trace, made) => respond(context, state, request, undefined, trace, made),
    nowMs: realMs => readClock(context.clock, realMs),
    change(change, realMs) {
      const { scenario } = config
      const next = changed(config, change, realMs)
      assertRestorable(id, { ...next, state: restored })
      admit(next, restored)
      if (!isMoved(next)) past = withPast(past, state.n, () => snapshotAt(realMs))
      apply(next)
      // A scenario that starts or restarts counts from 0.
      if (config.scenario !== scenario) state = withFreshFaults(state)
    },
    reset(realMs) {
      const next = start(realMs)
      admit(next, undefined, true, [])
      replacesEvicted = false
      apply(next)
      state = DEFAULT_STATE
      past = []
      journal.clear()
      refusedKeys.clear()
    },
    clearJournal() {
      admit(config, restored, true, [])
      journal.clear()
      refusedKeys.clear()
    },
    get verdicts() {
      return verdicts
    },
    addVerdict(input, realMs) {
      const place = { n: state.n, now: Math.floor(readClock(context.clock, realMs) / 1000), receivedAt: realMs }
      const verdict = toVerdict(input, place, [config.base, config.settings])
      admit(config, restored, true, withVerdict(id, verdicts, verdict))
      return verdict
    },
    clearVerdicts: () => admit(config, restored, true, []),
    get past() {
      return past
    },
    get layers() {
      return layersOf()
    },
    ownSeries,
    get remainder() {
      return { kept: holding.kept, own: config.own, patch, restored, replacesEvicted, verdicts, past }
    },
    restore(snapshot, realMs, remainder) {
      const { seed, policy, signing, scenario: taken } = snapshot
      const { definition } = config.scenario
      // Parsed before it is compared: the source of a snapshot may be no JSON at all.
      const parsed = scenarios.parse(taken.name, taken.source)
      // A session that is restored to its own snapshot holds the scenario already.
      const isSame = (known: Scenario): boolean =>
        parsed.name === known.name &&
        (parsed.source === known.source || JSON.stringify(parsed.source) === JSON.stringify(known.source))
      const named = remainder && scenarios.has(parsed.name) ? scenarios.get(parsed.name) : parsed
      const restoredScenario = [definition, named].find(isSame) ?? parsed
      const scenario = applyScenario(restoredScenario, taken.appliedAt)
      const base = mergeSettings(config.base, { seed, policy })
      const { apiKeys } = config.own
      const own = remainder?.own ?? { ...snapshot.own, signing, apiKeys, signer: snapshot.signer ?? undefined }
      const { virtualMs, speed, frozen } = snapshot.clock
      const clock = { virtualMs, realMs, speed, frozen }
      const next = {
        base,
        settings: layer(base, scenario.definition, own),
        own,
        clock,
        overrides: snapshot.overrides,
        scenario,
        feeds: shiftedFeeds(ownFeeds, snapshot.seriesShift ?? 0),
      }
      const counted = remainder ? remainder.restored : snapshot.state
      assertRestorable(id, { ...next, state: counted })
      // Like the entries of the journal, later verdicts are dropped.
      const nextVerdicts = remainder?.verdicts ?? verdicts.filter(({ n }) => n <= snapshot.state.n)
      admit(next, counted, remainder?.kept, nextVerdicts)
      replacesEvicted = remainder?.replacesEvicted ?? false
      past =
        remainder?.past ??
        pastUntil(
          withPast(past, state.n, () => snapshotAt(realMs)),
          snapshot.state.n,
        )
      apply(next)
      state = snapshot.state
      if (remainder === undefined) journal.rewind(state.n)
    },
  }
}

/** The configuration of a session. `settings` merges `base`, the scenario's settings and `own`. */
interface SessionConfig extends Pick<SessionContext, 'settings' | 'clock' | 'overrides' | 'scenario'> {
  readonly base: Settings
  readonly own: SettingsPatch
  /** The feeds of its market. */
  readonly feeds: readonly Feed[]
}
