// Every error that users can meet: a stable code, details as data, and one layout for text and JSON.
import { distance } from 'fastest-levenshtein'

/** One problem in user input. */
export interface Problem {
  /** The location: a path such as `faults[0].options.status`, a flag or an environment name. */
  readonly at: string
  /** The value found there; undefined if there is none. */
  readonly got: unknown
  /** The expected value, as a noun phrase. */
  readonly want: string
  /** The nearest valid name. */
  readonly closest?: string | undefined
}

/** Replaces a secret in `got`. */
export const NOT_SHOWN = '(not shown)'

/** The codes of Node for a certificate whose authority is not trusted, and the fix. One for another name is another matter. */
export const UNTRUSTED = {
  when: /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF)\w*)\b/,
  fix: 'NODE_EXTRA_CA_CERTS=ca.pem in the environment: a file with the certificate of its authority',
}
/** Stands in `got` if the key is wrong, not its value. */
export const UNKNOWN_KEY = 'an unknown key'

/** A labelled line of an error's text: `got`, `want`, `fix`, `reproduce`, `docs` … */
export type Detail = readonly [label: string, value: string]

type Label = 'at' | 'docs' | 'fix' | 'from' | 'got' | 'hint' | 'mock' | 'more' | 'note' | 'reason' | 'see' | 'want'

/** Details by label, in the order of the text. Undefined ones are left out. */
export type Lines = { readonly [label in Label]?: string | undefined }

/** All of an error but its first line. The text has `problems` first, then `details`, then the lines. */
export interface Parts extends Lines {
  readonly problems?: readonly Problem[]
  readonly details?: readonly Detail[]
  readonly cause?: unknown
}

/** The HTTP status of each error code. The comments are the table of docs/responses.md. */
const STATUSES = {
  /** an option of the command line, the environment or a call is wrong */
  OPTIONS_INVALID: 400,
  /** a setting of the config file or of `createMock` is wrong */
  CONFIG_INVALID: 400,
  /** a file or list of feeds is wrong */
  FEEDS_INVALID: 400,
  /** rows of ticks or candles are wrong */
  SERIES_INVALID: 400,
  /** a file or module cannot be read */
  FILE_UNREADABLE: 400,
  /** a certificate or its key is unusable */
  TLS_INVALID: 400,
  /** a saved state is damaged, or belongs to other settings */
  STATE_INVALID: 400,
  /** a state cannot be read, saved or locked */
  STATE_UNAVAILABLE: 500,
  /** a file cannot be written */
  FILE_UNWRITABLE: 500,
  /** the store does not answer */
  STORE_UNAVAILABLE: 503,
  /** the store has lost its content */
  STORE_EMPTIED: 503,
  /** the servers of a store have other settings or versions */
  STORE_MISMATCH: 409,
  /** an id or a setting of a session is wrong */
  SESSION_INVALID: 400,
  /** there is no such session */
  SESSION_UNKNOWN: 404,
  /** there is such a session already */
  SESSION_EXISTS: 409,
  /** the session `default` cannot be deleted */
  SESSION_DEFAULT: 409,
  /** a session in the store cannot be read: another program or version has written it */
  SESSION_UNREADABLE: 500,
  /** one session would hold too much */
  SESSION_TOO_LARGE: 413,
  /** there are too many sessions, or they hold too much together */
  SESSIONS_FULL: 503,
  /** too many streams of events are open */
  STREAMS_FULL: 503,
  /** a snapshot is damaged, or was taken with other feeds */
  SNAPSHOT_INVALID: 400,
  /** a scenario has mistakes */
  SCENARIO_INVALID: 400,
  /** there is no scenario of that name */
  SCENARIO_UNKNOWN: 404,
  /** the faults of a scenario make one request too expensive */
  SCENARIO_TOO_COSTLY: 503,
  /** the clock would leave the years 1970 to 2105 */
  CLOCK_OUT_OF_RANGE: 400,
  /** a value does not fit the layout that signs it */
  PRICE_UNSIGNABLE: 400,
  /** prices do not fit into one transaction of Solana */
  INSTRUCTION_TOO_LARGE: 413,
  /** a chain refused or did not answer */
  RELAY_FAILED: 502,
  /** a body is not declared as JSON */
  BODY_NOT_JSON: 415,
  /** a body is over the limit */
  BODY_TOO_LARGE: 413,
  /** a query or body has mistakes */
  REQUEST_INVALID: 400,
  /** the request is not HTTP */
  REQUEST_MALFORMED: 400,
  /** the head of a request is over the limit */
  REQUEST_TOO_LARGE: 431,
  /** a request took too long to arrive */
  REQUEST_TIMEOUT: 408,
  /** too many requests wait on one connection */
  PIPELINE_FULL: 429,
  /** nothing answers this path */
  UNKNOWN_ROUTE: 404,
  /** the path has other methods */
  METHOD_NOT_ALLOWED: 405,
  /** the admin does not answer under this host name */
  HOST_NOT_ALLOWED: 403,
  /** a page of another origin may not use the admin */
  ORIGIN_NOT_ALLOWED: 403,
  /** the token of the admin is missing or wrong */
  ADMIN_TOKEN_INVALID: 401,
  /** a port is in use or not permitted */
  PORT_UNAVAILABLE: 500,
  /** `exec` cannot start its command */
  COMMAND_NOT_STARTED: 500,
  /** expected requests did not arrive in time */
  REQUESTS_NOT_SEEN: 400,
  /** planned faults were never applied */
  FAULTS_NOT_FIRED: 400,
  /** a server is used while a test fakes `process.nextTick` */
  TIMERS_FAKED: 400,
  /** a reply is not one of the service */
  RESPONSE_UNRECOGNISED: 400,
  /** a price is not signed by an expected key */
  SIGNATURE_MISMATCH: 400,
  /** a price fails another check of `verify` */
  PRICE_REJECTED: 400,
  /** a configuration trusts a public test key */
  TEST_SIGNER_TRUSTED: 400,
  /** the admin client got an error */
  ADMIN_REFUSED: 502,
  /** a client got no reply */
  NO_REPLY: 502,
  /** a client got an error of the service */
  SERVICE_REFUSED: 502,
  /** a module exports no request handlers */
  HANDLERS_INVALID: 400,
  /** a package that request handlers need is missing */
  HANDLERS_UNAVAILABLE: 400,
  /** a request handler of your own failed */
  HANDLER_FAILED: 500,
  /** a service worker runs already */
  WORKER_RUNNING: 409,
  /** the mock was started in a production build */
  PRODUCTION_BUILD: 400,
  /** a part of the mock cannot be loaded */
  MODULE_UNAVAILABLE: 503,
  /** a bug of the mock */
  INTERNAL: 500,
} as const
/** Identifies a kind of error. Stable across versions. */
export type ErrorCode = keyof typeof STATUSES

