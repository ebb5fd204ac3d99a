// Keeps the sessions of a server in a file: restores them at the start, and saves them from time to time and at the end.
import { PriceFeedMockError, tryOrThrow, tryTo } from '../../../errors.js'
import type { Mock } from '../../../mock.js'
import { type Restored, restoreLines, toLines } from '../../../service/saved-state.js'
import { after, monotonicMs, realTime, setImmediate } from '../../real-time.js'
import { fingerprintOf, readLines, removeAside, replaceFile, toStateError, toStatePaths } from './file.js'
import { RENEW_MS, takeLock } from './lock.js'

/** Options of the state of a server. */
export interface StateOptions {
  /** The file. It is created if it does not exist. */
  readonly file: string
  /**
   * A crash loses the changes of at most so many real milliseconds, or of the time of two saves if that is longer. Without a change
   * nothing is saved.
   * @default 10000
   */
  readonly everyMs?: number | undefined
  /**
   * Called when the state cannot be saved, once for each kind of failure in a row.
   * @default writes a line to standard error
   */
  readonly onError?: ((error: PriceFeedMockError) => void) | undefined
}

/**
 * Restores the state of a file into a new mock.
 * @throws PriceFeedMockError STATE_INVALID or STATE_UNAVAILABLE
 */
export function openState(mock: Mock, { file, everyMs = 10_000, onError = report }: StateOptions) {
  const paths = toStatePaths(file)
  const attempt = <T>(step: () => T): T => tryOrThrow(step, error => toStateError(paths, error))
  const lock = attempt(() => takeLock(paths.shown, paths.lock, realTime()))
  let restored: Restored | undefined
  try {
    restored = attempt(() => {
      removeAside(paths)
      const lines = readLines(paths)
      // The clocks ran on after the last save, until the server died.
      const toRealMs = (savedAt: number): number =>
        mock.realTime() - Math.max(0, (lock.abandonedAt ?? savedAt) - savedAt)
      return lines && restoreLines(paths.shown, lines, mock, toRealMs)
    })
  } catch (error) {
    lock.release()
    throw error
  }

  /** The present content of the file, if it is ours. */
  let ours = fingerprintOf(paths)
  /** The number of changes in the file. */
  let saved = mock.sessions.changes
  let failure: string | undefined
  let writing: Promise<void> = Promise.resolve()
  /** Real milliseconds that the last save took. */
  let took = 0
  const cancel: (() => void)[] = []
  let isStopped = false

  const save = async (): Promise<void> => {
    const { changes } = mock.sessions
    const begun = monotonicMs()
    if (!lock.renew())
      throw new PriceFeedMockError('STATE_UNAVAILABLE', `${paths.shown} was taken over by another server.`, {
        fix: 'name another file for one of them',
      })
    const present = fingerprintOf(paths)
    if (present !== undefined && present !== ours)
      throw new PriceFeedMockError('STATE_UNAVAILABLE', `${paths.shown} was changed by another program.`, {
        fix: 'move it away: the next save creates a new one',
      })
    ours = await replaceFile(paths, toLines(mock, mock.realTime()), () => new Promise(setImmediate))
    saved = changes
    took = monotonicMs() - begun
    failure = undefined
  }
  const queue = (): Promise<void> => {
    const next = writing.then(save)
    writing = next.catch(() => {})
    return next.catch(error => {
      throw toStateError(paths, error)
    })
  }
  /** Acts again and again, each time `ms()` after the last time began. */
  const every = (ms: () => number, act: () => unknown): void => {
    const i = cancel.length
    const wait = (passed: number): void => {
      cancel[i] = after(Math.max(0, ms() - passed), async () => {
        const begun = monotonicMs()
        await act()
        if (!isStopped) wait(monotonicMs() - begun)
      })
    }
    wait(0)
  }
  const saveChanges = async (): Promise<void> => {
    if (mock.sessions.changes === saved) return
    await queue().catch((error: PriceFeedMockError) => {
      if (failure === error.shortMessage) return
      failure = error.shortMessage
      onError(error)
    })
  }
  const end = (): void => {
    isStopped = true
    for (const one of cancel) one()
  }
  return {
    /** The restored sessions; undefined if the file did not exist. */
    restored,
    /**
     * Creates the file if it did not exist, and begins to save from time to time.
     * @throws PriceFeedMockError STATE_UNAVAILABLE if it cannot be written
     */
    async start(): Promise<void> {
      if (restored === undefined) await queue()
      every(() => pauseBetween(everyMs, took), saveChanges)
      // The next save reports an error.
      const renew = () => tryTo(lock.renew)
      every(() => RENEW_MS, renew)
    },
    /**
     * Saves for the last time, and lets other servers use the file.
     * @throws PriceFeedMockError STATE_UNAVAILABLE if it cannot be saved
     */
    async stop(): Promise<void> {
      end()
      try {
        // Also without a change: the clocks have moved on.
        await queue()
      } finally {
        lock.release()
      }
    },
    /** Lets other servers use the file, without saving. */
    release(): void {
      end()
      lock.release()
    },
  }
}

/**
 * Real milliseconds from the begin of one save to that of the next. A change may miss one save and is lost until the next has ended,
 * so that one begins earlier by the time that it takes.
 */
export const pauseBetween = (everyMs: number, took: number): number => Math.max(everyMs - took, took)

function report({ shortMessage }: PriceFeedMockError): void {
  process.stderr.write(`price-feed-mock: the state was not saved. ${shortMessage}\n`)
}
