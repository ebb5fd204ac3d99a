// The mock as a whole: settings and feeds in, outcomes out. Pure but for what it remembers; real time comes with each request.
import type { Addresses } from './admin/admin-route.js'
import { ENDPOINTS } from './endpoints/index.js'
import { isPriceFeedMockError, PriceFeedMockError } from './errors.js'
import { FAULTS } from './faults/index.js'
import { catalogueFeeds, type FeedsFile, readFeeds } from './market/feeds-file.js'
import type { Reply } from './outcome.js'
import { createScenarios, type ScenarioSources, type Scenarios } from './scenario/scenarios.js'
import type { Base } from './service/endpoint.js'
import { largestTick } from './service/endpoint-context.js'
import type { ServiceRequest } from './service/request.js'
import { type Answer, createRespond } from './service/respond.js'
import type { Session } from './service/session.js'
import { type SessionPatch, type SessionPatchInput, sessionPatchSchema } from './service/session-settings.js'
import { createSessions, type Sessions } from './service/sessions.js'
import { assertNoProblems, read } from './settings/schema.js'
import {
  type ClockChangeInput,
  DEFAULT_SETTINGS,
  mergeSettings,
  type SettingsInput,
  settingsSchema,
} from './settings/settings.js'
import { toInstant } from './settings/time.js'
import { checkLayouts } from './signing/check-layouts.js'

/** What a mock can be created with; every part may be left out. */
export interface MockOptions extends SettingsInput {
  /**
   * Feeds of your own, added to the catalogue or instead of it.
   * @default the catalogue
   */
  readonly feeds?: FeedsFile | undefined
  /**
   * What goes wrong: the name of a scenario, or a scenario.
   * @default 'calm'
   */
  readonly scenario?: ScenarioInput | undefined
  /**
   * Scenarios of your own by name, as their files hold them; they win over those of the same name that come with the mock.
   * @default none
   */
  readonly scenarios?: ScenarioSources | undefined
  /**
   * The files that they came from by name, for errors.
   * @default none
   */
  readonly scenarioFiles?: Readonly<Record<string, string>> | undefined
  /**
   * Real time at which the clock starts, in milliseconds since the epoch.
   * @default the first request, or the first use of a clock whose host has lent the real time
   */
  readonly startedAt?: number | undefined
  /**
   * Reads the real time for changes from within the process, in milliseconds since the epoch.
   * @default what a host lends, or else the arrival of the latest request
   */
  readonly realTime?: (() => number) | undefined
  /**
   * Flags that the program was started with and that no setting tells, for the command that brings a response back.
   * @default none
   */
  readonly flags?: readonly string[] | undefined
}

/** A scenario by name, or as an object. */
export type ScenarioInput = NonNullable<SessionPatchInput['scenario']>

/** An answer of the service, and the session that gave it. */
export interface Served extends Answer {
  readonly session: Session
}

/** The clock of the session `default`. */
export interface MockClock {
  /** Virtual milliseconds since the epoch. */
  now(): number
  /** Sets it: ISO 8601 with Z, or seconds since the epoch. */
  set(at: string | number): void
  /** Moves it on: "90s", "5m", "1h", or seconds; negative seconds go back. */
  advance(by: string | number): void
  freeze(): void
  /**
   * Lets it run.
   * @param speed virtual seconds per real second; as it was, without
   */
  run(speed?: number): void
}

/** A mock: requests in, outcomes out. */
export interface Mock {
  /** Answers a request to one of the five endpoints; undefined when none of the base address (of either, without one) has its path. */
  serve(request: ServiceRequest, base?: Base): Served | undefined
  /** Writes an answer into the journal of its session; hosts call it once the answer is written. */
  record(served: Served, durationMs: number): void
  /** Answers everything else: the admin's admin routes, the index, and a problem for what leads nowhere. */
  administer(request: ServiceRequest, addresses: Addresses): Promise<Reply>
  /** Gives it the real time, as hosts do, unless it was created with one. Until then it knows only when requests came. */
  lendRealTime(realTime: () => number): void
  /** The sessions; their clocks start at `realMs` if they have not started. */
  sessions(realMs: number): Sessions
  /** The session `default`. */
  session(realMs: number): Session
  readonly clock: MockClock
  /**
   * Changes the session `default` as PATCH does.
   * @throws PriceFeedMockError SESSION_INVALID or CLOCK_OUT_OF_RANGE
   */
  change(patch: SessionPatchInput): void
  /** The scenarios that can be applied by name. */
  readonly scenarios: Scenarios
  /**
   * Applies a scenario to the session `default`, from now on.
   * @throws PriceFeedMockError SCENARIO_UNKNOWN or SCENARIO_INVALID
   */
  setScenario(scenario: ScenarioInput): void
}

/**
 * Creates a mock.
 * @throws PriceFeedMockError CONFIG_INVALID, FEEDS_INVALID, SCENARIO_UNKNOWN or SCENARIO_INVALID with every problem
 * @example
 * const mock = createMock({ seed: '42', clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
 * mock.clock.advance('2m')
 */
