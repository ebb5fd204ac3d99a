// A session: an isolated world with its state and its journal. It loads, asks the reducer and saves; a change makes a new world.
import type { Feed } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import { applyScenario } from '../scenario/active.js'
import type { Scenario } from '../scenario/scenario.js'
import type { Scenarios } from '../scenario/scenarios.js'
import { assertNoProblems } from '../settings/schema.js'
import { mergePatches, mergeSettings, type Settings, type SettingsPatch } from '../settings/settings.js'
import { checkLayouts } from '../signing/check-layouts.js'
import type { Signer } from '../signing/signer.js'
import { type Clock, changeClock, readClock, startClock } from './clock.js'
import type { Base } from './endpoint.js'
import { largestTick, type SessionContext } from './endpoint-context.js'
import { createJournal, type Journal } from './journal.js'
import { createMarketStage } from './market-stage.js'
import { overridePrices } from './prices.js'
import type { ServiceRequest } from './request.js'
import type { Answer, AnswerTrace, Respond } from './respond.js'
import type { SessionPatch } from './session-settings.js'
import type { Snapshot } from './snapshot.js'
import { DEFAULT_STATE, type State, withFreshFaults } from './state.js'

/** A world that is being asked. */
export interface Session {
  readonly id: string
  /** Whether it was created by name, not by being asked: only such a session is safe from eviction. */
  readonly created: boolean
  /** The key that leads to it from the plain paths; undefined for `default`, which needs none. */
  readonly apiKey: string | undefined
  readonly world: SessionContext
  readonly state: State
  readonly journal: Journal
  /** Answers a request, or returns undefined when no endpoint of the base address (of either, without one) has its path. */
  handle(request: ServiceRequest, base?: Base): Answer | undefined
  /** The answer that `handle` would give, with all that leads to it; nothing comes of it. */
  rehearse(request: ServiceRequest, trace: AnswerTrace): Answer | undefined
  /** Virtual milliseconds since the epoch at real time `realMs`. */
  nowMs(realMs: number): number
  /**
   * Changes settings, clock, prices and scenario, all or nothing.
   * @throws PriceFeedMockError SESSION_INVALID, CLOCK_OUT_OF_RANGE, SCENARIO_UNKNOWN or SCENARIO_INVALID
   */
  change(patch: SessionPatch, realMs: number): void
  /** Back to the settings that it was created with: counters at 0, the clock at its start, an empty journal. */
  reset(realMs: number): void
  /** Seed and policy beneath the scenario, and what the session has set for itself. */
  readonly layers: Pick<Settings, 'seed' | 'policy'> & { readonly own: SettingsPatch }
  /** Puts a snapshot, checked, in the place of everything but the id and the older part of the journal. */
  restore(snapshot: Snapshot, realMs: number): void
}

/** What all sessions of a mock share. */
export interface SessionResources {
  readonly feeds: readonly Feed[]
  readonly respond: Respond
  readonly scenarios: Scenarios
  marketOf(seed: string): Market
  signerOf(settings: Pick<Settings, 'signer' | 'signerKeyUnsafe'>): Signer
  /** Whether a key leads to some session of the mock. */
  isSessionKey(key: string): boolean
}

/** What a session is made of. */
export interface SessionOptions {
  readonly id: string
  readonly created: boolean
  readonly settings: Settings
  /** The scenario that it starts with, by name or as an object. */
  readonly scenario: SessionPatch['scenario']
  /** Applied when it starts and again after each reset. */
  readonly patch?: SessionPatch | undefined
  /** Real time at which the clock starts, in milliseconds since the epoch. */
  readonly startedAt: number
}

/**
 * Creates a session.
 * @throws PriceFeedMockError SESSION_INVALID or CLOCK_OUT_OF_RANGE
 */
