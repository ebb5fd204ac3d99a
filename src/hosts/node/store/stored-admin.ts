// Runs admin routes on the sessions of a store. The routes are synchronous: they stop at what is not loaded, and run again with it.

import type { Addresses, AdminContext } from '../../../admin/admin-route.js'
import { administer } from '../../../admin/administer.js'
import { PriceFeedMockError } from '../../../errors.js'
import { problemReply, type Reply } from '../../../outcome.js'
import { sessionsFull, sessionsHoldTooMuch } from '../../../service/admission.js'
import { createJournal, type Journal, type SavedJournal } from '../../../service/journal.js'
import type { Counters, SessionRecord } from '../../../service/record.js'
import { isScenarioId, parseTarget, type ServiceRequest, selectByPath } from '../../../service/request.js'
import type { AnswerTrace } from '../../../service/respond.js'
import type { Session } from '../../../service/session.js'
import { assertRequestedId, type Sessions } from '../../../service/sessions.js'
import type { Lanes } from './lanes.js'
import { isUnreadable, readSession, sessionUnknown } from './session-errors.js'
import type { SessionChange, Store, StoredSession, Written } from './store.js'
import { countersOf, NO_JOURNAL, type StoredSessions } from './stored-session.js'

/** Attempts to change a session that others change as well. */
const MAX_ATTEMPTS = 100

/** The parts of an admin context that do not depend on sessions. */
export type AdminParts = Pick<AdminContext, 'flags' | 'scenarios'> & {
  /** The real time at which a session expires if it stays idle, in milliseconds; undefined if it does not. */
  expiresAt(id: string, at: number): number | undefined
  /** Called for each session that a list leaves out, because it cannot be read. */
  onUnreadable(error: PriceFeedMockError): void
}

/** Answers admin routes. */
export type StoredAdmin = (request: ServiceRequest, addresses: Addresses) => Promise<Reply>

/** Something that a route needs and that is not loaded. */
class Missing extends Error {
  readonly load: (loaded: Loaded) => Promise<void>

  constructor(load: (loaded: Loaded) => Promise<void>) {
    super('not loaded')
    this.load = load
  }
}

/** The things that were loaded for one request. */
interface Loaded {
  readonly sessions: Map<string, StoredSession | 'unknown' | 'idle' | PriceFeedMockError>
  readonly journals: Map<string, SavedJournal>
  ids: readonly string[] | undefined
  /** Numbers for names. */
  readonly names: number[]
  size: number | undefined
}

/** A session that a route has asked for, and what the route did to its journal. */
interface Opened {
  readonly session: Session
  readonly stored: StoredSession
  readonly record: SessionRecord
  clears: boolean
  rewindsTo: number | undefined
}

