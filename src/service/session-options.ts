// The input of a session: options of its own, and resources that it shares with all sessions of a mock.
import type { Feed } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import type { SeriesAt } from '../market/series.js'
import type { Scenarios } from '../scenario/scenarios.js'
import type { Settings } from '../settings/settings.js'
import type { Signer } from '../signing/signer.js'
import type { Holding } from './holding.js'
import type { Journal, JournalPool } from './journal.js'
import type { Respond } from './respond.js'
import type { OwnSeries } from './session.js'
import type { SessionPatch } from './session-settings.js'

/** Resources that all sessions of a mock share. */
export interface SessionResources {
  readonly feeds: readonly Feed[]
  readonly respond: Respond
  readonly scenarios: Scenarios
  marketOf(seed: string, feeds: readonly Feed[]): Market
  /** The feeds with their series moved by some seconds. */
  shiftedFeeds(feeds: readonly Feed[], shift: number): readonly Feed[]
  signerOf(settings: Pick<Settings, 'signer' | 'signerKeyUnsafe'>): Signer
  /** Whether a key selects a session of the mock. */
  isSessionKey(key: string): boolean
  /** All journals, which share a maximum of bytes. */
  readonly journals: JournalPool
  /**
   * Counts the changed holding of a session.
   * @throws PriceFeedMockError SESSIONS_FULL
   */
  admit(before: Holding, after: Holding): void
}

/** Options of a session. */
export interface SessionOptions {
  readonly id: string
  readonly created: boolean
  readonly settings: Settings
  /** The scenario to start with, by name or as an object. */
  readonly scenario: SessionPatch['scenario']
  /** Applied at the start and after each reset. */
  readonly patch?: SessionPatch | undefined
  /**
   * The feeds of the mock, some of them with series of the session.
   * @default the feeds of the mock
   */
  readonly feeds?: readonly Feed[] | undefined
  /**
   * The time of the first row of the series.
   * @default 'start'
   */
  readonly seriesAt?: SeriesAt | undefined
  /** The series that it is created with, and their place. */
  readonly ownSeries?: OwnSeries | undefined
  /** Real time at which the clock starts, in milliseconds since the epoch. */
  readonly startedAt: number
  /** Whether it replaces a session of the same id that was evicted. */
  readonly replacesEvicted: boolean
  /**
   * A journal that is kept elsewhere.
   * @default a journal in memory
   */
  readonly journal?: Journal | undefined
}
