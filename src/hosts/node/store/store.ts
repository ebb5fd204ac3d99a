// A store in Redis: a hash and a list for each session, which one script changes.
import { randomUUID } from 'node:crypto'
import { PriceFeedMockError } from '../../../errors.js'
import { toPairs } from '../../../outcome.js'
import { MAX_SESSIONS, sessionsFull, sessionsHoldTooMuch } from '../../../service/admission.js'
import { MAX_POOL_BYTES } from '../../../service/journal.js'
import { monotonicMs, realTime, setInterval } from '../../real-time.js'
import { connect } from './connection.js'
import { compareFingerprints, type Fingerprint } from './fingerprint.js'
import { COMMANDS_IF_BORN, COMMIT, EXPIRE, JOIN, type Script } from './script.js'
import { parseStoreUrl, USE_ANOTHER } from './store-url.js'

/** A session as a store keeps it. */
export interface Texts {
  /** Changes with every commit, and is never used twice. Its part before the dot changes with the setup. */
  readonly rev: string
  /** Everything that requests do not change. */
  readonly setup: string
  /** Everything that requests change. */
  readonly counters: string
  /** Counts of the requests whose entries are gone. */
  readonly gone: string
  /** Bytes of the session beyond those that every session may have. */
  readonly charge: number
  /** Whether an admin route created or changed it, so that it is not evicted. */
  readonly isNamed: boolean
}

/** A new session, a changed one, or one that is deleted. */
export interface Write {
  readonly id: string
  /** The session that it changes; undefined for a new one. One that is deleted may be any. */
  readonly from?: Texts | undefined
  /** Undefined to delete it. */
  readonly next?: Texts | undefined
  /** Bytes of its journal, and the time of its oldest entry in real milliseconds. */
  readonly journal?: { readonly bytes: number; readonly since: number } | undefined
  /** New entries of its journal. */
  readonly entries?: readonly string[]
  /** The first and the last entry that stay, as Redis counts them: negative from the end. */
  readonly keeps?: readonly [first: number, last: number] | undefined
}

/** The result of a write. */
export interface Written {
  /**
   * It is `done`, or nothing is written: others were faster, and the loser has the turn for 50 ms; another has the turn; or the session
   * does not exist, or exists already.
   */
  readonly kind: 'done' | 'changed' | 'wait' | 'absent' | 'exists'
  /** The session as it was changed by others. */
  readonly texts?: Texts | undefined
  /** Whether streams want the entries, and the replies. */
  readonly wantsReplies?: boolean
  /** Whether the journals of all sessions have exceeded their limit. */
  readonly isOver?: boolean
}

/** The reason why there is no session: it never existed or was deleted, or it was idle and was evicted. */
export type Absence = 'unknown' | 'evicted'

/** A session with entries of its journal. */
export interface Loaded {
  readonly texts: Texts
  readonly lines: readonly string[]
}

/** A store that several servers share. It looks into none of the texts. */
export type Store = Awaited<ReturnType<typeof openRedisStore>>

/** Real milliseconds between two readings of the clock of Redis. */
const CLOCK_MS = 30_000
/** Of several readings the fastest is the most exact. */
const READINGS = 5
/** Real milliseconds between two searches for idle sessions, at most. */
const EXPIRE_MS = 60_000
/** Milliseconds for which servers are asked for events, and between two such requests. */
const WATCH_MS = 45_000
const WATCH_AGAIN_MS = 15_000
/** Bytes by which the total of all journals may lag behind one of them: most commits need not change it. */
const LAG_BYTES = 16_384
/** The share of their limit to which journals are shortened once they exceed it. */
const DRAINED = 0.875

/**
 * Opens the store of an address. Every method of it fails with STORE_UNAVAILABLE while Redis is away, and with STORE_EMPTIED once that
 * has lost its content.
 * @param fingerprint the parts of a server that all servers must share
 * @param idleMs milliseconds until an idle session expires
 * @param onChange called when the store is lost, when it is back, and when it has lost its content
 * @throws PriceFeedMockError STORE_UNAVAILABLE, STORE_MISMATCH or OPTIONS_INVALID
 */