/** Creates the admin of a store. */
export function createStoredAdmin(
  store: Store,
  stored: StoredSessions,
  lanes: Lanes,
  isLazy: boolean,
  parts: AdminParts,
): StoredAdmin {
  const { scenarios } = parts

  const load = (id: string) =>
    store.load(id).catch((error: unknown) => {
      if (isUnreadable(error)) return error
      throw error
    })

  /** Runs a route with the things loaded so far. Returns its reply and the writes that it needs. */
  const run = async (request: ServiceRequest, addresses: Addresses, loaded: Loaded) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const opened = new Map<string, Opened>()
    const views = new Map<string, Session>()
    const writes: (() => Promise<Written>)[] = []

    const lookUp = (id: string): StoredSession | 'unknown' | 'idle' => {
      const found = loaded.sessions.get(id)
      if (found === undefined) throw new Missing(async to => void to.sessions.set(id, await load(id)))
      if (found instanceof PriceFeedMockError) throw found
      return found
    }
    const ids = (): readonly string[] => {
      if (loaded.ids !== undefined) return loaded.ids
      throw new Missing(async to => {
        to.ids = await store.ids()
      })
    }
    const open = (id: string, found: StoredSession): Session => {
      const known = opened.get(id) ?? openAnew(id, found)
      return known.session
    }
    const openAnew = (id: string, found: StoredSession): Opened => {
      const changes = { clears: false, rewindsTo: undefined as number | undefined }
      const journal: Journal = {
        ...lateJournal(id, loaded, store),
        clear: () => void (changes.clears = true),
        rewind: n => void (changes.rewindsTo = n),
      }
      const session = readSession(id, () => stored.revive(found, journal))
      const one = Object.assign(changes, { session, stored: found, record: session.record })
      opened.set(id, one)
      return one
    }
    /** A session to read from. */
    const view = (id: string, found: StoredSession): Session => {
      let known = views.get(id)
      if (known === undefined) {
        const ready = lanes.ready(id, found)
        known = Object.create(ready, {
          record: { get: () => recordOf(ready, found) },
          preview: {
            value: (request: ServiceRequest, trace: AnswerTrace) =>
              stored.parts.respond(ready.runtime, countersOf(ready, found), request, undefined, trace),
          },
          journal: { get: () => lateJournal(id, loaded, store) },
        }) as Session
        views.set(id, known)
      }
      return known
    }
    const find = (id: string): Session | undefined => {
      const found = lookUp(id)
      if (typeof found === 'string') return undefined
      return isRead ? view(id, found) : open(id, found)
    }
    /** The session of a request, made anew if there is none; it is not kept. */
    const select = (given: ServiceRequest) => {
      const { id: byPath, request } = selectByPath(given)
      const key = request.authorization
      const id = byPath ?? (key === undefined ? undefined : stored.idOfKey(key)) ?? 'default'
      const session = find(id)
      if (session !== undefined) return { session, request }
      assertRequestedId(id, scenarios)
      const missing = lookUp(id) as 'unknown' | 'idle'
      if (!isLazy && !isScenarioId(id)) throw sessionUnknown(id, missing)
      const options = { id, isNamed: false, realMs: request.receivedAt, replacesEvicted: missing === 'idle' }
      return { session: stored.make(options), request }
    }
    const facade: Sessions = {
      parts: stored.parts,
      get default() {
        return find('default')!
      },
      get size() {
        if (loaded.size !== undefined) return loaded.size
        throw new Missing(async to => {
          to.size = await store.size()
        })
      },
      route: select,
      preview: select,
      get(id) {
        const session = find(id)
        if (session === undefined) throw sessionUnknown(id, lookUp(id) as 'unknown' | 'idle', ids())
        return session
      },
      create(body, realMs, readSeries) {
        let { id } = body
        for (let i = 0; id === undefined || (body.id === undefined && find(id) !== undefined); i++) {
          const number = loaded.names[i]
          if (number === undefined) throw new Missing(async to => void to.names.push(await store.nextName()))
          id = `s${number}`
        }
        if (find(id) !== undefined)
          throw new PriceFeedMockError('SESSION_EXISTS', `A session "${id}" already exists.`, {
            details: [['fix', `PATCH or DELETE /_mock/sessions/${id}`]],
          })
        const session = stored.make({ id, isNamed: true, body, realMs, replacesEvicted: false, readSeries })
        const config = stored.toConfig(session)
        writes.push(() => store.create({ id, config, charge: session.charge, realMs }))
        return session
      },
      delete(id) {
        if (id === 'default')
          throw new PriceFeedMockError('SESSION_DEFAULT', 'The session "default" cannot be deleted.', {
            details: [['fix', 'POST /_mock/sessions/default/reset']],
          })
        try {
          facade.get(id)
        } catch (error) {
          if (!isUnreadable(error)) throw error
        }
        writes.push(() => store.delete(id))
      },
      list: () => {
        const missing = ids().filter(id => !loaded.sessions.has(id))
        if (missing.length > 0)
          throw new Missing(async to => {
            for (const [i, found] of (await Promise.all(missing.map(load))).entries())
              to.sessions.set(missing[i]!, found)
          })
        return ids().flatMap(id => {
          try {
            return find(id) ?? []
          } catch (error) {
            if (!isUnreadable(error)) throw error
            parts.onUnreadable(error)
            return []
          }
        })
      },
      onEnd: () => unsupported(),
      // Of no use on a store, which saves by itself.
      changes: 0,
      rest: { named: 0, uses: 0, lastUse: [], evicted: [] },
      addSaved: () => unsupported(),
      loadRest: () => unsupported(),
    }
    const reply = await stored.withLookup(
      id => lookUp(id) !== 'unknown',
      () =>
        administer(request, {
          sessions: facade,
          scenarios,
          flags: parts.flags,
          authorization: request.authorization,
          receivedAt: request.receivedAt,
          addresses,
          run: (_session, _lookUps, step) => step(),
          expiresAt: id => {
            const found = lookUp(id)
            return parts.expiresAt(id, isRead && typeof found === 'object' ? found.at : request.receivedAt)
          },
        }),
    )
    if (reply.status < 400)
      for (const [id, one] of opened)
        if (one.session.record !== one.record && writes.length === 0)
          writes.push(() => store.change(toChange(id, stored.toConfig(one.session), one, request.receivedAt)))
    return { reply, writes: reply.status < 400 ? writes : [] }
  }

  const answer = async (request: ServiceRequest, addresses: Addresses): Promise<Reply> => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { reply, writes } = await runLoaded(loaded => run(request, addresses, loaded))
      const written = writes.length === 0 ? 'done' : await writes[0]!()
      if (written === 'done') return reply
      if (written === 'full') return problemReply(sessionsFull(store.maxSessions))
      if (written === 'too-much') return problemReply(sessionsHoldTooMuch(store.maxSessions))
      // Others were faster: the route decides anew.
    }
    return problemReply(new PriceFeedMockError('STORE_UNAVAILABLE', 'The session changes too fast.'))
  }

  const inTurn = createTurns()
  return (asked, addresses) => {
    const request = { ...asked, receivedAt: asked.receivedAt + store.offsetMs() }
    const changed = request.method === 'GET' ? undefined : parseTarget(request.target).segments[2]
    const run = () => answer(request, addresses)
    return changed === undefined ? run() : inTurn(changed, run)
  }
}

