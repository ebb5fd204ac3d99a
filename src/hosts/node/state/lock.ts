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
import { PriceFeedMockError, tryTo } from '../../../errors.js'
import { realTime } from '../../real-time.js'

/** A server renews its lock this often. */
export const RENEW_MS = 10_000
/** A lock that was not renewed for so long has no server, whatever process has its number now. */
const STALE_MS = 60_000

/** The texts of the locks of this process, where two servers can run as well. */
const owned = new Set<string>()

/**
 * Takes the lock of a state file.
 * @param now real time in milliseconds since the epoch
 * @throws PriceFeedMockError STATE_UNAVAILABLE if another server holds it; errors of the file system as they are
 */
export function takeLock(path: string, lockPath: string, now: number) {
  const text = `${JSON.stringify({ pid: process.pid, host: hostname(), token: randomUUID() })}\n`
  const abandonedAt = take(path, lockPath, text, now)
  owned.add(text)
  return {
    /** The last sign of life of an earlier server that did not release the lock, in milliseconds since the epoch. */
    abandonedAt,
    /**
     * Renews the lock. False if another server has taken it.
     * @throws errors of the file system as they are, if the lock was removed and cannot be made again
     */
    renew(): boolean {
      const found = look(lockPath)
      if (found === undefined) return create(lockPath, text)
      const isOurs = found.text === text
      // A lock that is removed in between is made again by the next renewal.
      if (isOurs) tryTo(() => utimesSync(lockPath, realTime() / 1000, realTime() / 1000))
      return isOurs
    },
    release(): void {
      owned.delete(text)
      // A lock that cannot be removed is stale when this process ends.
      tryTo(() => look(lockPath)?.text === text && rmSync(lockPath, { force: true }))
    },
  }
}

/**
 * Takes a lock. Returns the time of the last renewal of the one that it replaces. Several servers may find the same stale lock at once:
 * they take a second lock beside it first, and only its owner may replace the stale one. If that server dies meanwhile, the second lock
 * is stale, and is replaced in the same way.
 */
function take(path: string, lockPath: string, text: string, now: number): number | undefined {
  if (create(lockPath, text)) return undefined
  const createAgain = (): void => {
    if (!create(lockPath, text)) throw held(path, lockPath, look(lockPath)?.text)
  }
  // Without a time it was released in between.
  if (staleSince(path, lockPath, now) === undefined) return void createAgain()
  const next = `${lockPath}.next`
  take(path, next, text, now)
  try {
    // Another server may have replaced it since.
    const renewedAt = staleSince(path, lockPath, now)
    // In one step: while there is no lock, a server that starts would create one.
    if (renewedAt !== undefined) renameSync(next, lockPath)
    else createAgain()
    return renewedAt
  } finally {
    if (look(next)?.text === text) rmSync(next, { force: true })
  }
}

/** Creates a lock. False if there is one. */
function create(lockPath: string, text: string): boolean {
  const descriptor = openUnless('EEXIST', lockPath, 'wx')
  if (descriptor === undefined) return false
  try {
    writeSync(descriptor, text)
    return true
  } catch (error) {
    rmSync(lockPath, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/**
 * The time of the last renewal of a lock without a server. Undefined if there is no lock.
 * @throws PriceFeedMockError STATE_UNAVAILABLE if a server holds it
 */
function staleSince(path: string, lockPath: string, now: number): number | undefined {
  const found = look(lockPath)
  if (found === undefined) return undefined
  const { pid, host } = parse(found.text)
  // Numbers of processes mean nothing on another machine, or in another container.
  const isAlive = host !== hostname() || (pid === process.pid ? owned.has(found.text) : isRunning(pid))
  if (isAlive && now - found.renewedAt < STALE_MS) throw held(path, lockPath, found.text)
  return found.renewedAt
}

function isRunning(pid: unknown): boolean {
  try {
    return typeof pid === 'number' && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The text of a lock, which is empty if its process was killed early, and the time of its last renewal, both of one file. */
function look(lockPath: string): { readonly text: string; readonly renewedAt: number } | undefined {
  try {
    const descriptor = openUnless('ENOENT', lockPath, 'r')
    if (descriptor === undefined) return undefined
    try {
      return { text: readFileSync(descriptor, 'utf8'), renewedAt: fstatSync(descriptor).mtimeMs }
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    // The lock of another user.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return { text: '', renewedAt: statSync(lockPath).mtimeMs }
    throw error
  }
}

const parse = (text: string): { readonly pid?: unknown; readonly host?: unknown } =>
  tryTo(() => Object(JSON.parse(text))) ?? {}

/** Opens a file, or returns undefined if that fails with a code of the system. */
function openUnless(code: string, lockPath: string, flags: string): number | undefined {
  try {
    return openSync(lockPath, flags, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined
    throw error
  }
}

function held(path: string, lockPath: string, text = ''): PriceFeedMockError {
  const { pid, host } = parse(text)
  const by = typeof pid === 'number' ? `process ${pid} of ${String(host)}` : 'another server'
  return new PriceFeedMockError('STATE_UNAVAILABLE', `${path} is in use by ${by}.`, {
    fix: 'stop that server, or name another file',
    note: `the lock of a server that has died is free after ${STALE_MS / 1000} s: ${lockPath}`,
  })
}