export async function openRedisStore(
  url: string,
  fingerprint: Fingerprint,
  idleMs: number,
  onChange: (message: string) => void,
) {
  const address = parseStoreUrl(url)
  const { shown, sessions: maxSessions } = address
  const keyOf = (name: string): string => `{${address.prefix}}:${name}`
  const connection = await connect(address, keyOf('born'), onChange)
  const server = randomUUID().slice(0, 13)
  let born = ''
  let revisions = 0
  let isEmptied = false

  const run = async (script: Script, args: readonly string[]): Promise<unknown[]> => {
    const replies = (await connection.evaluate(script, [born, ...args])) as unknown[]
    if (replies[0] !== -2) return replies
    const shortMessage = `The store ${shown} has lost its sessions since this server started.`
    // A person has to act: requests fail until then, though the store is there.
    if (!isEmptied) onChange(`${shortMessage} Restart the servers.`)
    isEmptied = true
    throw new PriceFeedMockError('STORE_EMPTIED', shortMessage, {
      fix: 'restart the servers',
      note: 'Redis keeps its data with appendonly yes and maxmemory-policy noeviction',
    })
  }
  /** Replies of commands, made in one step. An error that Redis replied with is one of them. */
  const ask = (...commands: readonly (readonly (string | number)[])[]): Promise<unknown[]> =>
    run(COMMANDS_IF_BORN, [JSON.stringify(commands)])

  let offsetMs = 0
  const readClock = async (): Promise<void> => {
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < READINGS; i++) {
      const from = realTime()
      const started = monotonicMs()
      const [time] = (await ask(['TIME'])) as [[string, string]]
      const took = monotonicMs() - started
      if (took >= least) continue
      least = took
      offsetMs = Math.round(Number(time[0]) * 1000 + Number(time[1]) / 1000 - from - took / 2)
    }
  }
  /**
   * Writes several sessions in one step. Each has a result of its own.
   * @param turn the name under which the losers of this step have the next turn
   * @throws PriceFeedMockError SESSIONS_FULL where there is no room for one, which has a step of its own
   */
  const commit = async (writes: readonly Write[], turn = server): Promise<readonly Written[]> => {
    const args = [turn, String(maxSessions)]
    for (const write of writes) addWrite(args, write)
    return (await run(COMMIT, args)).map(result => toWritten(result, maxSessions))
  }
  const expire = (): Promise<unknown> => run(EXPIRE, [String(idleMs)])
  // A failure is reported by the connection, and the next time comes.
  const every = (ms: number, act: () => Promise<unknown>) => setInterval(() => void act().catch(() => {}), ms).unref()

  try {
    const mine = { ...fingerprint, sessions: String(maxSessions) }
    const [name, theirs] = (await connection.evaluate(JOIN, [JSON.stringify(mine), randomUUID()])) as unknown[]
    compareFingerprints(mine, name, theirs, shown)
    born = name as string
    await readClock()
  } catch (error) {
    connection.close()
    throw error
  }
  const timers = [every(CLOCK_MS, readClock), every(Math.min(EXPIRE_MS, Math.max(1000, idleMs / 10)), expire)]

  return {
    /** Its address, without a password. */
    shown,
    /** Milliseconds to add to the clock of this process for the time of the store. */
    offsetMs: () => offsetMs,
    /** A revision that no server has used. `setup` is that of a session whose setup stays the same. */
    nextRev: (setup = `${server}-${++revisions}`) => `${setup}.${server}-${++revisions}`,
    /**
     * A session, with entries of its journal from `first` to `last`; by default none.
     * @throws PriceFeedMockError SESSION_UNREADABLE
     */
    async load(id: string, first = 1, last = 0): Promise<Loaded | Absence> {
      const [fields, evictedAt, lines] = await ask(
        ['HGETALL', keyOf(`s:${id}`)],
        ['ZSCORE', keyOf('evicted'), id],
        ['LRANGE', keyOf(`j:${id}`), first, last],
      )
      if (fields instanceof Error || lines instanceof Error) throw sessionUnreadable(id, fields)
      const texts = toTexts(fields as string[])
      if (texts !== undefined) return { texts, lines: lines as string[] }
      if ((fields as string[]).length > 0) throw sessionUnreadable(id, 'fields are missing')
      return evictedAt === null ? 'unknown' : 'evicted'
    },
    /** Entries of a journal, the oldest first. */
    lines: async (id: string, first: number, last: number) =>
      (await ask(['LRANGE', keyOf(`j:${id}`), first, last]))[0] as readonly string[],
    commit,
    /** The ids of all sessions in order of creation. */
    ids: async () => (await ask(['ZRANGE', keyOf('all'), 0, -1]))[0] as readonly string[],
    /** Number of sessions, including `default`. */
    size: async () => Number((await ask(['ZCARD', keyOf('all')]))[0]),
    /** A number for the name of a session, never given twice. */
    nextName: async () => Number((await ask(['HINCRBY', keyOf('totals'), 'named', 1]))[0]),
    /**
     * Bytes by which all journals exceed the size to which they are shortened, the session whose journal has the oldest entry, and the
     * time of the oldest entry of the others.
     */
    async oldestJournal() {
      const [bytes, [id, , , until = Number.POSITIVE_INFINITY]] = (await ask(
        ['HGET', keyOf('totals'), 'bytes'],
        ['ZRANGE', keyOf('journals'), 0, 1, 'WITHSCORES'],
      )) as [string | null, string[]]
      const most = (MAX_POOL_BYTES / MAX_SESSIONS) * maxSessions * DRAINED
      return { bytes: Number(bytes) - most, id, until: Number(until) }
    },
    /**
     * Listens to a session until the returned function is called: `entries` for new ones in its journal, `closed` for its end, or the
     * replies of some entries as JSON, by their numbers in the journal.
     */
    async listen(id: string, onMessage: (message: string) => void) {
      const watch = () => ask(['SET', keyOf(`w:${id}`), '1', 'PX', WATCH_MS])
      // First: if it fails, nothing listens yet.
      await watch()
      const stop = await connection.subscribe(keyOf(`e:${id}`), onMessage)
      // Also a look of its own: messages are lost while a connection is.
      const timer = every(WATCH_AGAIN_MS, () => watch().then(() => onMessage('entries')))
      return () => {
        clearInterval(timer)
        void stop()
      }
    },
    publishReplies(id: string, text: string): void {
      connection.send(['PUBLISH', keyOf(`e:${id}`), text]).catch(() => {})
    },
    close(): void {
      for (const timer of timers) clearInterval(timer)
      connection.close()
    },
  }
}

