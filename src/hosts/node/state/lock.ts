// The lock of a state file: one server at a time owns the file. A lock whose server has died is taken over.
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { PriceFeedMockError } from '../../../errors.js'
import { realTime } from '../../real-time.js'

/** A server renews its lock this often. */
export const RENEW_MS = 10_000
/** A lock that was not renewed for so long has no server, whatever process has its number now. */
const STALE_MS = 60_000

/** A lock that this process holds. */
export interface Lock {
  /** The last sign of life of an earlier server that did not release the lock, in milliseconds since the epoch. */
  readonly abandonedAt: number | undefined
  /**
   * Renews the lock. False if another server has taken it.
   * @throws errors of the file system as they are, if the lock was removed and cannot be made again
   */
  renew(): boolean
  release(): void
}

/**
 * Takes the lock of a state file.
 * @param now real time in milliseconds since the epoch
 * @throws PriceFeedMockError STATE_UNAVAILABLE if another server holds it; errors of the file system as they are
 */
export function takeLock(path: string, lockPath: string, now: number): Lock {
  const token = randomUUID()
  owned.add(token)
  let abandonedAt: number | undefined
  try {
    abandonedAt = take(path, lockPath, token, now)
  } catch (error) {
    owned.delete(token)
    throw error
  }
  const isOurs = (): boolean => read(lockPath)?.token === token
  return {
    abandonedAt,
    renew() {
      if (read(lockPath) === undefined) {
        if (!create(lockPath, token)) return false
      } else if (!isOurs()) return false
      const seconds = realTime() / 1000
      try {
        utimesSync(lockPath, seconds, seconds)
      } catch {
        // Removed in between, which the next renewal finds.
      }
      return true
    },
    release() {
      owned.delete(token)
      try {
        if (isOurs()) rmSync(lockPath, { force: true })
      } catch {
        // It stays, and is stale when this process ends.
      }
    },
  }
}

/** Takes a lock. Returns the time of the last renewal of the one that it replaces. */
function take(path: string, lockPath: string, token: string, now: number): number | undefined {
  if (create(lockPath, token)) return undefined
  const renewedAt = findStale(path, lockPath, now)
  // Released in between.
  if (renewedAt === undefined) {
    if (create(lockPath, token)) return undefined
    throw held(path, lockPath, read(lockPath))
  }
  return replaceStale(path, lockPath, token, now)
}

/**
 * Replaces a stale lock. Several servers may find the same one at once, so they take a second lock beside it first, and only its owner
 * may replace the stale one. If that server dies meanwhile, the second lock is stale, and is replaced in the same way.
 */
function replaceStale(path: string, lockPath: string, token: string, now: number): number | undefined {
  const next = `${lockPath}.next`
  take(path, next, token, now)
  try {
    // Another server may have replaced it since.
    const renewedAt = findStale(path, lockPath, now)
    // In one step: while there is no lock, a server that starts would create one.
    if (renewedAt !== undefined) renameSync(next, lockPath)
    else if (!create(lockPath, token)) throw held(path, lockPath, read(lockPath))
    return renewedAt
  } finally {
    if (read(next)?.token === token) rmSync(next, { force: true })
  }
}

/** Creates a lock. False if there is one. */
function create(lockPath: string, token: string): boolean {
  let descriptor: number
  try {
    descriptor = openSync(lockPath, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    writeSync(descriptor, `${JSON.stringify({ pid: process.pid, host: hostname(), token })}\n`)
  } catch (error) {
    rmSync(lockPath, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
  return true
}

/** The locks of this process, where two servers can run as well. */
const owned = new Set<string>()

/** The content of a lock, of which a process that was killed may have written nothing. */
interface LockContent {
  readonly pid?: unknown
  readonly host?: unknown
  readonly token?: unknown
}

/**
 * The time of the last renewal of a lock without a server. Undefined if there is no lock.
 * @throws PriceFeedMockError STATE_UNAVAILABLE if a server holds it
 */
function findStale(path: string, lockPath: string, now: number): number | undefined {
  const found = inspect(lockPath)
  if (found === undefined) return undefined
  const { content, renewedAt } = found
  const isFresh = now - renewedAt < STALE_MS
  // Numbers of processes mean nothing on another machine, or in another container.
  if (isFresh && (content.host !== hostname() || isAlive(content))) throw held(path, lockPath, content)
  return renewedAt
}

function isAlive({ pid, token }: LockContent): boolean {
  if (pid === process.pid) return owned.has(String(token))
  if (typeof pid !== 'number') return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The content of a lock. Undefined if there is none. */
const read = (lockPath: string): LockContent | undefined => inspect(lockPath)?.content

/** The content of a lock and the time of its last renewal, both of the same file. Undefined if there is no lock. */
function inspect(lockPath: string): { readonly content: LockContent; readonly renewedAt: number } | undefined {
  let descriptor: number
  try {
    descriptor = openSync(lockPath, 'r')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    // The lock of another user.
    if (code === 'EACCES') return { content: {}, renewedAt: statSync(lockPath).mtimeMs }
    throw error
  }
  try {
    return { content: parse(readFileSync(descriptor, 'utf8')), renewedAt: fstatSync(descriptor).mtimeMs }
  } finally {
    closeSync(descriptor)
  }
}

function parse(text: string): LockContent {
  try {
    return (JSON.parse(text) ?? {}) as LockContent
  } catch {
    return {}
  }
}

function held(path: string, lockPath: string, content: LockContent | undefined): PriceFeedMockError {
  const by = typeof content?.pid === 'number' ? `process ${content.pid} of ${String(content.host)}` : 'another server'
  return new PriceFeedMockError('STATE_UNAVAILABLE', `${path} is in use by ${by}.`, {
    details: [
      ['fix', 'stop that server, or name another file'],
      ['note', `the lock of a server that has died is free after ${STALE_MS / 1000} s: ${lockPath}`],
    ],
  })
}