export function createSession(options: SessionOptions, resources: SessionResources): Session {
  const { id, created, patch = {}, startedAt } = options
  const apiKey = id === 'default' ? undefined : `session.${id}`
  const { marketOf, signerOf, isSessionKey, scenarios, respond, feeds } = resources

  const makeContext = ({ settings, clock, overrides, scenario }: Made): SessionContext => {
    const market = marketOf(settings.seed)
    return {
      id,
      settings,
      clock,
      market,
      signer: signerOf(settings),
      testSigner: signer => signerOf({ signer }),
      scenario,
      stage: createMarketStage(market, scenario, overrides),
      overrides,
      acceptsKey: key => settings.apiKeys.includes(key) || isSessionKey(key),
    }
  }

  /** Settings from the bottom up: those of the server, those of the scenario, those of the session itself. */
  const layer = (base: Settings, scenario: Scenario, own: SettingsPatch): Settings => {
    const { clock: _, ...ofScenario } = scenario.settings
    return withSigner(mergeSettings(base, ofScenario, own), own.signer)
  }

  /** What a change makes of a session, or everything that is wrong with it. */
  const changed = (before: Made, { clock, prices, scenario: given, ...patch }: SessionPatch, realMs: number): Made => {
    const next = given === undefined ? undefined : scenarios.get(given)
    const own = mergePatches(before.own, patch)
    const settings = layer(before.base, next ?? before.scenario.scenario, own)
    // A new seed is another market, in which nothing is held.
    const overrides = settings.seed === before.settings.seed ? before.overrides : {}
    const nextClock = [next?.settings.clock, clock].reduce<Clock>(
      (running, change) => (change ? changeClock(running, change, realMs) : running),
      before.clock,
    )
    const now = Math.floor(readClock(nextClock, realMs) / 1000)
    // A clock that is set to before the scenario began takes it along: nobody wants a stale price to be fresh again then.
    const isBefore = now < before.scenario.origin
    const scenario = next || isBefore ? applyScenario(next ?? before.scenario.scenario, now) : before.scenario
    const held = prices ? overridePrices(marketOf(settings.seed), overrides, prices, now) : { overrides, problems: [] }
    // Only these can leave a price that no layout signs: a step of the clock need not look at every feed.
    const canOutgrow = patch.signing !== undefined || prices !== undefined
    const largest = canOutgrow ? feeds.map(feed => largestTick(feed, held.overrides[feed.id])) : []
    const layouts = canOutgrow ? checkLayouts(settings.signing, largest) : []
    assertNoProblems('SESSION_INVALID', `The change of the session ${id}`, [...held.problems, ...layouts])
    return { base: before.base, settings, own, clock: nextClock, overrides: held.overrides, scenario }
  }

  const start = (realMs: number): Made => {
    const { settings, scenario = 'calm' } = options
    const clock = startClock(settings.clock, realMs)
    const calm = applyScenario(scenarios.get('calm'), 0)
    const blank: Made = { base: settings, settings, own: {}, clock, overrides: {}, scenario: calm }
    return changed(blank, { ...patch, scenario: patch.scenario ?? scenario }, realMs)
  }

  let made = start(startedAt)
  let world = makeContext(made)
  let state = DEFAULT_STATE
  const become = (next: Made): void => {
    made = next
    world = makeContext(next)
  }
  const journal = createJournal()
  return {
    id,
    created,
    apiKey,
    journal,
    get world() {
      return world
    },
    get state() {
      return state
    },
    handle(request, base) {
      const answer = respond(world, state, request, base)
      if (answer === undefined) return undefined
      state = answer.state
      return answer
    },
    rehearse: (request, trace) => respond(world, state, request, undefined, trace),
    nowMs: realMs => readClock(world.clock, realMs),
    change(patch, realMs) {
      const { scenario } = made
      become(changed(made, patch, realMs))
      // A scenario that begins, or begins anew, has counted nothing yet.
      if (made.scenario !== scenario) state = withFreshFaults(state)
    },
    reset(realMs) {
      become(start(realMs))
      state = DEFAULT_STATE
      journal.clear()
    },
    get layers() {
      const { seed, policy } = mergeSettings(made.base, made.own)
      return { seed, policy, own: made.own }
    },
    restore(snapshot, realMs) {
      const { seed, policy, signing, apiKeys, scenario: taken } = snapshot
      const scenario = applyScenario(scenarios.revive(taken.name, taken.source), taken.origin)
      const base = mergeSettings(made.base, { seed, policy })
      const own = { ...snapshot.own, signing, apiKeys, signer: snapshot.signer ?? undefined }
      const { virtualMs, speed, frozen } = snapshot.clock
      const clock = { virtualMs, realMs, speed, frozen }
      become({
        base,
        settings: layer(base, scenario.scenario, own),
        own,
        clock,
        overrides: snapshot.overrides,
        scenario,
      })
      state = snapshot.state
      journal.rewind(state.n)
    },
  }
}

/** What a world is made of; its settings lie in layers: the base, those of the scenario, what the session has set for itself. */
interface Made extends Pick<SessionContext, 'settings' | 'clock' | 'overrides' | 'scenario'> {
  readonly base: Settings
  readonly own: SettingsPatch
}

/** Settings in which a test key that was asked for signs, also where a private key of the user's own did. */
function withSigner(settings: Settings, signer: number | undefined): Settings {
  if (signer === undefined) return settings
  const { signerKeyUnsafe: _, ...rest } = settings
  return rest
}