/** An error of the mock itself. Simulated errors of the service are never thrown as this. */
export class PriceFeedMockError extends Error {
  readonly code: ErrorCode
  /** One sentence that names the thing and its value. */
  readonly shortMessage: string
  readonly details: readonly Detail[]
  readonly problems: readonly Problem[]

  constructor(
    code: ErrorCode,
    shortMessage: string,
    { problems = [], details: given = [], cause, ...lines }: Parts = {},
  ) {
    const added = Object.entries(lines).filter((line): line is [string, string] => line[1] !== undefined)
    const details = [...given, ...added]
    const shown = problems.slice(0, MAX_PROBLEMS_SHOWN).flatMap(toFacts)
    const more = problems.length - MAX_PROBLEMS_SHOWN
    if (more > 0) shown.push(['more', `${more} further problems`])
    super(layOut(shortMessage, [...shown, ...details, ['code', code]]), cause === undefined ? {} : { cause })
    this.name = nameOf(code)
    this.code = code
    this.shortMessage = shortMessage
    this.details = details
    this.problems = problems
  }
}

/** The error for one wrong value, with nothing else to say. */
export const wrongValue = (code: ErrorCode, shortMessage: string, problem: Problem): PriceFeedMockError =>
  new PriceFeedMockError(code, shortMessage, { problems: [problem] })

/** Whether a value is an error of this package, or of another copy of it. */
export function isPriceFeedMockError(value: unknown): value is PriceFeedMockError {
  return value instanceof Error && typeof (value as { code?: unknown }).code === 'string' && 'shortMessage' in value
}

/** An error as `application/problem+json` (RFC 9457). */
export function toProblemDetails(error: PriceFeedMockError): Record<string, unknown> & { status: number } {
  return {
    type: 'about:blank',
    title: error.name,
    status: STATUSES[error.code],
    code: error.code,
    detail: error.shortMessage,
    ...(error.problems.length > 0 ? { problems: error.problems.slice(0, MAX_PROBLEMS_SHOWN).map(toPlain) } : {}),
    ...(error.problems.length > MAX_PROBLEMS_SHOWN ? { more: error.problems.length - MAX_PROBLEMS_SHOWN } : {}),
    ...Object.fromEntries(error.details),
  }
}

/** Maximum number of problems that an error shows. Later problems need no nearest name. */
export const MAX_PROBLEMS_SHOWN = 100

