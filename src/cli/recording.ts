// The file of a recording: rows `ts,feed,price`, which --series reads. Rows are whole at any time, and none is written twice.
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { PriceFeedMockError } from '../errors.js'
import { fileError } from './json-file.js'

/** The first line of a recording. */
const HEADER = 'ts,feed,price'

/** A price as the service gives it: `price` in units of 10^expo. */
export interface RecordedPrice {
  readonly feed: string
  readonly ts: number
  readonly price: string
  readonly expo: number
}

/** A recording that is being written. */
export interface Recording {
  /** The number of rows that the file had before. */
  readonly rows: number
  /** Adds the prices that are newer than the last ones of their feeds. Returns their number. */
  add(prices: readonly RecordedPrice[]): number
  /** Closes the file, and removes it if it was created here and has no row. */
  close(): void
}

/**
 * Opens a recording, or continues one: a row that was not written completely is removed.
 * @throws PriceFeedMockError FILE_UNREADABLE for a file that is no recording
 */
export function openRecording(path: string): Recording {
  let descriptor: number
  const isNew = !existsSync(path)
  try {
    descriptor = openSync(path, 'a+')
  } catch (error) {
    throw fileError(path, '--out', error, 'file')
  }
  try {
    const { last, rows, size } = readRows(descriptor, path)
    let isEmpty = size === 0
    let hasRows = rows > 0
    return {
      rows,
      add(prices) {
        const lines: string[] = []
        for (const { feed, ts, price, expo } of prices) {
          if (ts <= (last.get(feed) ?? -1)) continue
          last.set(feed, ts)
          lines.push(`${ts},${feed},${toDecimal(price, expo)}\n`)
        }
        // One write of whole rows: a signal between two polls leaves a complete file.
        if (lines.length > 0) writeWhole(descriptor, (isEmpty ? `${HEADER}\n` : '') + lines.join(''))
        if (lines.length > 0) {
          isEmpty = false
          hasRows = true
        }
        return lines.length
      },
      close() {
        fsyncSync(descriptor)
        closeSync(descriptor)
        if (isNew && !hasRows) unlinkSync(path)
      },
    }
  } catch (error) {
    closeSync(descriptor)
    throw error instanceof PriceFeedMockError ? error : fileError(path, '--out', error, 'file')
  }
}

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
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
        if (line !== HEADER) throw noRecording(path, 1, line)
        continue
      }
      const match = /^(\d{1,10}),([A-Za-z0-9._-]{1,32}),\d+(?:\.\d+)?$/.exec(line)
      if (match === null) throw noRecording(path, lines, line)
      last.set(match[2]!, Number(match[1]))
    }
    if (rest.length > 1000) throw noRecording(path, lines + 1, rest)
  }
  if (lines === 0 && !HEADER.startsWith(rest)) throw noRecording(path, 1, rest)
  if (rest !== '') ftruncateSync(descriptor, size)
  return { last, rows: Math.max(0, lines - 1), size }
}

function noRecording(path: string, line: number, got: string): PriceFeedMockError {
  return new PriceFeedMockError('FILE_UNREADABLE', `${path} is not a recording.`, {
    details: [
      ['at', `line ${line}`],
      ['got', JSON.stringify(got.slice(0, 40))],
      ['want', line === 1 ? `the first line ${HEADER}` : 'a row such as 1753354104,BTCUSD,111383.75'],
      ['from', '--out'],
    ],
  })
}

/** A decimal without rounding: `11138375000000`, −8 → `111383.75`. */
export function toDecimal(price: string, expo: number): string {
  if (expo >= 0) return price + '0'.repeat(expo)
  const digits = price.padStart(1 - expo, '0')
  const fraction = digits.slice(expo).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, expo) : `${digits.slice(0, expo)}.${fraction}`
}
