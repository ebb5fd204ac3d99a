// The lock of a state file: one server at a time owns the file. A lock whose server has died is taken over.
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { PriceFeedMockError } from '../../../errors.js'

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
  const abandonedAt = removeStale(path, lockPath, now)
  create(path, lockPath, token)
  owned.add(token)
  const isOurs = (): boolean => read(lockPath)?.token === token
  return {
    abandonedAt,
    renew() {
      if (read(lockPath) === undefined) create(path, lockPath, token)
      else if (!isOurs()) return false
      const seconds = Date.now() / 1000
      try {
        utimesSync(lockPath, seconds, seconds)
      } catch {
        // Removed in between, which the next renewal finds.
      }
      return true
    },
    release() {
      owned.delete(token)
      if (isOurs()) rmSync(lockPath, { force: true })
    },
  }
}

function create(path: string, lockPath: string, token: string): void {
  let descriptor: number
  try {
    descriptor = openSync(lockPath, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw held(path, lockPath, undefined)
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
}

/** The locks of this process, where two servers can run as well. */
const owned = new Set<string>()

/** The content of a lock, of which a process that was killed may have written nothing. */
interface LockContent {
  readonly pid?: unknown
  readonly host?: unknown
  readonly token?: unknown
}

/** Removes a lock without a server. Returns the time of its last renewal. */
function removeStale(path: string, lockPath: string, now: number): number | undefined {
  const renewedAt = statSync(lockPath, { throwIfNoEntry: false })?.mtimeMs
  const content = read(lockPath)
  if (renewedAt === undefined || content === undefined) return undefined
  const isFresh = now - renewedAt < STALE_MS
  // Numbers of processes mean nothing on another machine, or in another container.
  if (isFresh && (content.host !== hostname() || isAlive(content))) throw held(path, lockPath, content)
  rmSync(lockPath, { force: true })
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

/** Undefined if there is no lock. */
function read(lockPath: string): LockContent | undefined {
  try {
    return (JSON.parse(readFileSync(lockPath, 'utf8')) ?? {}) as LockContent
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : {}
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
