// The sessions of a store as records, and as the texts that it keeps: how they are selected, created and read.
import { createBoundedCache } from '../../../caches.js'
import { readSeries } from '../../../market/read-series.js'
import { chargeOf, SMALL_BYTES } from '../../../service/admission.js'
import { type Creation, created } from '../../../service/changes.js'
import { createJournal } from '../../../service/journal.js'
import { countersSchema, type SessionRecord, type Setup, setupSchema, toData } from '../../../service/record.js'
import { isScenarioId, type ServiceRequest, sessionOfKey } from '../../../service/request.js'
import { createShared, type Runtime, type SessionParts } from '../../../service/runtime.js'
import { createSession } from '../../../service/session.js'
import { assertRequestedId } from '../../../service/sessions.js'
import { parseOrThrow } from '../../../settings/schema.js'
import {
  type Absence,
  commitOne,
  type Loaded,
  type Store,
  sessionUnknown,
  sessionUnreadable,
  setupOf,
  type Texts,
} from './store.js'
import { type JournalTotals, NO_ENTRIES, readTotals, toJournal } from './stored-journal.js'

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
export type StoredSessions = ReturnType<typeof createStoredSessions>

/**
 * Creates the reader and writer of the sessions of a store.
 * @param isLazy whether the path of an unknown session creates it
 */
export function createStoredSessions(store: Store, parts: SessionParts, isLazy: boolean) {
  /** Whether there is a session of an id, or was one that was evicted. */
  const exists = createBoundedCache<string, boolean>(MAX_KEYS)
  const shared = createShared(parts, id => exists.get(id) === true)

  /** A session after a change, with a new revision. */
  const toKnown = (record: SessionRecord, journal: JournalTotals, gone: string, before?: Known): Known => {
    const counters = `${JSON.stringify(journal)}\n${JSON.stringify(record.counters)}`
    if (before?.record.setup === record.setup) {
      const texts = { ...before.texts, rev: store.nextRev(setupOf(before.texts.rev)), counters, gone }
      return { ...before, texts, record, journal }
    }
    const runtime = shared.runtimeOf(record.setup)
    const { isNamed, bytes } = chargeOf(runtime)
    const charge = Math.max(0, Math.ceil(bytes) - SMALL_BYTES)
    const texts = { rev: store.nextRev(), setup: JSON.stringify(toData(record.setup)), counters, gone, charge, isNamed }
    return { texts, record, runtime, journal }
  }
  const toNew = (creation: Creation): Known => toKnown(created(creation, shared), NO_ENTRIES, '[]')
  const add = async (known: Known): Promise<Known | undefined> => {
    const { kind } = await commitOne(store, { id: known.record.setup.id, next: known.texts })
    return kind === 'done' ? known : undefined
  }
  /**
   * A session that a request would create. It is not in the store.
   * @throws PriceFeedMockError SESSION_UNKNOWN, SESSION_INVALID or SCENARIO_UNKNOWN
   */
  const byRequest = (id: string, realMs: number, absence: Absence): Known => {
    assertRequestedId(id, shared.scenarios)
    if (!isLazy && id !== 'default' && !isScenarioId(id)) throw sessionUnknown(id, absence)
    return toNew({ id, isNamed: id === 'default', realMs, replacesEvicted: absence === 'evicted' })
  }
  return {
    shared,
    /** @param isKnown whether a session that the key of the request names need not be looked up */
    async select(request: ServiceRequest, isKnown = (_id: string) => false): Promise<string> {
      const named = sessionOfKey(request.authorization)
      if (named !== undefined) exists.set(named, isKnown(named) || (await store.load(named)) !== 'unknown')
      return shared.sessionOf(request)
    },
    /**
     * A session, with entries of its journal from `first` to `last`.
     * @throws PriceFeedMockError SESSION_UNKNOWN or SESSION_UNREADABLE
     */
    async load(id: string, first?: number, last?: number): Promise<Loaded> {
      const found = await store.load(id, first, last)
      if (typeof found === 'string') throw sessionUnknown(id, found, await store.ids())
      return found
    },
    /**
     * A session, created if requests may create it.
     * @throws PriceFeedMockError SESSION_UNKNOWN, SESSION_INVALID, SCENARIO_UNKNOWN or SESSIONS_FULL
     */
    async use(id: string, realMs: number): Promise<Texts> {
      for (;;) {
        const found = await store.load(id)
        if (typeof found === 'object') return found.texts
        const added = await add(byRequest(id, realMs, found))
        if (added !== undefined) return added.texts
      }
    },
    byRequest,
    /**
     * Creates a session. Undefined if there is one with its id.
     * @throws PriceFeedMockError SESSION_INVALID, SCENARIO_UNKNOWN, SCENARIO_INVALID or SESSIONS_FULL
     */
    create: async (creation: Creation) => add(toNew(creation)),
    /**
     * @param before an earlier state of it: nothing is derived anew while only counters differ
     * @throws PriceFeedMockError SESSION_UNREADABLE
     */
    read(id: string, texts: Texts, before?: Known): Known {
      try {
        const [, counters] = texts.counters.split('\n')
        const isSame = before !== undefined && setupOf(before.texts.rev) === setupOf(texts.rev)
        const setup = isSame ? before.record.setup : readSetup(texts)
        if (!isSame) shared.feedsOf(setup.createdWith, readSeries)
        const record = { setup, counters: parseOrThrow(countersSchema, JSON.parse(counters!), ...INVALID) }
        return { texts, record, runtime: shared.runtimeOf(setup), journal: readTotals(texts) }
      } catch (cause) {
        throw sessionUnreadable(id, cause)
      }
    },
    toKnown,
    /** A session to read from, with the entries of its journal if these were read. */
    view: ({ texts, record, journal }: Known, lines?: readonly string[]) =>
      createSession(record, shared, lines ? toJournal(journal, texts.gone, lines) : createJournal(), () => {}),
  }
}

const INVALID = ['STATE_INVALID', 'The session'] as const

const readSetup = ({ setup }: Texts): Setup => parseOrThrow(setupSchema, JSON.parse(setup), ...INVALID)
