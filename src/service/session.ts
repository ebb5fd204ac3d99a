// A session: an isolated world with its state and its journal. It loads, asks the reducer and saves; a change makes a new world.
import type { Feed } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import { assertNoProblems } from '../settings/schema.js'
import { mergeSettings, type Settings } from '../settings/settings.js'
import { checkLayouts } from '../signing/check-layouts.js'
import type { Signer } from '../signing/signer.js'
import { changeClock, readClock, startClock } from './clock.js'
import type { Base } from './endpoint.js'
import { createJournal, type Journal } from './journal.js'
import { largestTick, type World } from './moment.js'
import { holdPrices } from './prices.js'
import type { ServiceRequest } from './request.js'
import { type Answer, INITIAL_STATE, type Respond, type State } from './respond.js'
import type { SessionPatch } from './session-settings.js'
import { readSnapshot, type Snapshot, takeSnapshot } from './snapshot.js'

/** A world that is being asked. */
export interface Session {
  readonly id: string
  /** Whether it was created by name, not by being asked: only such a session is safe from eviction. */
  readonly created: boolean
  /** The key that leads to it from the plain paths; undefined for `default`, which needs none. */
  readonly apiKey: string | undefined
  readonly world: World
  readonly state: State
  readonly journal: Journal
  /** Answers a request, or returns undefined when no endpoint of the base address (of either, without one) has its path. */
  handle(request: ServiceRequest, base?: Base): Answer | undefined
  /** Virtual milliseconds since the epoch at real time `realMs`. */
  nowMs(realMs: number): number
  /**
   * Changes settings, clock and prices, all or nothing.
   * @throws PriceFeedMockError SESSION_INVALID or CLOCK_OUT_OF_RANGE
   */
  change(patch: SessionPatch, realMs: number): void
  /** Back to the settings that it was created with: counters at 0, the clock at its start, an empty journal. */
  reset(realMs: number): void
  snapshot(realMs: number): Snapshot
  /**
   * Puts a snapshot in the place of everything but the id and the journal.
   * @throws PriceFeedMockError SNAPSHOT_INVALID
   */
  restore(snapshot: unknown, realMs: number): void
}

/** What all sessions of a mock share. */
export interface SessionResources {
  readonly feeds: readonly Feed[]
  readonly respond: Respond
  marketOf(seed: string): Market
  signerOf(settings: Settings): Signer
  /** Whether a key leads to some session of the mock. */
  isSessionKey(key: string): boolean
  /** @throws PriceFeedMockError SCENARIO_UNKNOWN */
  assertScenario(name: string): void
}

/** What a session is made of. */
export interface SessionOptions {
  readonly id: string
  readonly created: boolean
  readonly settings: Settings
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
  const { marketOf, signerOf, isSessionKey, assertScenario, respond, feeds } = resources

  const makeWorld = (settings: Settings, rest: Pick<World, 'clock' | 'rescalings'>): World => ({
    id,
    settings,
    market: marketOf(settings.seed),
    signer: signerOf(settings),
    acceptsKey: key => settings.apiKeys.includes(key) || isSessionKey(key),
    ...rest,
  })

  const changed = (
    world: World,
    { clock, prices, scenario, ...settingsPatch }: SessionPatch,
    realMs: number,
  ): World => {
    if (scenario !== undefined) assertScenario(scenario)
    const settings = withSigner(mergeSettings(world.settings, settingsPatch), settingsPatch.signer)
    // A new seed is another market, in which nothing is held.
    const rescalings = settings.seed === world.settings.seed ? world.rescalings : {}
    const nextClock = clock ? changeClock(world.clock, clock, realMs) : world.clock
    const now = Math.floor(readClock(nextClock, realMs) / 1000)
    const held = holdPrices(marketOf(settings.seed), rescalings, prices ?? {}, now)
    const next = makeWorld(settings, { clock: nextClock, rescalings: held.rescalings })
    // Only these can leave a price that no layout signs: a step of the clock need not look at every feed.
    const canOutgrow = settingsPatch.signing !== undefined || prices !== undefined
    const largest = canOutgrow ? feeds.map(feed => largestTick(feed, held.rescalings[feed.id])) : []
    const layouts = canOutgrow ? checkLayouts(settings.signing, largest) : []
    assertNoProblems('SESSION_INVALID', `The change of the session ${id}`, [...held.problems, ...layouts])
    return next
  }

  const start = (realMs: number): World => {
    const { settings } = options
    return changed(makeWorld(settings, { clock: startClock(settings.clock, realMs), rescalings: {} }), patch, realMs)
  }

  let world = start(startedAt)
  let state = INITIAL_STATE
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
    nowMs: realMs => readClock(world.clock, realMs),
    change(next, realMs) {
      world = changed(world, next, realMs)
    },
    reset(realMs) {
      world = start(realMs)
      state = INITIAL_STATE
      journal.clear()
    },
    snapshot: realMs => takeSnapshot(world, state, realMs),
    restore(data, realMs) {
      const snapshot = readSnapshot(data, feeds, world.settings.signerKeyUnsafe !== undefined)
      const { seed, policy, signing, apiKeys } = snapshot
      const signer = snapshot.signer ?? undefined
      const settings = withSigner(mergeSettings(world.settings, { seed, policy, signing, apiKeys, signer }), signer)
      const { virtualMs, speed, frozen } = snapshot.clock
      world = makeWorld(settings, { clock: { virtualMs, realMs, speed, frozen }, rescalings: snapshot.rescalings })
      state = snapshot.state
    },
  }
}

/** Settings in which a test key that was asked for signs, also where a private key of the user's own did. */
function withSigner(settings: Settings, signer: number | undefined): Settings {
  if (signer === undefined) return settings
  const { signerKeyUnsafe: _, ...rest } = settings
  return rest
}
