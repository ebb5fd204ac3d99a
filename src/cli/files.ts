// The files of a user: JSON texts with the place of their mistakes, pipes whose other side may never come, and results. Errors never
// quote the content, which may hold a key.
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import {
  countOf,
  isPriceFeedMockError,
  PriceFeedMockError,
  type Problem,
  shorten,
  toPrintable,
  tryOrThrow,
  tryTo,
  withoutStop,
} from '../errors.js'
import { pathOf } from '../settings/schema.js'

const REASONS: Readonly<Record<string, (path: string, kind: 'file' | 'folder') => string>> = {
  ENOENT: (path, kind) => `There is no ${kind} ${path}.`,
  ENOTDIR: (path, kind) => (kind === 'file' ? `There is no file ${path}.` : `${path} is a file, not a folder.`),
  EISDIR: path => `${path} is a folder, not a file.`,
  EACCES: path => `This user may not read ${path}.`,
  ELOOP: path => `${path} is a circular symbolic link.`,
  ENAMETOOLONG: path => `${path} is too long for a path.`,
  ERR_ENCODING_INVALID_ENCODED_DATA: path => `${path} is not in UTF-8.`,
}

/** Whether a value is inline JSON instead of a path. */
export const isInline = (path: string): boolean => /^\s*[{[]/.test(path)

/**
 * Reads a JSON file, or inline JSON.
 * @param from the flag, variable or setting that names the file, for errors
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function readJsonFile(path: string, from: string): unknown {
  // `$(cat config.json)` has the byte order mark of the file.
  const [source, subject] = isInline(path)
    ? [path.replace(/^\uFEFF/, ''), 'The inline text']
    : [readText(path, from), path]
  return parseStrictJson(source, subject, from)
}

/**
 * Parses JSON in which no object may have a key twice.
 * @param subject begins the message of an error
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function parseStrictJson(source: string, subject: string, from: string): unknown {
  const data = parseJsonText(source, subject, from)
  const problems = scanJson(source).duplicates
  if (problems.length > 0)
    throw new PriceFeedMockError('FILE_UNREADABLE', `${subject} has ${countOf(problems.length, 'duplicate key')}.`, {
      problems,
      from,
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
    const { index } = scanJson(source)
    const lines = source.slice(0, index).split('\n')
    throw new PriceFeedMockError('FILE_UNREADABLE', `${subject} is not valid JSON.`, {
      at: `line ${lines.length}, column ${lines.at(-1)!.length + 1}`,
      got: index < source.length ? JSON.stringify(source[index]) : 'the end of the file',
      want: 'JSON in UTF-8: names and texts in double quotes, no comments, no comma before an end',
      from,
    })
  }
}

/**
 * Reads a text file. The size is counted while reading, because a pipe (`<(jq …)`, `/dev/stdin`) has no size and a device may have no
 * end.
 * @param from the flag, variable or setting that names the file, for errors
 * @param fatal whether bytes of another encoding are an error: a replaced letter in a seed would be another market
 * @throws PriceFeedMockError FILE_UNREADABLE
 */
export function readText(path: string, from: string, fatal = true): string {
  let decoder: ReturnType<typeof decoderOf> | undefined
  let text = ''
  let size = 0
  try {
    for (const chunk of chunksOf(path)) {
      size += chunk.length
      if (size > MAX_FILE_BYTES) throw tooLarge(path, from)
      decoder ??= decoderOf(chunk, fatal)
      text += decoder.decode(chunk, { stream: true })
    }
    return text + (decoder?.decode() ?? '')
  } catch (error) {
    throw fileError(path, from, error, 'file')
  }
}

/** A path in an error: it may be inline JSON that begins with a quote, or a text of a config file. */
const toShownPath = (path: string): string => shorten(toPrintable(path), 300)

/** Converts a file system error. Errors of this package stay as they are. */
export function fileError(path: string, from: string, cause: unknown, kind: 'file' | 'folder'): PriceFeedMockError {
  if (isPriceFeedMockError(cause)) return cause
  // A variable that is not set.
  if (path === '')
    return new PriceFeedMockError('FILE_UNREADABLE', 'The path is empty.', { want: `the path of a ${kind}`, from })
  const { code = '', message } = cause as NodeJS.ErrnoException
  const shown = toShownPath(path)
  const shortMessage = REASONS[code]?.(shown, kind) ?? `${shown} cannot be read: ${toShownPath(message)}.`
  return new PriceFeedMockError('FILE_UNREADABLE', shortMessage, { cause, at: toShownPath(resolve(path)), from })
}

/** Far above any sensible file of settings, feeds or faults. */
export const MAX_FILE_BYTES = 5_000_000

/** The decoder of a text, which drops its byte order mark. What Windows PowerShell redirects into a file is UTF-16. */
const decoderOf = ([first, second]: Uint8Array, fatal: boolean) =>
  new TextDecoder(first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8', { fatal })

/** The error for a file above a limit. */
export function tooLarge(path: string, from: string, bytes = MAX_FILE_BYTES): PriceFeedMockError {
  return new PriceFeedMockError('FILE_UNREADABLE', `${path} is too large.`, {
    got: `more than ${bytes} bytes`,
    want: `at most ${bytes}`,
    at: resolve(path),
    from,
  })
}

/** The error for a file or folder that a flag names. */
export function unwritable(path: string, reason: string, cause?: unknown, from = '--out'): PriceFeedMockError {
  const isMissing = (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'
  const why = isMissing ? `there is no folder ${dirname(path)}` : withoutStop(reason)
  return new PriceFeedMockError('FILE_UNWRITABLE', `${path} cannot be written: ${why}.`, { cause, from })
}

/** Does a step of writing a file. An error of the file system becomes FILE_UNWRITABLE. */
export const tryToWrite = <T>(path: string, step: () => T): T =>
  tryOrThrow(step, cause => unwritable(path, (cause as Error).message, cause))

/** A kind of file. `link` is a broken link; `pipe` includes devices. */
type Kind = 'file' | 'folder' | 'link' | 'pipe'

/** The kind of file at a path, after following links; undefined if nothing is there. */
export function kindAt(path: string): Kind | undefined {
  const stats = tryTo(() => statSync(path)) ?? tryTo(() => lstatSync(path))
  if (stats === undefined) return undefined
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'pipe'
}

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

const BLANKS = '[ \\t\\n\\r]*'
const token = (pattern: string): RegExp => new RegExp(`${BLANKS}(${pattern})`, 'y')
const TEXT = '[^"\\\\\\x00-\\x1f]*'
const STRING = `"${TEXT}(?:\\\\(?:["\\\\/bfnrt]|u[\\da-fA-F]{4})${TEXT})*"`
const TOKENS = {
  string: token(STRING),
  scalar: token(`${STRING}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`),
  object: token('\\{'),
  objectEnd: token('\\}'),
  list: token('\\['),
  listEnd: token('\\]'),
  colon: token(':'),
  comma: token(','),
  nothing: token(''),
}

/**
 * Scans a JSON text. Engines report the first invalid token in different ways, and some quote the file instead; they keep the last of
 * equal keys, and report nothing.
 * @returns the index of the first invalid token, and a problem for each key that its object has already
 */
export function scanJson(source: string): { readonly index: number; readonly duplicates: readonly Problem[] } {
  const duplicates: Problem[] = []
  const path: (string | number)[] = []
  let index = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = index
    const found = pattern.exec(source)?.[1]
    if (found !== undefined) index = pattern.lastIndex
    return found
  }
  const takeItems = (end: RegExp, takeItem: (i: number) => boolean): boolean => {
    if (take(end) !== undefined) return true
    for (let i = 0; takeItem(i); i++) if (take(TOKENS.comma) === undefined) return take(end) !== undefined
    return false
  }
  const takeValue = (at?: string | number): boolean => {
    // Stops the recursion: such a file is broken anyway.
    if (path.length > 1000) return false
    if (at !== undefined) path.push(at)
    const keys = new Set<string>()
    const isValid =
      take(TOKENS.object) !== undefined
        ? takeItems(TOKENS.objectEnd, () => takeMember(keys))
        : take(TOKENS.list) !== undefined
          ? takeItems(TOKENS.listEnd, takeValue)
          : take(TOKENS.scalar) !== undefined
    if (at !== undefined) path.pop()
    return isValid
  }
  const takeMember = (keys: Set<string>): boolean => {
    const string = take(TOKENS.string)
    if (string === undefined || take(TOKENS.colon) === undefined) return false
    const key = JSON.parse(string) as string
    if (keys.has(key))
      duplicates.push({ at: pathOf([...path, key]), got: key, want: 'each key once: the last would win' })
    keys.add(key)
    return takeValue(key)
  }
  takeValue()
  // Skips blanks before the invalid token.
  take(TOKENS.nothing)
  return { index, duplicates }
}

/** Creates a folder and those above it. The option `recursive` of Node never returns for a path such as `/proc/a/b`. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

/**
 * Writes a result and creates its folder. An error is one line, because the exit code says something else.
 * @param content the content, as a subject: `the report`
 * @param report receives an error on one line
 * @returns whether it was written
 */
export function writeAtEnd(file: string, text: string, content: string, report: (line: string) => void): boolean {
  try {
    makeFolder(dirname(file))
    const descriptor = openToWrite(file)
    try {
      writeFileSync(descriptor, text)
    } finally {
      closeSync(descriptor)
    }
    return true
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    report(`${content} was not written to ${file} (${code ?? message}).`)
    return false
  }
}
