// A store in Redis: a hash and a list for each session, changed by scripts only.
import { randomUUID } from 'node:crypto'
import { isPriceFeedMockError, PriceFeedMockError } from '../../../errors.js'
import { bytesOf, type SavedJournal } from '../../../service/journal.js'
import type { JournalEntry } from '../../../service/journal-entry.js'
import { NO_KEYS } from '../../../service/refused-keys.js'
import { isScenarioId } from '../../../service/request.js'
import type { State } from '../../../service/state.js'
import { monotonicMs, realTime, setInterval } from '../../real-time.js'
import { readBirth } from './birth.js'
import { ASKS, COMMIT, LONG_BYTES, REPORT_BYTES } from './commit-script.js'
import { type Connection, connect } from './connection.js'
import { unavailable } from './refusals.js'
import { RIGHTS } from './rights.js'
import { HEAD, type Script } from './script-parts.js'
import * as scripts from './scripts.js'
import { readSession, sessionUnreadable } from './session-errors.js'
import type { Commit, Committed, Missing, Store, StoredSession, Written } from './store.js'
import { parseStoreUrl, type StoreAddress } from './store-url.js'

/** Options of a store. */
export interface RedisStoreOptions {
  readonly url: string
  /** The parts of a server that all servers must share, as texts by name. */
  readonly birth: Readonly<Record<string, string>>
  /** Milliseconds until an idle session expires. */
  readonly idleMs: number
  /**
   * Real milliseconds until a command without a reply fails.
   * @default 1000
   */
  readonly deadlineMs?: number | undefined
  /** Called when the store is lost, and when it is back. */
  readonly onChange: (message: string) => void
}

/** Real milliseconds between two readings of the clock of Redis. */
const CLOCK_MS = 30_000
/** Of several readings the fastest is the most exact. */
const READINGS = 5
/** Real milliseconds between two searches for idle sessions, at most. */
const EXPIRE_MS = 60_000
/** Milliseconds for which servers are asked for events, and between two such requests. */
const WATCH_MS = 45_000
const WATCH_AGAIN_MS = 15_000

/** Results of scripts that write. */
const WRITTEN: Readonly<Record<string, Written>> = { 1: 'done', '-1': 'absent', '-3': 'full', '-4': 'too-much' }

