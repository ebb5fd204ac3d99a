// The lines of the program: the request log, colours, and text that is safe on a terminal. A full disk or a closed pipe loses lines, but
// does not end the process.
import { writeSync } from 'node:fs'
import type { Exchange } from '../hosts/node/write.js'
import { toInstant } from '../settings/time.js'

/** The part of a stream that is used here. */
export interface OutputStream {
  readonly fd: number
  write(text: string): unknown
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
}

/**
 * Creates a function that writes to a stream.
 * @param report receives a message when the stream fails; without it the stream itself gets the message once it can be written again
 * @param write writes to the file of a stream that has failed; such a stream would keep all text in memory
 */
export function createOutput(
  stream: OutputStream,
  report?: (message: string) => void,
  write: (fd: number, text: string) => void = writeSync,
): (text: string) => void {
  let failure: string | undefined
  let isReported = false
  const fail = ({ code = 'unknown error' }: NodeJS.ErrnoException): void => {
    // A closed pipe, as in `price-feed-mock --help | head -1`, is not an error.
    if (failure === undefined && code !== 'EPIPE') report?.(`price-feed-mock: output cannot be written (${code}).\n`)
    failure ??= code
  }
  stream.on('error', fail)
  return text => {
    if (failure === 'EPIPE') return
    try {
      if (failure === undefined) {
        stream.write(text)
        return
      }
      const isDue = report === undefined && !isReported
      write(stream.fd, isDue ? `price-feed-mock: some lines could not be written (${failure}).\n${text}` : text)
      isReported = true
    } catch (error) {
      fail(error as NodeJS.ErrnoException)
    }
  }
}

/** Whether to use colours: NO_COLOR disables them, FORCE_COLOR enables them; without either, a terminal has them. */
export function hasColours(environment: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (environment.NO_COLOR) return false
  return Boolean(environment.FORCE_COLOR) || (isTerminal && environment.TERM !== 'dumb')
}

function createColours({ isTTY }: { readonly isTTY?: boolean }) {
  const isColoured = hasColours(process.env, Boolean(isTTY))
  const paint =
    (open: number, close: number) =>
    (text: string): string =>
      isColoured ? `\x1b[${open}m${text}\x1b[${close}m` : text
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39) }
}

/** The colours of messages, or functions that change nothing. Decided once, by standard error. */
export const colours = createColours(process.stderr)
/** The colours of results, decided by standard output: a list in a file has none. */
export const resultColours = createColours(process.stdout)

/** `10:48:25 default #17 GET latest /prices/BTCUSD/latest 200 0.4ms`, in virtual time. The mock's own replies show `own` instead of an endpoint. */
export function toPrettyLine(exchange: Exchange): string {
  const { method, target, status } = exchange.by === 'mock' ? exchange : exchange.entry
  const colour = status >= 500 ? colours.red : status >= 400 ? colours.yellow : colours.green
  const shown = target.length > 120 ? `${target.slice(0, 119)}…` : target
  // The target is untrusted and must not send control sequences to the terminal.
  const safe = shown.replace(/[^\x20-\x7e…]/g, '?')
  const reply = [safe, colour(String(status)), colours.dim(`${exchange.durationMs.toFixed(1)}ms`)]
  if (exchange.by === 'mock') return [colours.dim('        own'), method, ...reply].join(' ')
  const { now, n, endpoint, faults, evicted } = exchange.entry
  const start = [colours.dim(toInstant(now * 1000).slice(11, 19)), exchange.session, `#${n}`, method, endpoint]
  return [...start, ...reply, ...faults, ...(evicted ? ['evicted'] : [])].join(' ')
}

/** One JSON object per line: the journal entry with `by: "service"`, or the mock's own reply with `by: "mock"`. */
export function toJsonLine(exchange: Exchange): string {
  const durationMs = Math.round(exchange.durationMs * 1000) / 1000
  if (exchange.by === 'mock') return JSON.stringify({ ...exchange, durationMs })
  return JSON.stringify({ by: exchange.by, session: exchange.session, ...exchange.entry, durationMs })
}

/** The cells of a line of a table, each at least as wide as its column. */
export const toColumns = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, i) => cell.padEnd(widths[i]!))
    .join('  ')
    .trimEnd()
