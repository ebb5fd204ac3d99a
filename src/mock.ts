// The mock as a whole: settings and feeds in, outcomes out. Pure but for what it remembers; real time comes with each request.
import { administer } from './admin/administer.js'
import { ENDPOINTS } from './endpoints/index.js'
import type { Feed } from './market/feeds.js'
import { catalogueFeeds, type FeedsFile, readFeeds } from './market/feeds-file.js'
import { priceRange } from './market/resolve-feeds.js'
import type { Outcome } from './outcome.js'
import type { Base } from './service/endpoint.js'
import type { ServiceRequest } from './service/request.js'
import { type Answer, createRespond } from './service/respond.js'
import { createSession, type Session } from './service/session.js'
import { assertNoProblems, read } from './settings/schema.js'
import { DEFAULT_SETTINGS, mergeSettings, type SettingsInput, settingsSchema } from './settings/settings.js'
import { LATEST } from './settings/time.js'
import { checkLayouts } from './signing/check-layouts.js'
import type { Tick } from './signing/encode.js'

/** What a mock can be created with; every part may be left out. */
export interface MockOptions extends SettingsInput {
  /**
   * Feeds of your own, added to the catalogue or instead of it.
   * @default the catalogue
   */
  readonly feeds?: FeedsFile | undefined
  /**
   * Real time at which the clock starts, in milliseconds since the epoch.
   * @default the arrival of the first request
   */
  readonly startedAt?: number | undefined
}

/** A mock: requests in, outcomes out. */
export interface Mock {
  /** Answers a request to one of the five endpoints, or returns undefined when none of the base address (of either, without one) has its path. */
  serve(request: ServiceRequest, base?: Base): Answer | undefined
  /** Answers everything else: the admin's levers, the index, and a problem for what leads nowhere. */
  administer(request: ServiceRequest): Outcome
  /** The session `default`. Its clock starts at `realMs` if it has not started. */
  session(realMs: number): Session
}

/**
 * Creates a mock.
 * @throws PriceFeedMockError CONFIG_INVALID or FEEDS_INVALID with every problem of the options
 * @example
 * const mock = createMock({ seed: '42', clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
 */
export function createMock({ feeds, startedAt, ...input }: MockOptions = {}): Mock {
  const patch = read(settingsSchema, input)
  assertNoProblems('CONFIG_INVALID', 'The configuration', patch.problems ?? [])
  const settings = mergeSettings(DEFAULT_SETTINGS, patch.value!)
  const catalogue = feeds ? readFeeds(feeds, 'feeds') : catalogueFeeds()
  assertNoProblems('CONFIG_INVALID', 'The configuration', checkLayouts(settings.signing, catalogue.map(largestTick)))
  const respond = createRespond(ENDPOINTS)
  let session: Session | undefined
  const sessionAt = (realMs: number): Session =>
    (session ??= createSession({ id: 'default', settings, feeds: catalogue, respond, startedAt: startedAt ?? realMs }))
  return {
    serve: (request, base) => sessionAt(request.receivedAt).handle(request, base),
    administer: request => administer(request, sessionAt(request.receivedAt)),
    session: sessionAt,
  }
}

/** A tick as large as any that a feed will have. */
function largestTick(feed: Feed): Tick {
  return { feedId: feed.id, price: Math.ceil(priceRange(feed).high), expo: feed.expo, ts: LATEST }
}
