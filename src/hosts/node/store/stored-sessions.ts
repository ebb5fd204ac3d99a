// The sessions of a store as records, and as the texts that it keeps.

import { createBoundedCache } from '../../../caches.js'
import { readSeries } from '../../../market/read-series.js'
import { chargeOf, SMALL_BYTES } from '../../../service/admission.js'
import { createJournal } from '../../../service/journal.js'
import {
  decodeCounters,
  decodeSetup,
  encodeCounters,
  encodeSetup,
  type SessionRecord,
} from '../../../service/record.js'
import { isScenarioId, SCENARIO } from '../../../service/request.js'
import { createShared, type Runtime, type SessionParts, type Shared } from '../../../service/runtime.js'
import { createSession, type Session } from '../../../service/session.js'
import { readSession, type Store, setupOf, type Texts } from './store.js'
import { type JournalTotals, readTotals, toJournal } from './stored-journal.js'

/** The beginning of an API key that selects a session. */
export const SESSION_KEY = 'session.'
/** Sessions whose existence is remembered, for API keys. */
const MAX_KEYS = 10_000

/** A session as read from a store. */
export interface Known {
  readonly texts: Texts
  readonly record: SessionRecord
  readonly runtime: Runtime
  readonly journal: JournalTotals
}

/** Reads and writes the sessions of a store as texts. */
export interface StoredSessions {
  readonly shared: Shared
  /**
   * Reads a session.
   * @param before an earlier state of it: nothing is derived anew while only counters differ
   * @throws PriceFeedMockError SESSION_UNREADABLE
   */
  read(id: string, texts: Texts, before?: Known): Known
  /** A session after a change, with a new revision. */
  toKnown(record: SessionRecord, journal: JournalTotals, gone: string, before?: Known): Known
  /** A session to read from, with the entries of its journal if these were read. */
  view(known: Known, lines?: readonly string[]): Session
  /** Notes whether a session, or one that was evicted, has an id: its key is accepted by all sessions. */
  noteKey(id: string, exists: boolean): void
  /** The id of the session that a key selects, if any. */
  idOfKey(key: string): string | undefined
}

/** Creates the reader and writer of the sessions of a store. */
export function createStoredSessions({ nextRev }: Pick<Store, 'nextRev'>, parts: SessionParts): StoredSessions {
  const { settings, scenarios } = parts
  const known = createBoundedCache<string, boolean>(MAX_KEYS)
  const byKey = (key: string): string | undefined => {
    if (isScenarioId(key)) return scenarios.has(key.slice(SCENARIO.length)) ? key : undefined
    const id = key.startsWith(SESSION_KEY) ? key.slice(SESSION_KEY.length) : undefined
    return id !== undefined && known.get(id) ? id : undefined
  }
  const shared = createShared(parts, key => byKey(key) !== undefined)
  return {
    shared,
    read: (id, texts, before) =>
      readSession(id, () => {
        const [, counters] = texts.counters.split('\n')
        const isSame = before !== undefined && setupOf(before.texts.rev) === setupOf(texts.rev)
        const setup = isSame ? before.record.setup : decodeSetup(texts.setup)
        if (!isSame) shared.feedsOf(setup.createdWith, readSeries)
        const record = { setup, counters: decodeCounters(counters!) }
        return { texts, record, runtime: shared.runtimeOf(setup), journal: readTotals(texts) }
      }),
    toKnown(record, journal, gone, before) {
      const counters = `${JSON.stringify(journal)}\n${encodeCounters(record.counters)}`
      if (before?.record.setup === record.setup) {
        const texts = { ...before.texts, rev: nextRev(setupOf(before.texts.rev)), counters, gone }
        return { ...before, texts, record, journal }
      }
      const runtime = shared.runtimeOf(record.setup)
      const { isNamed, bytes } = chargeOf(runtime)
      const charge = Math.max(0, Math.ceil(bytes) - SMALL_BYTES)
      const texts = { rev: nextRev(), setup: encodeSetup(record.setup), counters, gone, charge, isNamed }
      return { texts, record, runtime, journal }
    },
    view: ({ texts, record, journal }, lines) =>
      createSession(record, shared, lines ? toJournal(journal, texts.gone, lines) : createJournal(), () => {}),
    noteKey: (id, exists) => known.set(id, exists),
    // An unknown scenario counts, so that it is reported as such and not as a wrong key.
    idOfKey: key => (isScenarioId(key) && !settings.apiKeys.includes(key) ? key : byKey(key)),
  }
}