export function createMock(options: MockOptions = {}): Mock {
  const { feeds, scenario, scenarios: own, scenarioFiles, startedAt, realTime, flags = [], ...input } = options
  const patch = read(settingsSchema, input)
  assertNoProblems('CONFIG_INVALID', 'The configuration', patch.problems ?? [])
  const settings = mergeSettings(DEFAULT_SETTINGS, patch.value!)
  const catalogue = feeds ? readFeeds(feeds, 'feeds') : catalogueFeeds()
  const layoutProblems = checkLayouts(
    settings.signing,
    catalogue.map(feed => largestTick(feed)),
  )
  assertNoProblems('CONFIG_INVALID', 'The configuration', layoutProblems)
  const respond = createRespond(ENDPOINTS)
  const endpoints = ENDPOINTS.map(({ name }) => name)
  const vocabulary = { faults: FAULTS, endpoints, feeds: catalogue }
  const scenarios = createScenarios(vocabulary, own, scenarioFiles)
  // What is wrong with it is told here, not by the first request; and whoever wrote it may go on writing.
  const { source } = scenarios.get(scenario === undefined ? 'calm' : scenario)
  const given = typeof scenario === 'object' ? source : scenario
  const resources = { settings, feeds: catalogue, respond, scenarios, scenario: given }

  let readRealTime = realTime
  let latest = startedAt
  let sessions: Sessions | undefined
  /** Changes made before the clock could start, and a session that has seen them: what is wrong is told at once. */
  const waiting: SessionPatch[] = []
  let rehearsal: Session | undefined
  const sessionsAt = (realMs: number): Sessions => {
    latest = realMs
    if (sessions !== undefined) return sessions
    sessions = createSessions({ ...resources, startedAt: startedAt ?? realMs })
    for (const change of waiting.splice(0)) sessions.default.change(change, realMs)
    return sessions
  }
  /** The real time, as far as it is known. A clock that stands still where it was set needs none. */
  const realNow = (): number | undefined =>
    readRealTime?.() ?? latest ?? (settings.clock.frozen && settings.clock.at !== undefined ? NO_TIME : undefined)

  const change = (data: SessionPatchInput): void => {
    const { value, problems } = read(sessionPatchSchema, data)
    assertNoProblems('SESSION_INVALID', 'The change', problems ?? [])
    // As it was written: it is read, and copied, where faults are known.
    const patch = { ...value!, ...(data.scenario === undefined ? {} : { scenario: data.scenario }) }
    const real = realNow()
    if (real !== undefined) {
      sessionsAt(real).default.change(patch, real)
      return
    }
    rehearsal ??= createSessions({ ...resources, startedAt: REHEARSAL_MS }).default
    rehearsal.change(patch, REHEARSAL_MS)
    waiting.push(patch)
  }
  const changeClock = (clock: ClockChangeInput): void => change({ clock })

  return {
    serve(request, base) {
      try {
        const routed = sessionsAt(request.receivedAt).route(request)
        const answer = routed.session.handle(routed.request, base)
        if (answer === undefined) return undefined
        const { outcome, state, entry } = answer
        return { outcome, state, entry, session: routed.session }
      } catch (error) {
        // A name that no session can have is told by `administer`.
        if (isPriceFeedMockError(error) && ROUTING_ERRORS.has(error.code)) return undefined
        throw error
      }
    },
    record: ({ session, entry }, durationMs) => session.journal.add({ ...entry, durationMs }),
    async administer(request, addresses) {
      // Who only asks for prices, such as a page, need not load the admin routes.
      const { administer } = await import('./admin/administer.js')
      return administer(request, {
        sessions: sessionsAt(request.receivedAt),
        scenarios,
        authorization: request.authorization,
        receivedAt: request.receivedAt,
        addresses,
        flags,
      })
    },
    lendRealTime(lent) {
      if (readRealTime !== undefined) return
      readRealTime = lent
      // A clock that was moved while there was no time to tell goes on from where it stands.
      if (sessions !== undefined && latest === NO_TIME) changeClock({ at: toInstant(sessions.default.nowMs(NO_TIME)) })
    },
    sessions: sessionsAt,
    session: realMs => sessionsAt(realMs).default,
    clock: {
      now() {
        const real = realNow()
        if (real !== undefined) return sessionsAt(real).default.nowMs(real)
        throw new PriceFeedMockError('CLOCK_NOT_STARTED', 'The clock starts with the first request.', {
          details: [['fix', CLOCK_FIX]],
        })
      },
      set: at => changeClock({ at }),
      advance: by => changeClock({ advance: by }),
      freeze: () => changeClock({ frozen: true }),
      run: speed => changeClock({ frozen: false, ...(speed === undefined ? {} : { speed }) }),
    },
    change,
    scenarios,
    setScenario: given => change({ scenario: given }),
  }
}

/** The real time of changes where none is known, and none is needed: those of a clock that stood still where it was set. */
const NO_TIME = 0
/** A real time to try changes at, 2026-01-01: which one does not matter. */
const REHEARSAL_MS = 1_767_225_600_000

const CLOCK_FIX = 'make a host of it first, such as createFetch(mock), or freeze its clock at a time'

const ROUTING_ERRORS: ReadonlySet<string> = new Set([
  'SESSION_INVALID',
  'SCENARIO_UNKNOWN',
  'SCENARIO_INVALID',
  'SESSIONS_FULL',
])
