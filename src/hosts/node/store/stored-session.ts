// Sessions of a store as objects: made from their stored form, which is that of a state file without counters and journal.
import { readSeries } from '../../../market/read-series.js'
import { createJournalPool, type Journal } from '../../../service/journal.js'
import { readSavedSession, toSavedSession } from '../../../service/saved-state.js'
import type { Session } from '../../../service/session.js'
import {
  createSessionMaker,
  isScenarioId,
  type MakeOptions,
  SCENARIO,
  type SessionParts,
} from '../../../service/session-maker.js'
import type { Snapshot } from '../../../service/snapshot.js'
import type { StoredSession } from './store.js'

/** Makes the sessions of a store. */
export interface StoredSessions {
  readonly parts: SessionParts
  /** Makes a new session. */
  make(options: MakeOptions): Session
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
export function createStoredSessions(parts: SessionParts): StoredSessions {
  const { settings, scenarios } = parts
  let lookup = (_id: string): boolean => false
  const byKey = (key: string): string | undefined => {
    if (key.startsWith(SESSION_KEY))
      return lookup(key.slice(SESSION_KEY.length)) ? key.slice(SESSION_KEY.length) : undefined
    return isScenarioId(key) && scenarios.has(key.slice(SCENARIO.length)) ? key : undefined
  }
  const make = createSessionMaker(parts, {
    isSessionKey: key => byKey(key) !== undefined,
    journals: createJournalPool(),
    // The store counts what sessions hold.
    admit() {},
  })
  /** Parts of a snapshot that most sessions have in common: a session is stored without those that do not differ. */
  let common: Pick<Snapshot, 'policy' | 'signing'> | undefined
  const commonParts = () => {
    if (common === undefined) {
      const session = make({ id: 'default', created: true, realMs: 0, replacesEvicted: false, journal: NO_JOURNAL })
      const { policy, signing } = savedOf(session).snapshot
      common = { policy, signing }
    }
    return common
  }
  return {
    parts,
    toConfig(session) {
      const { realMs } = session.context.clock
      const saved = savedOf(session)
      const { state: _, ...snapshot } = saved.snapshot
      const { policy, signing } = commonParts()
      const own = {
        ...snapshot,
        policy: isSame(snapshot.policy, policy) ? undefined : snapshot.policy,
        signing: isSame(snapshot.signing, signing) ? undefined : snapshot.signing,
      }
      return JSON.stringify({ realMs, session: { ...saved, snapshot: own } })
    },
    make: options => make({ journal: NO_JOURNAL, ...options }),
    revive({ config, state }, journal = NO_JOURNAL) {
      const { realMs, session } = JSON.parse(config) as { realMs: number; session: { snapshot: object } }
      const data = { ...session, snapshot: { ...commonParts(), ...session.snapshot, state } }
      return readSavedSession(data, realMs, (id, created, body) =>
        make({ id, created, body, realMs, replacesEvicted: false, readSeries, journal }),
      )
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

const savedOf = (session: Session): { readonly snapshot: Snapshot } =>
  toSavedSession(session, session.context.clock.realMs) as { snapshot: Snapshot }

const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other)