/**
 * Runs the changes of one session one after the other. At the same time, each but the fastest would have to be made anew, again and
 * again.
 */
function createTurns(): <T>(id: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (id, run) => {
    const turn = (last.get(id) ?? Promise.resolve()).then(run, run)
    last.set(id, turn)
    const end = (): void => {
      if (last.get(id) === turn) last.delete(id)
    }
    turn.then(end, end)
    return turn
  }
}

/** Runs a synchronous step until everything that it needs is loaded. */
async function runLoaded<T>(step: (loaded: Loaded) => Promise<T>): Promise<T> {
  const loaded: Loaded = { sessions: new Map(), journals: new Map(), ids: undefined, names: [], size: undefined }
  for (;;) {
    try {
      return await step(loaded)
    } catch (error) {
      if (!(error instanceof Missing)) throw error
      await error.load(loaded)
    }
  }
}

/** A journal that is loaded when a route reads it. */
function lateJournal(id: string, { journals }: Loaded, store: Store): Journal {
  const read = (): Journal => {
    const saved = journals.get(id)
    if (saved === undefined)
      throw new Missing(async to => {
        // Without the session, the next run finds out.
        to.journals.set(id, (await store.journal(id)) ?? NO_JOURNAL.save())
      })
    const journal = createJournal()
    journal.load(saved)
    return journal
  }
  return {
    ...NO_JOURNAL,
    entries: () => read().entries(),
    since: after => read().since(after),
    summarize: () => read().summarize(),
    save: () => read().save(),
  }
}

/** The change that a route made to a session. */
function toChange(
  id: string,
  config: string,
  { session, stored, record, clears, rewindsTo }: Opened,
  realMs: number,
): SessionChange {
  const { charge } = session
  return {
    ...{ id, rev: stored.rev, config, charge, realMs },
    ...{ state: compareStates(record.counters, session.record.counters), clears, rewindsTo },
  }
}

const recordOf = (ready: Session, found: StoredSession): SessionRecord => ({
  setup: ready.record.setup,
  counters: countersOf(ready, found),
})

/** Counters may have changed since they were loaded, so those that a route did not set are left to the store. */
function compareStates(before: Counters, after: Counters): SessionChange['state'] {
  if (after.n !== before.n || after.ordinals !== before.ordinals) return after
  if (after.faults === before.faults && after.applied === before.applied) return 'same'
  return after.applied === before.ordinals ? 'fresh' : after
}

function unsupported(): never {
  throw new Error('A store keeps sessions by itself.')
}