/**
 * Opens the store of an address.
 * @throws PriceFeedMockError STORE_UNAVAILABLE, STORE_MISMATCH or OPTIONS_INVALID
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  const { url, birth, idleMs, deadlineMs = 1000, onChange } = options
  const address = parseStoreUrl(url)
  const { shown } = address
  const prefix = `{${address.prefix}}:`
  const key = `${prefix}born`
  const connection = await connect({ address, key, deadlineMs, onChange })
  /** The name of this server where several want the turn. */
  const server = randomUUID()
  let born = ''

  /** Runs a script. The first result of a list, or the only one, is -2 if the store has lost its content. */
  const run = async (script: Script, ...args: readonly string[]): Promise<unknown> => {
    const reply = await evaluate(connection, address, script, key, [born, ...args])
    if (Array.isArray(reply) && reply[0] === -2) throw emptied(shown)
    return reply
  }

  let offsetMs = 0
  const readClock = async (): Promise<void> => {
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < READINGS; i++) {
      const from = realTime()
      const started = monotonicMs()
      const [seconds, micros] = (await run(scripts.CLOCK)) as [string, string]
      const took = monotonicMs() - started
      if (took >= least) continue
      least = took
      offsetMs = Math.round(Number(seconds) * 1000 + Number(micros) / 1000 - from - took / 2)
    }
  }
  const timers: NodeJS.Timeout[] = []
  const every = (ms: number, act: () => Promise<unknown>): void => {
    // A failure is reported by the connection, and the next time comes.
    const timer = setInterval(() => void act().catch(() => {}), ms)
    timer.unref()
    timers.push(timer)
  }

  try {
    born = await beBorn(connection, address, key, { ...birth, sessions: String(address.sessions) })
    await readClock()
  } catch (error) {
    connection.close()
    throw error
  }
  every(CLOCK_MS, readClock)
  const useMs = Math.min(EXPIRE_MS, Math.floor(idleMs / 20))
  // Use is noted only so often, and a session must not expire before its time.
  const limitMs = String(idleMs + useMs)
  every(Math.min(EXPIRE_MS, Math.max(1000, idleMs / 10)), () => run(scripts.EXPIRE, limitMs))

  const load = async (id: string): Promise<StoredSession | Missing> => {
    const [code, rest] = (await run(scripts.LOAD, id)) as [number, unknown]
    if (code === 1) return readSession(id, () => toStored(rest))
    if (code === 2) throw sessionUnreadable(id, rest)
    return rest === 1 ? 'idle' : 'unknown'
  }
  return {
    shown,
    maxSessions: address.sessions,
    offsetMs: () => offsetMs,
    async check() {
      await run(scripts.CLOCK)
    },
    load,
    ids: async () => (await run(scripts.IDS)) as string[],
    async commit(commits) {
      const args = [server]
      const next = commits.map(commit => addCommit(args, commit, useMs))
      const results = (await run(COMMIT, ...args)) as unknown[]
      return results.map((result, i) => toCommitted(result, next[i]!))
    },
    async create({ id, config, charge, realMs }) {
      const expires = id !== 'default' && !isScenarioId(id)
      const reply = await run(
        scripts.CREATE,
        id,
        config,
        String(charge.bytes),
        toFlag(charge.isNamed),
        String(realMs),
        limitMs,
        toFlag(expires),
      )
      return WRITTEN[String(reply)] ?? 'exists'
    },
    async change({ id, rev, config, charge, realMs, state, clears, rewindsTo }) {
      const reply = await run(
        scripts.CHANGE,
        id,
        rev,
        config,
        String(charge.bytes),
        toFlag(charge.isNamed),
        String(realMs),
        toFlag(clears),
        rewindsTo === undefined ? '' : String(rewindsTo),
        ...(typeof state === 'string' ? [state] : toStateArguments(state)),
      )
      return WRITTEN[String(reply)] ?? 'stale'
    },
    delete: async id => WRITTEN[String(await run(scripts.DELETE, id))] ?? 'stale',
    async journal(id) {
      const [code, ...rest] = (await run(scripts.JOURNAL, id)) as [number, string, string, string, string[]]
      return code === 1 ? toJournal(rest) : undefined
    },
    async entriesAfter(id, after) {
      const [code, added, lines] = (await run(scripts.ENTRIES, id, String(after))) as [number, string, string[]]
      if (code !== 1) return undefined
      return { added: Number(added), entries: lines.map(toEntry).filter(entry => entry.id > after) }
    },
    size: async () => Number(await run(scripts.NUMBER, 'size')),
    nextName: async () => Number(await run(scripts.NUMBER, 'named')),
    async listen(id, interest, { onEntries, onReplies, onClose }) {
      const watch = () => run(scripts.WATCH, id, String(WATCH_MS), toFlag(interest === 'replies'))
      const stop = await connection.subscribe(`${prefix}e:${id}`, message => {
        if (message === 'entries') onEntries()
        else if (message === 'closed') onClose()
        else onReplies(message)
      })
      await watch()
      // Also a look of its own: messages are lost while a connection is.
      const timer = setInterval(() => void watch().then(onEntries, () => {}), WATCH_AGAIN_MS)
      timer.unref()
      return () => {
        clearInterval(timer)
        void stop()
      }
    },
    publishReplies(id, text) {
      connection.send(['PUBLISH', `${prefix}e:${id}`, text]).catch(() => {})
    },
    close() {
      for (const timer of timers) clearInterval(timer)
      connection.close()
    },
  }
}

async function evaluate(
  { send }: Connection,
  address: StoreAddress,
  { lua, sha }: Script,
  key: string,
  args: readonly string[],
): Promise<unknown> {
  const rest = ['1', key, ...args]
  try {
    return await send(['EVALSHA', sha, ...rest])
  } catch (error) {
    if (isPriceFeedMockError(error)) throw error
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw unavailable(address, error)
    return await send(['EVAL', lua, ...rest])
  }
}

