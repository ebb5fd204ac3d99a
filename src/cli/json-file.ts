// A user's JSON file as data, and the place of the first mistake in one that is not JSON. What stands in it is not repeated.
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isPriceFeedMockError, PriceFeedMockError } from '../errors.js'

const REASONS: Readonly<Record<string, (path: string, what: 'file' | 'folder') => string>> = {
  ENOENT: (path, what) => `There is no ${what} ${path}.`,
  ENOTDIR: (path, what) => (what === 'file' ? `There is no file ${path}.` : `${path} is a file, not a folder.`),
  EISDIR: path => `${path} is a folder, not a file.`,
  EACCES: path => `${path} may not be read by this user.`,
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
      facts: Object.entries({
        at: `line ${lines.length}, column ${lines.at(-1)!.length + 1}`,
        got: place < source.length ? JSON.stringify(source[place]) : 'the end of the file',
        from,
      }),
    })
  }
}

function readText(path: string, from: string): string {
  try {
    const { size } = statSync(path)
    if (size > LARGEST_FILE) throw tooLarge(path, from, size)
    // Some editors begin a file with a byte order mark.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw isPriceFeedMockError(error) ? error : fileError(path, from, error, 'file')
  }
}

/** What keeps a file or a folder from being read, as an error of ours. */
export function fileError(path: string, from: string, cause: unknown, what: 'file' | 'folder'): PriceFeedMockError {
  const { code = '', message } = cause as NodeJS.ErrnoException
  const sentence = REASONS[code]?.(path, what) ?? `${path} cannot be read: ${message}.`
  const facts = Object.entries({ at: resolve(path), from })
  return new PriceFeedMockError('FILE_UNREADABLE', sentence, { cause, facts })
}

/** Bytes: a file of settings, feeds or faults is far smaller, and one that is not is a mistake. */
const LARGEST_FILE = 5_000_000

function tooLarge(path: string, from: string, size: number): PriceFeedMockError {
  return new PriceFeedMockError('FILE_UNREADABLE', `${path} is too large.`, {
    facts: Object.entries({ got: `${size} bytes`, want: `at most ${LARGEST_FILE}`, at: resolve(path), from }),
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