const NO_TEXTS: Texts = { rev: '', setup: '', counters: '', gone: '[]', charge: 0, isNamed: false }

/** Adds the arguments of a write. Every request passes here. */
function addWrite(args: string[], { id, from, next = NO_TEXTS, journal, entries = [], keeps }: Write): void {
  const setup = from?.setup === next.setup ? '' : next.setup
  const bytes = journal === undefined ? 0 : journal.bytes - (journal.bytes % LAG_BYTES)
  args.push(id, from?.rev ?? '', next.rev, setup, next.counters, String(next.charge), next.isNamed ? '1' : '0')
  args.push(String(bytes), String(journal?.since ?? 0))
  if (keeps === undefined) args.push('', '', '')
  else args.push(String(keeps[0]), String(keeps[1]), next.gone)
  args.push(String(entries.length), ...entries)
}

/** @param maxSessions maximum number of sessions besides `default` */
function toWritten(result: unknown, maxSessions: number): Written {
  if (Array.isArray(result)) {
    const texts = toTexts(result[1])
    return { kind: texts === undefined ? 'absent' : 'changed', texts }
  }
  if (result === 'full') throw sessionsFull(maxSessions)
  if (result === 'too-much') throw sessionsHoldTooMuch(maxSessions)
  const [kind, ...more] = String(result).split(' ')
  return { kind: kind as 'done', wantsReplies: more.includes('replies'), isOver: more.includes('over') }
}

/** Reads the fields of a session; undefined where one is missing. */
function toTexts(fields: readonly string[]): Texts | undefined {
  const { rev, setup, counters, gone = '[]', charge, named } = Object.fromEntries(toPairs(fields))
  if (rev === undefined || setup === undefined || counters === undefined) return undefined
  return { rev, setup, counters, gone, charge: Number(charge), isNamed: named === '1' }
}

/** The part of a revision that changes with the setup. */
export const setupOf = (rev: string): string => rev.slice(0, rev.indexOf('.'))

/** The error for a session that others change before each attempt to commit. */
export const changesTooFast = (id: string): PriceFeedMockError =>
  new PriceFeedMockError('STORE_UNAVAILABLE', `The session ${id} changes too fast.`)

/** The error for a session that is not in the store. */
export function sessionUnknown(id: string, absence: Absence, ids: readonly string[] = []): PriceFeedMockError {
  const reason = absence === 'evicted' ? ': it was evicted, because it was idle' : ''
  const known = ids.slice(0, 20).join(', ')
  return new PriceFeedMockError('SESSION_UNKNOWN', `There is no session "${id.slice(0, 64)}"${reason}.`, {
    want: known === '' ? undefined : `one of ${known}`,
    fix: known === '' ? 'POST /_mock/sessions, or start the servers with --lazy-sessions' : undefined,
  })
}

/** The error for a session that another program or another version has written. */
export function sessionUnreadable(id: string, cause: unknown): PriceFeedMockError {
  return new PriceFeedMockError('SESSION_UNREADABLE', `The session "${id.slice(0, 64)}" in the store cannot be read.`, {
    cause,
    // The default session cannot be deleted, and without it no server starts.
    fix: id === 'default' ? USE_ANOTHER : `DELETE /_mock/sessions/${id.slice(0, 64)}`,
  })
}