/** The first server describes itself in the store, and the others compare. */
async function beBorn(
  connection: Connection,
  address: StoreAddress,
  key: string,
  mine: RedisStoreOptions['birth'],
): Promise<string> {
  await evaluate(connection, address, RIGHTS, key, [])
  const args = [randomUUID(), JSON.stringify(mine), mine.sessions!]
  const [born, text] = (await evaluate(connection, address, scripts.BIRTH, key, args)) as [string, string | null]
  const theirs = readBirth(born, text, address.shown)
  const different = Object.keys({ ...theirs, ...mine }).filter(name => theirs[name] !== mine[name])
  if (different.length === 0) return born
  throw new PriceFeedMockError(
    'STORE_MISMATCH',
    `The store ${address.shown} belongs to servers with another configuration.`,
    {
      details: [
        ...different.map(
          name => ['other', `${name}: here ${mine[name] ?? 'none'}, there ${theirs[name] ?? 'none'}`] as const,
        ),
        ['fix', 'start all servers alike, or name another database (/1) or prefix (?prefix=name) in the address'],
      ],
    },
  )
}

function emptied(shown: string): PriceFeedMockError {
  return new PriceFeedMockError(
    'STORE_EMPTIED',
    `The store ${shown} has lost its sessions since this server started.`,
    {
      details: [
        ['fix', 'restart the servers'],
        ['note', 'Redis keeps its data with appendonly yes and maxmemory-policy noeviction'],
      ],
    },
  )
}

const toFlag = (value: boolean): string => (value ? '1' : '0')

/** Adds the arguments of a commit, and returns the session after it. Every request passes here: nothing is copied without need. */
function addCommit(args: string[], commit: Commit, useMs: number): StoredSession {
  const { id, from, state, at, refused, isExact, isKept, entries } = commit
  const { rev, config, notes } = from
  const { reported, entriesUntil, repliesUntil } = notes
  let { added, bytes } = notes
  const lines: string[] = []
  for (const { entry, durationMs } of entries) {
    const size = bytesOf(entry)
    bytes += size
    lines.push(`${++added} ${toLine(entry, size, durationMs)}`)
  }
  const isSeen = at - notes.seen >= useMs
  const seen = isSeen ? at : notes.seen
  // No server has the turn after a commit.
  let head = `["${rev}",${state.n},${added},${at},${seen},${bytes},${reported},${entriesUntil},${repliesUntil},${refused.last},"",0`
  for (const name in state.ordinals) head += `,${JSON.stringify(name)},${state.ordinals[name]}`
  head += ']'
  const hasNewKeys = refused !== from.refused
  const letters =
    (isExact ? ASKS.exact : '') +
    (isKept ? '' : ASKS.idle) +
    (isSeen ? ASKS.seen : '') +
    (bytes - reported >= REPORT_BYTES || bytes > LONG_BYTES ? ASKS.report : '') +
    (entriesUntil > at ? ASKS.publish : '') +
    (hasNewKeys ? ASKS.keys : '')
  const faults = state.faults === from.state.faults ? '' : JSON.stringify(state.faults)
  const marks = hasNewKeys ? JSON.stringify(refused) : ''
  args.push(id, notes.head, head, letters, faults, marks, String(lines.length), ...lines)
  return { rev, config, state, at, refused, notes: { head, added, seen, bytes, reported, entriesUntil, repliesUntil } }
}

type Head = [string, number, number, number, number, number, number, number, number, ...(string | number)[]]

/** Reads the head of a session. */
function readHead(head: string): Pick<StoredSession, 'rev' | 'at' | 'notes'> & Pick<State, 'n' | 'ordinals'> {
  const list = JSON.parse(head) as Head
  const [rev, n, added, at, seen, bytes, reported, entriesUntil, repliesUntil] = list
  const ordinals = toOrdinals(list.slice(HEAD.ordinals - 1))
  return { rev, n, ordinals, at, notes: { head, added, seen, bytes, reported, entriesUntil, repliesUntil } }
}

