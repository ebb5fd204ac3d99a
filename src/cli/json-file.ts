// Reads a user's JSON file and locates the first syntax error. Never quotes the content, which may hold a key.
import { resolve } from 'node:path'
import { countOf, PriceFeedMockError } from '../errors.js'
import { findDuplicateKeys } from './duplicate-keys.js'
import { chunksOf } from './pipes.js'

const REASONS: Readonly<Record<string, (path: string, kind: 'file' | 'folder') => string>> = {
  ENOENT: (path, kind) => `There is no ${kind} ${path}.`,
  ENOTDIR: (path, kind) => (kind === 'file' ? `There is no file ${path}.` : `${path} is a file, not a folder.`),
  EISDIR: path => `${path} is a folder, not a file.`,
  EACCES: path => `This user may not read ${path}.`,
  ELOOP: path => `${path} is a circular symbolic link.`,
}

/** Whether a value is inline JSON instead of a path. */
export function isInline(path: string): boolean {
  return path.startsWith('{')
}

/**
 * Reads a JSON file, or inline JSON.
 * @param from the flag, variable or setting that names the file, for errors
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function readJsonFile(path: string, from: string): unknown {
  const [source, subject] = isInline(path) ? [path, 'The inline text'] : [readText(path, from), path]
  const data = parseJsonText(source, subject, from)
  const problems = findDuplicateKeys(source)
  if (problems.length > 0)
    throw new PriceFeedMockError('FILE_UNREADABLE', `${subject} has ${countOf(problems.length, 'duplicate key')}.`, {
      problems,
      details: [['from', from]],
    })
  return data
}

/**
 * Parses the text of a file.
 * @param subject begins the message of an error
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function parseJsonText(
  source: string,
  subject: string,
  from: string,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  try {
    return parse(source)
  } catch {
    const index = findSyntaxError(source)
    const lines = source.slice(0, index).split('\n')
    throw new PriceFeedMockError('FILE_UNREADABLE', `${subject} is not valid JSON.`, {
      details: Object.entries({
        at: `line ${lines.length}, column ${lines.at(-1)!.length + 1}`,
        got: index < source.length ? JSON.stringify(source[index]) : 'the end of the file',
        from,
      }),
    })
  }
}

/**
 * Reads a text file.
 * @param from the flag, variable or setting that names the file, for errors
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function readText(path: string, from: string): string {
  let text: string | undefined
  try {
    text = readToEnd(path)
  } catch (error) {
    throw fileError(path, from, error, 'file')
  }
  if (text === undefined) throw tooLarge(path, from)
  return text
}

/** Converts a file system error. */
export function fileError(path: string, from: string, cause: unknown, kind: 'file' | 'folder'): PriceFeedMockError {
  const { code = '', message } = cause as NodeJS.ErrnoException
  const shortMessage = REASONS[code]?.(path, kind) ?? `${path} cannot be read: ${message}.`
  const details = Object.entries({ at: resolve(path), from })
  return new PriceFeedMockError('FILE_UNREADABLE', shortMessage, { cause, details })
}

/** Far above any sensible file of settings, feeds or faults. */
export const MAX_FILE_BYTES = 5_000_000

/**
 * The whole text; undefined if it is too large. The size is counted while reading, because a pipe (`<(jq …)`, `/dev/stdin`) has
 * no size and a device may have no end.
 */
function readToEnd(path: string): string | undefined {
  // Also drops a byte order mark.
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (const chunk of chunksOf(path)) {
    size += chunk.length
    if (size > MAX_FILE_BYTES) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** The error for a file above the limit. */
export function tooLarge(path: string, from: string): PriceFeedMockError {
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

/** The index of the first invalid token. Engines report it in different ways, and some quote the file instead. */
function findSyntaxError(source: string): number {
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
    // Stops the recursion: such a file is broken anyway.
    if (++depth > 1000) return false
    const isValid = take('\\{') ? list(member, '\\}') : take('\\[') ? list(value, '\\]') : take(SCALAR)
    depth--
    return isValid
  }
  value()
  // Skips blanks before the invalid token.
  take('')
  return index
}
