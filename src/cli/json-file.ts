// A user's JSON file as data, and the place of the first mistake in one that is not JSON. What stands in it is not repeated.
import { closeSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { PriceFeedMockError } from '../errors.js'

const REASONS: Readonly<Record<string, (path: string, what: 'file' | 'folder') => string>> = {
  ENOENT: (path, what) => `There is no ${what} ${path}.`,
  ENOTDIR: (path, what) => (what === 'file' ? `There is no file ${path}.` : `${path} is a file, not a folder.`),
  EISDIR: path => `${path} is a folder, not a file.`,
  EACCES: path => `${path} may not be read by this user.`,
  ELOOP: path => `${path} is a symbolic link that leads in a circle.`,
}

/** Whether what stands in the place of a file is JSON itself. */
export function isInline(path: string): boolean {
  return path.startsWith('{')
}

/**
 * Reads a JSON file, or JSON that stands in its place.
 * @param from who asks for it: a flag, a variable, a setting of a file
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function readJsonFile(path: string, from: string): unknown {
  const source = isInline(path) ? path : readText(path, from)
  try {
    return JSON.parse(source)
  } catch {
    const place = findMistake(source)
    const lines = source.slice(0, place).split('\n')
    throw new PriceFeedMockError('FILE_UNREADABLE', `${isInline(path) ? 'The text' : path} is not JSON.`, {
      details: Object.entries({
        at: `line ${lines.length}, column ${lines.at(-1)!.length + 1}`,
        got: place < source.length ? JSON.stringify(source[place]) : 'the end of the file',
        from,
      }),
    })
  }
}

function readText(path: string, from: string): string {
  let text: string | undefined
  try {
    text = readToEnd(path)
  } catch (error) {
    throw fileError(path, from, error, 'file')
  }
  if (text === undefined) throw tooLarge(path, from)
  return text
}

/** What keeps a file or a folder from being read, as an error of ours. */
export function fileError(path: string, from: string, cause: unknown, what: 'file' | 'folder'): PriceFeedMockError {
  const { code = '', message } = cause as NodeJS.ErrnoException
  const shortMessage = REASONS[code]?.(path, what) ?? `${path} cannot be read: ${message}.`
  const details = Object.entries({ at: resolve(path), from })
  return new PriceFeedMockError('FILE_UNREADABLE', shortMessage, { cause, details })
}

/** Bytes: a file of settings, feeds or faults is far smaller, and one that is not is a mistake. */
const MAX_FILE_BYTES = 5_000_000

/**
 * The text up to its end; undefined where that is too far. Counted while it is read: a pipe (`<(jq …)`, `/dev/stdin`) has no
 * size, and a device may have no end. A pipe that nobody writes to is waited for, as everywhere.
 */
function readToEnd(path: string): string | undefined {
  const chunk = Buffer.alloc(65_536)
  // It also drops the byte order mark with which some editors begin a file.
  const decoder = new TextDecoder()
  const descriptor = openSync(path, 'r')
  try {
    let text = ''
    for (let size = 0; size <= MAX_FILE_BYTES; ) {
      const count = readSync(descriptor, chunk)
      if (count === 0) return text + decoder.decode()
      text += decoder.decode(chunk.subarray(0, count), { stream: true })
      size += count
    }
    return undefined
  } finally {
    closeSync(descriptor)
  }
}

function tooLarge(path: string, from: string): PriceFeedMockError {
  return new PriceFeedMockError('FILE_UNREADABLE', `${path} is too large.`, {
    details: Object.entries({
      got: `more than ${MAX_FILE_BYTES} bytes`,
      want: `at most ${MAX_FILE_BYTES}`,
      at: resolve(path),
      from,
    }),
  })
}

const STRING = '"(?:[^"\\\\\\x00-\\x1f]|\\\\(?:["\\\\/bfnrt]|u[\\da-fA-F]{4}))*"'
const SCALAR = `${STRING}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`

/** The index of the first token that JSON does not have there: engines tell it in many ways, or quote the file instead. */
function findMistake(source: string): number {
  let index = 0
  let depth = 0
  const take = (token: string): boolean => {
    const pattern = new RegExp(`[ \\t\\n\\r]*(?:${token})`, 'y')
    pattern.lastIndex = index
    if (!pattern.test(source)) return false
    index = pattern.lastIndex
    return true
  }
  const list = (item: () => boolean, end: string): boolean => {
    if (take(end)) return true
    do if (!item()) return false
    while (take(','))
    return take(end)
  }
  const member = (): boolean => take(STRING) && take(':') && value()
  const value = (): boolean => {
    // Nobody counts brackets any further.
    if (++depth > 1000) return false
    const isSound = take('\\{') ? list(member, '\\}') : take('\\[') ? list(value, '\\]') : take(SCALAR)
    depth--
    return isSound
  }
  value()
  // Only blanks: what follows them is the mistake.
  take('')
  return index
}
