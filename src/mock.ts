// The whole mock: settings and feeds in, outcomes out. Its only state is its sessions and caches.
import * as z from 'zod/mini'
import type { Addresses } from './admin/admin-route.js'
import { createLateModule } from './caches.js'
import { ENDPOINTS } from './endpoints/index.js'
import { FAULTS } from './faults/index.js'
import type { Feed } from './market/feeds.js'
import { type FeedsFile, toFeeds } from './market/feeds-file.js'
import { type ReadSeries, type SeriesAt, type SeriesInput, seriesAtSchema } from './market/series.js'
import type { Reply } from './outcome.js'
import { createScenarios, type Scenarios } from './scenario/scenarios.js'
import { assertScenario, type Declared, type ScenarioInput, type WithScenario } from './scenario-input.js'
import { changed } from './service/changes.js'
import type { Base } from './service/endpoint.js'
import { atOnce, type RunInTurns } from './service/market-stage.js'
import { checkSignable } from './service/price-overrides.js'
import type { ServiceRequest } from './service/request.js'
import { type Answer, createRespond } from './service/respond.js'
import { type SessionPatch, type SessionPatchInput, sessionPatchSchema } from './service/session-settings.js'
import { createSessions, isSelectionError, type Session, type Sessions } from './service/sessions.js'
import { assertNoProblems, parseOrThrow } from './settings/schema.js'
import {
  type ClockChangeInput,
  DEFAULT_SETTINGS,
  mergeSettings,
  type SettingsInput,
  settingsSchema,
} from './settings/settings.js'
import type { Checked, Duration, Instant } from './settings/time.js'

/**
 * Options of a mock. All are optional.
 * @typeParam Own names of your own scenarios, taken from `scenarios`
 */
export interface MockOptions<Own extends string = string> extends SettingsInput {
  /**
   * Your own feeds, added to the catalogue or replacing it; or feeds that are parsed already.
   * @default the catalogue
   */
  readonly feeds?: FeedsFile | readonly Feed[] | undefined
  /**
   * Series of your own, which feeds follow instead of their walk.
   * @default none
   */
  readonly series?: readonly SeriesInput[] | undefined
  /**
   * The time of the first row of the series. `start`: its own, and a clock without a start time begins there. `now`: the start of
   * the session's clock. Or a time.
   * @default 'start'
   */
  readonly seriesAt?: SeriesAt | undefined
  /**
   * The scenario to start with: a name or a scenario object.
   * @default 'calm'
   */
  readonly scenario?: ScenarioInput<Declared<NoInfer<Own>>> | undefined
  /**
   * Your own scenarios by name, in the format of a scenario file. They override built-in scenarios of the same name.
   * @default none
   */
  readonly scenarios?: Readonly<Record<Own, unknown>> | undefined
  /**
   * The file of each of your scenarios by name, shown in error messages.
   * @default none
   */
  readonly scenarioFiles?: Readonly<Record<string, string>> | undefined
  /**
   * Real time at which the clock starts, in milliseconds since the epoch.
   * @default the real time at creation
   */
  readonly startedAt?: number | undefined
  /**
   * Reads the real time, in milliseconds since the epoch. With `() => Date.now()` the clock follows fake timers of a test.
   * @default the real one, also under fake timers
   */
  readonly realTime?: (() => number) | undefined
  /**
   * Program flags without a setting of their own, repeated in the command that reproduces a response.
   * @default none
   */
  readonly flags?: readonly string[] | undefined
}

// Not a record of zod, which leaves out the name `__proto__`: it would pass without a word.
const objectByName = z.custom<Readonly<Record<string, string>>>(value => Object(value) === value, {
  error: 'an object',
})

/** Feeds, series and scenarios are checked by those who read them, flags only shown. */
const optionsSchema = z.partial(
  z.extend(settingsSchema, {
    feeds: z.any(),
    series: z.any(),
    seriesAt: seriesAtSchema,
    scenario: z.any(),
    scenarios: objectByName,
    scenarioFiles: objectByName,
    startedAt: z.number({ error: 'milliseconds since the epoch' }),
    realTime: z.custom<() => number>(value => typeof value === 'function', {
      error: 'a function',
    }),
    flags: z.any(),
  }),
)

/** The names of the options of a mock. */
export const MOCK_OPTIONS: readonly string[] = Object.keys(optionsSchema.shape)

/** A change of a session, as users write it. */
export type SessionChange<Own extends string = never> = WithScenario<SessionPatchInput, Own>

/** An answer of the service with the session that gave it. */
export interface Served extends Answer {
  readonly session: Session
}

/** A clock, changed from within the process. */
export interface MockClock {
  /** Virtual milliseconds since the epoch. */
  now(): number
  /** Sets the time: ISO 8601 with Z, or seconds since the epoch. */
  set<At extends string>(at: Checked<At, Instant> | number): void
  /** Moves the time: "90s", "5m", "1h", or seconds. Negative seconds move it back. */
  advance(by: Duration | number): void
  freeze(): void
  /**
   * Starts a frozen clock, or changes its speed.
   * @param speed virtual seconds per real second
   * @default the present speed
   */
  run(speed?: number): void
}

/**
 * A mock: requests in, outcomes out.
 * @typeParam Own names of your own scenarios
 */
