// Sessions of a store as objects: made from their stored form, which is that of a state file without counters and journal.
import { readSeries } from '../../../market/read-series.js'
import { type Creation, created } from '../../../service/changes.js'
import type { Clock } from '../../../service/clock.js'
import type { Journal } from '../../../service/journal.js'
import { type Counters, decodeSetup, encodeSetup, type SessionRecord } from '../../../service/record.js'
import { isScenarioId, SCENARIO } from '../../../service/request.js'
import { createShared, type Shared } from '../../../service/runtime.js'
import { createSession, type Session } from '../../../service/session.js'
import type { StoredSession } from './store.js'

/** Makes the sessions of a store. */
export interface StoredSessions {
  readonly parts: Shared
  /** Makes a new session. */
  make(creation: Creation): Session
  /** The stored form of a session. Its clock is kept exactly: as it was when it was last changed. */
  toConfig(session: Session): string
  /** Makes a session of its stored form. */
  revive(stored: StoredSession, journal?: Journal): Session
  /** The id of the session that a key selects, if any. */
  idOfKey(key: string): string | undefined
  /**
   * Runs a synchronous step that may ask whether a session exists.
   * @param exists whether a session, or one that was idle, has an id
   */
  withLookup<T>(exists: (id: string) => boolean, step: () => T): T
}

/** A journal that keeps nothing. */
export const NO_JOURNAL: Journal = {
  add() {},
  clear() {},
  rewind() {},
  close() {},
  load() {},
  subscribe: () => () => {},
  entries: () => [],
  since: () => [],
  summarize: () => [],
  save: () => ({ added: 0, entries: [], gone: [], goneUntil: 0 }),
}

/** Creates the maker of the sessions of a store. */
export function createStoredSessions(parts: Shared): StoredSessions {
  const { settings, scenarios } = parts
  let lookup = (_id: string): boolean => false
  const byKey = (key: string): string | undefined => {
    if (key.startsWith(SESSION_KEY))
      return lookup(key.slice(SESSION_KEY.length)) ? key.slice(SESSION_KEY.length) : undefined
    return isScenarioId(key) && scenarios.has(key.slice(SCENARIO.length)) ? key : undefined
  }
  const shared = createShared(parts, key => byKey(key) !== undefined)
  // The store counts what sessions hold.
  const make = (record: SessionRecord, journal: Journal): Session => createSession(record, shared, journal, () => {})
  return {
    parts: shared,
    toConfig: ({ record: { setup, counters } }) => `${encodeSetup(setup)}\n${JSON.stringify(counters.clock)}`,
    make: creation => make(created(creation, shared), NO_JOURNAL),
    revive({ config, state, refused, at }, journal = NO_JOURNAL) {
      const [text, clock] = config.split('\n') as [string, string]
      const setup = decodeSetup(text)
      shared.feedsOf(setup.birth, readSeries)
      return make({ setup, counters: { ...state, clock: JSON.parse(clock) as Clock, refused, at } }, journal)
    },
    // An unknown scenario counts, so that it is reported as such and not as a wrong key.
    idOfKey: key => (isScenarioId(key) && !settings.apiKeys.includes(key) ? key : byKey(key)),
    withLookup(exists, step) {
      const before = lookup
      lookup = exists
      try {
        return step()
      } finally {
        lookup = before
      }
    },
  }
}

/** The beginning of an API key that selects a session. */
export const SESSION_KEY = 'session.'

/** The counters of a session as the store has them. */
export const countersOf = ({ record }: Session, { state, refused, at }: StoredSession): Counters => ({
  ...state,
  clock: record.counters.clock,
  refused,
  at,
})