/** Numbers by endpoint as a list: Redis does not keep the order of objects. */
const toPairs = (ordinals: State['ordinals']): (string | number)[] => Object.entries(ordinals).flat()

function toOrdinals(pairs: readonly (string | number)[]): State['ordinals'] {
  const ordinals: Record<string, number> = {}
  for (let i = 0; i < pairs.length; i += 2) ordinals[pairs[i]!] = pairs[i + 1] as number
  return ordinals
}

function toCommitted(result: unknown, next: StoredSession): Committed {
  if (result === 1) return { kind: 'done', stored: next }
  if (result === -1) return { kind: 'absent' }
  if (result === 3) return { kind: 'wait' }
  const [code, content] = result as [1, string] | [2, string[]]
  if (code === 2) return { kind: 'changed', stored: toStored(content) }
  const { n, ordinals, ...counted } = readHead(content)
  return { kind: 'done', stored: { ...next, ...counted, state: { ...next.state, n, ordinals } } }
}

const toStateArguments = ({ n, ordinals, applied, faults }: State): string[] => [
  'new',
  String(n),
  JSON.stringify(faults),
  JSON.stringify(toPairs(applied)),
  ...toPairs(ordinals).map(String),
]

function toStored(fields: unknown): StoredSession {
  const list = fields as readonly string[]
  const map = new Map<string, string>()
  for (let i = 0; i < list.length; i += 2) map.set(list[i]!, list[i + 1]!)
  const get = (name: string): string => map.get(name)!
  const { n, ordinals, ...rest } = readHead(get('head'))
  const keys = map.get('rk')
  return {
    ...rest,
    config: get('c'),
    state: { n, ordinals, applied: toOrdinals(JSON.parse(get('a'))), faults: JSON.parse(get('f')) },
    refused: keys === undefined ? NO_KEYS : JSON.parse(keys),
  }
}

/** An entry as text, without its number in the journal. A script reads the words before the JSON. */
function toLine(entry: JournalEntry, bytes: number, durationMs: number): string {
  const { n, ordinal, endpoint, status, now, receivedAt, method, target, targetLength, apiKey, keyProblem } = entry
  const { refusedKey, retryAfter, faults, quotas, evicted } = entry
  const json = JSON.stringify({
    method,
    target,
    targetLength,
    apiKey,
    keyProblem,
    refusedKey,
    retryAfter,
    faults,
    quotas,
    evicted,
    // Integers are faster to print.
    micros: Math.round(durationMs * 1000),
  })
  return `${n} ${ordinal} ${bytes} ${status} ${now} ${receivedAt} ${endpoint} ${json}`
}

function toJournal([added, gone, goneUntil, lines]: readonly [
  string,
  string,
  string,
  readonly string[],
]): SavedJournal {
  const tallies = JSON.parse(gone) as SavedJournal['gone'] | Record<string, never>
  return {
    added: Number(added),
    goneUntil: Number(goneUntil),
    // An empty list is an empty object for Redis, and a number that is missing is null for a journal.
    gone: (Array.isArray(tallies) ? (tallies as SavedJournal['gone']) : []).map(one => ({
      ...one,
      virtual: { ...one.virtual, least: one.virtual.least ?? null, most: one.virtual.most ?? null },
      real: { ...one.real, least: one.real.least ?? null, most: one.real.most ?? null },
    })),
    entries: lines.map(toEntry),
  }
}

function toEntry(line: string): SavedJournal['entries'][0] {
  const [, id, n, ordinal, status, now, receivedAt, endpoint, json] =
    /^(\d+) (\d+) (\d+) \d+ (\d+) (\S+) (\S+) (\S+) (\{.*\})$/s.exec(line)!
  const { micros, ...entry } = JSON.parse(json!) as JournalEntry & { readonly micros: number }
  return {
    ...entry,
    id: Number(id),
    // The order of entries of all journals is that of their times.
    age: Number(receivedAt),
    n: Number(n),
    ordinal: Number(ordinal),
    endpoint: endpoint!,
    status: Number(status),
    now: Number(now),
    receivedAt: Number(receivedAt),
    durationMs: micros / 1000,
  }
}