export interface Mock<Own extends string = never> {
  /** Answers a request to one of the five endpoints. Undefined for any other path, and for endpoints of another `base`. */
  serve(request: ServiceRequest, base?: Base): Served | undefined
  /** @param run makes long look-ups in turns with those of other requests */
  serve(
    request: ServiceRequest,
    base: Base | undefined,
    run: RunInTurns,
  ): Served | undefined | Promise<Served | undefined>
  /** Adds an answer to the journal of its session. Hosts call it once the answer is written. */
  record(served: Served, durationMs: number): void
  /**
   * Answers every other request: admin routes, the index page, and a problem for unknown paths.
   * @param run makes long look-ups in turns with those of other requests; by default at once
   */
  administer(request: ServiceRequest, addresses: Addresses, run?: RunInTurns): Promise<Reply>
  /** Real milliseconds since the epoch, by the option `realTime`. Hosts take the time of a request from it. */
  readonly realTime: () => number
  readonly sessions: Sessions
  /** The clock of the session `default`. */
  readonly clock: MockClock
  /**
   * Changes several things of the session `default` at once, as `PATCH /_mock/sessions/default` does: clock, scenario, prices,
   * seed, policy, signing, API keys. Either all of it is applied or nothing.
   * @example
   * mock.change({ clock: { advance: '1h' }, prices: { BTCUSD: 50_000 }, scenario: 'stale-btc' })
   * @throws PriceFeedMockError SESSION_INVALID, CLOCK_OUT_OF_RANGE, SCENARIO_UNKNOWN or SCENARIO_INVALID
   */
  change(patch: SessionChange<Own>): void
  /** The scenarios that can be applied by name. */
  readonly scenarios: Scenarios
  /**
   * Applies a scenario to the session `default`, from now on.
   * @throws PriceFeedMockError SCENARIO_UNKNOWN or SCENARIO_INVALID; SESSION_INVALID for null, which only `endScenario` may mean
   */
  setScenario(scenario: ScenarioInput<Own>): void
  /**
   * Ends the scenario of the session `default` now. Prices that were published under it stay as they are, in histories and candles
   * too, which `setScenario('calm')` would rewrite.
   */
  endScenario(): void
}

/**
 * Creates a mock.
 * @param defaultTime reads the real time, unless an option does
 * @param readSeries reads the series of the options, if they have some
 * @throws PriceFeedMockError CONFIG_INVALID, FEEDS_INVALID, SERIES_INVALID, SCENARIO_UNKNOWN or SCENARIO_INVALID, listing all
 * problems
 */
export function createMockWith(defaultTime: () => number, options: MockOptions, readSeries?: ReadSeries): Mock {
  const {
    feeds,
    series,
    seriesAt,
    scenario,
    scenarios: own,
    scenarioFiles,
    flags = [],
    realTime = defaultTime,
    startedAt = realTime(),
    ...patch
  } = parseOrThrow(optionsSchema, options, 'CONFIG_INVALID', 'The configuration')
  const settings = mergeSettings(DEFAULT_SETTINGS, patch)
  const listed = toFeeds(feeds ?? undefined)
  const catalogue = series === undefined || series?.length === 0 ? listed : readSeries!(series, listed)
  assertNoProblems('CONFIG_INVALID', 'The configuration', checkSignable(catalogue, settings.signing))
  const endpoints = ENDPOINTS.map(({ name }) => name)
  const scenarios = createScenarios({ faults: FAULTS, endpoints, feeds: catalogue }, own, scenarioFiles)
  // Copied now: the caller may go on editing the object.
  const chosen = typeof scenario === 'object' ? scenarios.get(scenario).source : (scenario as string | undefined)
  const respond = createRespond(ENDPOINTS)
  const sessions = createSessions({
    settings,
    feeds: catalogue,
    respond,
    scenarios,
    scenario: chosen,
    seriesAt,
    startedAt,
  })

  const change = (data: SessionChange<string>): void => {
    const value = parseOrThrow(sessionPatchSchema, data, 'SESSION_INVALID', 'The change')
    // The scenario is checked, and copied, by `scenarios`.
    const patch = { ...value, scenario: data.scenario as SessionPatch['scenario'] }
    sessions.default.run(changed(patch, realTime()))
  }
  const changeClock = (clock: ClockChangeInput): void => change({ clock })

  const loadAdmin = createLateModule('The admin routes', () => import('./admin/administer.js'))

  const serve = ({ method, target, authorization, receivedAt }: ServiceRequest, base?: Base, run = atOnce) => {
    const route = respond.matchedRouteOf(target, base)
    if (route === undefined) return undefined
    // A copy by `...` would cost a tenth of the whole request.
    const request = { method, target, authorization, receivedAt, route }
    try {
      const session = sessions.route(request)
      return run(session, route.match.endpoint.lookUps && (() => session.lookUps(request)), (made): Served => {
        const { outcome, counters, entry } = session.handle(request, made)!
        return { outcome, counters, entry, session }
      })
    } catch (error) {
      if (isSelectionError(error)) return undefined
      throw error
    }
  }

  return {
    serve: serve as Mock['serve'],
    record: ({ session, entry, outcome }, durationMs) => session.journal.add(entry, durationMs, outcome),
    async administer(request, addresses, run = atOnce) {
      // Loaded on first use: a page that only asks for prices does not need the admin routes.
      const { administer } = await loadAdmin()
      const { authorization, receivedAt } = request
      return administer(request, { sessions, scenarios, authorization, receivedAt, addresses, flags, run })
    },
    realTime,
    sessions,
    clock: {
      now: () => sessions.default.nowMs(realTime()),
      set: at => changeClock({ at }),
      advance: by => changeClock({ advance: by }),
      freeze: () => changeClock({ frozen: true }),
      run: speed => changeClock({ frozen: false, ...(speed === undefined ? {} : { speed }) }),
    },
    change,
    scenarios,
    setScenario(given) {
      assertScenario(given)
      change({ scenario: given })
    },
    endScenario: () => change({ scenario: null }),
  }
}
