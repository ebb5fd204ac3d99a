// Files that may be named pipes: reading and writing them ends with an error where the other side never comes.
import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'

/** The longest wait for the other side of a named pipe. */
const PIPE_MS = 5000
const LOOK_MS = 10

/**
 * The bytes of a file in parts, each valid until the next one.
 * @param pipeMs the longest silence of a named pipe, in milliseconds
 * @throws errors of the file system as they are, and an error for a pipe that stays silent
 */
export function* chunksOf(path: string, pipeMs = PIPE_MS): Generator<Buffer> {
  const isPipe = isNamedPipe(path)
  const descriptor = openSync(path, isPipe ? constants.O_RDONLY | constants.O_NONBLOCK : 'r')
  const chunk = Buffer.alloc(65_536)
  let silentMs = 0
  let isBegun = false
  try {
    for (;;) {
      const count = isPipe ? readPipe(descriptor, chunk) : readSync(descriptor, chunk)
      if (count > 0) {
        silentMs = 0
        isBegun = true
        yield chunk.subarray(0, count)
      } else if (!isPipe || (count === 0 && isBegun)) return
      else if ((silentMs += LOOK_MS) > pipeMs)
        throw new Error(`it is a pipe, and nothing was written to it for ${pipeMs / 1000} s`)
      else pause()
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Reads from a pipe without waiting: -1 if its writer has written nothing new, 0 if there is no writer. */
function readPipe(descriptor: number, chunk: Buffer): number {
  try {
    return readSync(descriptor, chunk)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return -1
    throw error
  }
}

/**
 * Opens a file to write.
 * @param pipeMs the longest wait for the reader of a named pipe, in milliseconds
 * @throws errors of the file system as they are, and an error for a pipe without a reader
 */
export function openToWrite(path: string, pipeMs = PIPE_MS): number {
  if (!isNamedPipe(path)) return openSync(path, 'w')
  for (let waitedMs = 0; ; waitedMs += LOOK_MS)
    try {
      const first = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      try {
        return openSync(path, 'w')
      } finally {
        closeSync(first)
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
      if (waitedMs >= pipeMs) throw new Error(`it is a pipe, and nobody read it for ${pipeMs / 1000} s`)
      pause()
    }
}

/** The pipes of a shell, such as `<(jq …)` and `/dev/stdin`, have another side, which may take its time. */
const isNamedPipe = (path: string): boolean =>
  !/^\/(dev|proc)\//.test(path) && statSync(path, { throwIfNoEntry: false })?.isFIFO() === true

/** Waits without the event loop: options are read before there is anything else to do. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS)
}
