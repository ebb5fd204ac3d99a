// The file of a recording: rows `ts,feed,price`, which --series reads. Rows are whole at any time, and none is written twice.
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { isPriceFeedMockError, PriceFeedMockError, tryTo } from '../errors.js'
import { toStatePaths } from '../hosts/node/state/file.js'
import { RENEW_MS, takeLock } from '../hosts/node/state/lock.js'
import { fileError, kindAt, tryToWrite, unwritable } from './files.js'

/** The first line of a recording. */
export const RECORDING_HEADER = 'ts,feed,price'

/** A price as the service gives it: `price` in units of 10^expo. */
export interface RecordedPrice {
  readonly feed: string
  readonly ts: number
  readonly price: string
  readonly expo: number
}

/** A recording that is being written. */
export type Recording = ReturnType<typeof openRecording>

/**
 * Opens a recording, or continues one: a row that was not written completely is removed. One program at a time writes it.
 * @throws PriceFeedMockError FILE_UNREADABLE for a file that is no recording, FILE_UNWRITABLE if another recording writes it
 */
export function openRecording(path: string) {
  const isNew = !existsSync(path)
  if (kindAt(path) === 'pipe')
    throw new PriceFeedMockError('FILE_UNREADABLE', `${path} is not a regular file.`, { from: '--out' })
  let descriptor: number | undefined
  let lock: RecordingLock | undefined
  try {
    lock = lockRecording(path)
    descriptor = openSync(path, 'a+')
    return continueRecording(path, isNew, descriptor, lock)
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    lock?.release()
    throw fileError(path, '--out', error, 'file')
  }
}

function continueRecording(path: string, isNew: boolean, descriptor: number, lock: RecordingLock) {
  const { last, rows, size } = readRows(descriptor, path)
  let end = size
  let added = 0
  return {
    /** The number of rows that the file had before. */
    rows,
    /** The time of the last row of each feed. */
    lastTs: last as ReadonlyMap<string, number>,
    get total() {
      return rows + added
    },
    /**
     * Adds the prices that are newer than the last ones of their feeds. Returns their number.
     * @throws PriceFeedMockError FILE_UNWRITABLE; the file then keeps the rows before
     */
    add(prices: readonly RecordedPrice[]): number {
      const newest = new Map(last)
      const lines: string[] = []
      for (const { feed, ts, price, expo } of prices) {
        if (ts <= (newest.get(feed) ?? -1)) continue
        newest.set(feed, ts)
        lines.push(`${ts},${feed},${toDecimal(price, expo)}\n`)
      }
      if (lines.length === 0) return 0
      if (lock.isLost()) throw unwritable(path, 'another recording has taken it over')
      // One write of whole rows: a signal between two polls leaves a complete file.
      const text = (end === 0 ? `${RECORDING_HEADER}\n` : '') + lines.join('')
      try {
        writeFileSync(descriptor, text)
      } catch (error) {
        ftruncateSync(descriptor, end)
        throw unwritable(path, (error as Error).message, error)
      }
      end += Buffer.byteLength(text)
      added += lines.length
      for (const [feed, ts] of newest) last.set(feed, ts)
      return lines.length
    },
    /** Closes the file, and removes it if it was created here and has no row. */
    close(): void {
      try {
        tryToWrite(path, () => fsyncSync(descriptor))
      } finally {
        closeSync(descriptor)
        if (isNew && rows + added === 0 && !lock.isLost()) rmSync(path, { force: true })
        lock.release()
      }
    },
  }
}

type RecordingLock = ReturnType<typeof lockRecording>

/** Takes the lock of a recording, as a server takes that of its state. */
function lockRecording(path: string) {
  try {
    const lock = takeLock(path, toStatePaths(path).lock, Date.now())
    let isLost = false
    const timer = setInterval(() => {
      // Where it fails, the next time may succeed.
      isLost = tryTo(() => !lock.renew()) ?? isLost
    }, RENEW_MS)
    timer.unref()
    return {
      /** Whether another recording has the file now, because this one gave no sign of life for a while. */
      isLost: (): boolean => isLost,
      release(): void {
        clearInterval(timer)
        lock.release()
      },
    }
  } catch (error) {
    // A file in place of the folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') throw error
    if (!isPriceFeedMockError(error)) throw unwritable(path, (error as Error).message, error)
    throw new PriceFeedMockError('FILE_UNWRITABLE', error.shortMessage, {
      cause: error,
      fix: 'stop the other recording, or name another file with --out',
    })
  }
}

/** The time of the last row of each feed, the number of rows, and the bytes of the whole rows. */
function readRows(descriptor: number, path: string): { last: Map<string, number>; rows: number; size: number } {
  const last = new Map<string, number>()
  const chunk = Buffer.alloc(65_536)
  const decoder = new TextDecoder('latin1')
  let rest = ''
  let size = 0
  let lines = 0
  for (let position = 0; ; ) {
    const count = readSync(descriptor, chunk, 0, chunk.length, position)
    if (count === 0) break
    position += count
    const parts = (rest + decoder.decode(chunk.subarray(0, count), { stream: true })).split('\n')
    rest = parts.pop()!
    for (const line of parts) {
      size += line.length + 1
      if (lines++ === 0) {
        if (line !== RECORDING_HEADER) throw noRecording(path, 1, line)
        continue
      }
      const match = /^(\d{1,10}),([A-Za-z0-9._-]{1,32}),\d+(?:\.\d+)?$/.exec(line)
      if (match === null) throw noRecording(path, lines, line)
      last.set(match[2]!, Number(match[1]))
    }
    if (rest.length > 1000) throw noRecording(path, lines + 1, rest)
  }
  if (lines === 0 && !RECORDING_HEADER.startsWith(rest)) throw noRecording(path, 1, rest)
  if (rest !== '') ftruncateSync(descriptor, size)
  return { last, rows: Math.max(0, lines - 1), size }
}

function noRecording(path: string, line: number, got: string): PriceFeedMockError {
  return new PriceFeedMockError('FILE_UNREADABLE', `${path} is not a recording.`, {
    at: `line ${line}`,
    got: JSON.stringify(got.slice(0, 40)),
    want: line === 1 ? `the first line ${RECORDING_HEADER}` : 'a row such as 1753354104,BTCUSD,111383.75',
    from: '--out',
  })
}

/** A decimal without rounding: `11138375000000`, −8 → `111383.75`. */
export function toDecimal(price: string, expo: number): string {
  if (expo >= 0) return price + '0'.repeat(expo)
  const digits = price.padStart(1 - expo, '0')
  const fraction = digits.slice(expo).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, expo) : `${digits.slice(0, expo)}.${fraction}`
}
