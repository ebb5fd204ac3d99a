// Reads a state file line by line, and replaces it in one step. It is written aside, so that a crash leaves the last whole file.
import { closeSync, lstatSync, openSync, readSync, realpathSync, rmSync, type Stats, statSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { isPriceFeedMockError, PriceFeedMockError, tryTo } from '../../../errors.js'
import { damaged } from '../../../service/saved-state.js'

type StatePaths = ReturnType<typeof toStatePaths>

/** The names for a path, after following links. */
export function toStatePaths(shown: string) {
  const path = resolve(shown)
  const file = tryTo(() => realpathSync(path)) ?? path
  return {
    /** As the user wrote it, for messages. */
    shown,
    file,
    lock: `${file}.price-feed-mock.lock`,
    /** The file that is being written. */
    aside: `${file}.price-feed-mock.tmp`,
  }
}

/** A line of a state file is shorter: a session is limited. */
const MAX_LINE_CHARACTERS = 16_000_000
const CHUNK_BYTES = 256 * 1024

/**
 * Reads the lines of a file without their checksums; undefined if there is none.
 * @throws PriceFeedMockError STATE_INVALID, or errors of the file system as they are
 */
export function readLines({ file, shown }: StatePaths): Iterable<string> | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (!stats.isFile())
    throw new PriceFeedMockError('STATE_INVALID', `${shown} is not a file.`, {
      want: 'the path of a state file, or of one to create',
    })
  // A save replaces one name of the file, and a server that uses another one has another lock.
  if (stats.nlink > 1)
    throw new PriceFeedMockError('STATE_UNAVAILABLE', `${shown} has ${stats.nlink} names (hard links).`, {
      fix: 'name a copy of it, or remove the other names',
    })
  return unsealed(linesOf(file, shown), shown)
}

const SEAL = /^\{"crc":"([\da-f]{8})",/

/**
 * Adds a checksum to each line, over all lines so far: none can be changed, left out or moved.
 * @param lines JSON objects, each with the end of its line
 */
function* sealed(lines: Iterable<string>): Generator<string> {
  let sum = 0
  for (const line of lines) {
    sum = crc32(line.slice(1).trimEnd(), sum)
    yield `{"crc":"${toHex(sum)}",${line.slice(1)}`
  }
}

/** Checks and removes the checksums. Version 1 of the format has none. */
function* unsealed(lines: Iterable<string>, shown: string): Generator<string> {
  let sum = 0
  let at = 0
  let isSealed = false
  for (const line of lines) {
    const [seal = '', found] = SEAL.exec(line) ?? []
    if (++at === 1) isSealed = found !== undefined
    const rest = line.slice(seal.length)
    if (isSealed) {
      sum = crc32(rest, sum)
      if (found !== toHex(sum)) throw damaged(shown, at, 'a line that was changed', 'the line of this checksum')
    }
    yield isSealed ? `{${rest}` : line
  }
}

const toHex = (sum: number): string => sum.toString(16).padStart(8, '0')

function* linesOf(file: string, shown: string): Generator<string> {
  const descriptor = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    let rest = ''
    for (;;) {
      const count = readSync(descriptor, chunk)
      if (count === 0) break
      const lines = (rest + decoder.decode(chunk.subarray(0, count), { stream: true })).split('\n')
      rest = lines.pop()!
      yield* lines
      if (rest.length > MAX_LINE_CHARACTERS)
        throw new PriceFeedMockError('STATE_INVALID', `${shown} is not a state of price-feed-mock.`, {
          got: `a line of more than ${MAX_LINE_CHARACTERS} characters`,
        })
    }
    // A whole file ends with the end of a line.
    if (rest !== '') yield rest
  } finally {
    closeSync(descriptor)
  }
}

/** Identifies the present content of a file, which no other program can write without a change; undefined if there is no file. */
export function fingerprintOf({ file }: StatePaths): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats && toFingerprint(stats)
}

const toFingerprint = ({ ino, size, mtimeMs }: Stats): string => `${ino} ${size} ${mtimeMs}`

/** Removes the file that a server left when it died while writing. */
export function removeAside({ aside }: StatePaths): void {
  rmSync(aside, { force: true })
}

/**
 * Replaces the file by the given lines with checksums, and returns its fingerprint. Only its user may read it, since it holds API keys.
 * @param pause called after each line
 * @throws errors of the file system as they are; the file is then unchanged
 */
export async function replaceFile(
  paths: StatePaths,
  lines: Iterable<string>,
  pause: () => Promise<void>,
): Promise<string> {
  removeAside(paths)
  const handle = await open(paths.aside, 'wx', 0o600)
  let fingerprint: string
  try {
    for (const line of sealed(lines)) {
      await handle.writeFile(line)
      await pause()
    }
    await handle.sync()
    fingerprint = toFingerprint(await handle.stat())
    await handle.close()
    await rename(paths.aside, paths.file)
  } catch (error) {
    await handle.close().catch(() => {})
    removeAside(paths)
    throw error
  }
  await syncFolder(dirname(paths.file))
  return fingerprint
}

/** Makes a rename last through a power failure, where the system can do that. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // Windows cannot open folders.
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EACCES: 'this user may not read or write there',
  EPERM: 'this user may not read or write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than this process may write',
  ELOOP: 'its path is a circular symbolic link',
  ENAMETOOLONG: 'its name is too long',
}

const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Converts an error of the file system. Errors of this package stay as they are. */
export function toStateError({ shown }: Pick<StatePaths, 'shown'>, cause: unknown): PriceFeedMockError {
  if (isPriceFeedMockError(cause)) return cause
  const { code = '', message } = cause as NodeJS.ErrnoException
  const reason = REASONS[code] ?? message
  return new PriceFeedMockError('STATE_UNAVAILABLE', `${shown} cannot be used for the state: ${reason}.`, {
    cause,
    fix: NO_ROOM.has(code)
      ? 'make room, or name a file on another disk'
      : 'name a file in a folder that this user may write to',
  })
}
