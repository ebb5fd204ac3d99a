// Writes to standard output or standard error. A full disk or a closed pipe loses lines, but does not end the process.
import { writeSync } from 'node:fs'

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