/** A problem with a short `got` that JSON can represent. */
function toPlain(problem: Problem): Problem {
  const { got } = problem
  const isShort = got === null || /^(number|boolean|undefined)$/.test(typeof got)
  const short = isShort ? got : typeof got === 'string' ? shorten(got, 200) : show(got)
  return { ...problem, at: shorten(problem.at, MAX_PATH), got: short }
}

/** The first line of the message of anything that was thrown. */
export const firstLineOf = (error: unknown): string =>
  String((error as Error | null)?.message ?? error).split('\n', 1)[0]!

/** A text of at most so many characters; of a longer one so many, and a mark that there are more. */
export const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)

/** Characters that could break out of their line: control characters, changes of the text direction, and line separators. */
export const UNSAFE_CHARACTERS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** The text on one line, with unsafe characters escaped as in JSON. */
export function toPrintable(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, character => {
    const escaped = JSON.stringify(character).slice(1, -1)
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped
  })
}

/** A sentence without its full stop, to go on after it. */
export const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')

/** "1 problem", "2 problems" */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The candidate nearest to `name`, ignoring case, or the shortest that begins with it; undefined if there is none. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const short = name.slice(0, 64).toUpperCase()
  // The order of path segments matters, unlike that of words.
  const isPath = name.startsWith('/')
  const near = Math.round(short.length / 3)
  const letters = sortedLetters(short)
  const words = wordsOf(short)
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const known = candidate.toUpperCase()
    // The distance is at least the difference in length.
    if (Math.abs(known.length - short.length) >= least) continue
    const d = distance(short, known)
    if (d < least && (d <= near || (!isPath && isAlike(letters, words, known)))) {
      best = candidate
      least = d
    }
  }
  return best ?? (short.length < 3 || isPath ? undefined : shortestWith(short, candidates))
}

/** The shortest name that begins with a text: `BTCUSD` for `BTC`. */
function shortestWith(start: string, names: readonly string[]): string | undefined {
  const longer = names.filter(name => name.toUpperCase().startsWith(start))
  return longer.sort((a, b) => a.length - b.length)[0]
}

/** Whether a name has the letters of a known one in another order, or a subset of its words. */
function isAlike(letters: string, words: readonly string[] | null, known: string): boolean {
  // Letters are joined by commas. The lengths are compared first because sorting is slow.
  if (letters.length === 2 * known.length - 1 && letters === sortedLetters(known)) return true
  const knownWords = wordsOf(known)
  return words?.every(word => knownWords?.includes(word)) === true
}

const wordsOf = (name: string): string[] | null => name.match(/[^-/_.]+/g)
const sortedLetters = (name: string): string => [...name].sort().join()

/** A value as errors show it: short JSON, followed by the type for strings, a common mistake. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === NOT_SHOWN || value === UNKNOWN_KEY) return value
  const json = toJson(value)
  const short = json.length > 80 ? `${json.slice(0, 77)}…${typeof value === 'string' ? '"' : ''}` : json
  return typeof value === 'string' ? `${short} (string)` : short
}

/** The error's name: `OptionsInvalidError` for OPTIONS_INVALID. */
const nameOf = (code: ErrorCode): string =>
  `${code.replace(/_?([A-Z])([A-Z]*)/g, (_, first: string, rest: string) => first + rest.toLowerCase())}Error`

/** JSON, or a description for values without JSON such as bigints, cycles and NaN. */
function toJson(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return JSON.stringify(value) ?? String(value)
  try {
    return JSON.stringify(value)
  } catch (error) {
    // Engines throw different errors on stack overflow, but never a TypeError.
    return error instanceof TypeError ? 'a value that JSON does not have' : 'a value that is nested too deeply'
  }
}

/** A path is shortened, since keys can be megabytes long. */
const MAX_PATH = 200

function toFacts({ at, got, want, closest }: Problem): Detail[] {
  // First: a list of all names is long.
  const wanted = closest === undefined ? [want] : [`${closest} (closest)`, ...(want === closest ? [] : [want])]
  return [
    ['at', shorten(at, MAX_PATH)],
    ['got', show(got)],
    ['want', wanted.join(', ')],
  ]
}

function layOut(shortMessage: string, details: readonly Detail[]): string {
  const width = Math.max(...details.map(([label]) => label.length))
  // Names and values of callers are in all lines.
  return [shortMessage, ...details.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)]
    .map(toPrintable)
    .join('\n')
}

/** Whether a value is an object, or a list. */
export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The result of a step, or undefined if it throws: for a step whose error says nothing more. */
export function tryTo<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch {
    return undefined
  }
}

/** The result of a step. What it throws becomes another error. */
export function tryOrThrow<T>(step: () => T, toError: (cause: unknown) => Error): T {
  try {
    return step()
  } catch (cause) {
    throw toError(cause)
  }
}
