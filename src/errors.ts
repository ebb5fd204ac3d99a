// Every error that a user can meet: facts first, one stable code each, and one place that lays them out as text or JSON.
import { distance } from 'fastest-levenshtein'

/** One thing that is wrong in something that a user wrote. */
export interface Problem {
  /** Where: a path such as `faults[0].options.status`, a flag or an environment name. */
  readonly at: string
  /** What stands there; undefined when nothing does. */
  readonly got: unknown
  /** What would be right, as a noun phrase. */
  readonly want: string
  /** The valid name that is nearest to what stands there. */
  readonly closest?: string | undefined
}

/** What stands in `got` for a value that is nobody's to read. */
export const NOT_SHOWN = '(not shown)'
/** What stands in `got` where the key is wrong, not its value. */
export const UNKNOWN_KEY = 'an unknown key'

/** A labelled line of an error's text: `got`, `want`, `fix`, `again`, `docs` … */
export type Fact = readonly [label: string, value: string]

/** The kinds of errors, by stable code. The name is what a reader sees first; nobody needs to match on text. */
const KINDS = {
  OPTIONS_INVALID: { name: 'OptionsInvalidError', status: 400 },
  CONFIG_INVALID: { name: 'ConfigInvalidError', status: 400 },
  FEEDS_INVALID: { name: 'FeedsInvalidError', status: 400 },
  FILE_UNREADABLE: { name: 'FileUnreadableError', status: 400 },
  SESSION_INVALID: { name: 'SessionInvalidError', status: 400 },
  SESSION_UNKNOWN: { name: 'SessionUnknownError', status: 404 },
  SESSION_EXISTS: { name: 'SessionExistsError', status: 409 },
  SESSION_DEFAULT: { name: 'SessionDefaultError', status: 409 },
  SESSIONS_FULL: { name: 'SessionsFullError', status: 503 },
  SNAPSHOT_INVALID: { name: 'SnapshotInvalidError', status: 400 },
  SCENARIO_INVALID: { name: 'ScenarioInvalidError', status: 400 },
  SCENARIO_UNKNOWN: { name: 'ScenarioUnknownError', status: 404 },
  CLOCK_NOT_STARTED: { name: 'ClockNotStartedError', status: 400 },
  CLOCK_OUT_OF_RANGE: { name: 'ClockOutOfRangeError', status: 400 },
  PRICE_UNSIGNABLE: { name: 'PriceUnsignableError', status: 400 },
  BODY_NOT_JSON: { name: 'BodyNotJsonError', status: 415 },
  BODY_TOO_LARGE: { name: 'BodyTooLargeError', status: 413 },
  REQUEST_INVALID: { name: 'RequestInvalidError', status: 400 },
  REQUEST_MALFORMED: { name: 'RequestMalformedError', status: 400 },
  REQUEST_TOO_LARGE: { name: 'RequestTooLargeError', status: 431 },
  REQUEST_TIMEOUT: { name: 'RequestTimeoutError', status: 408 },
  UNKNOWN_ROUTE: { name: 'UnknownRouteError', status: 404 },
  METHOD_NOT_ALLOWED: { name: 'MethodNotAllowedError', status: 405 },
  HOST_NOT_ALLOWED: { name: 'HostNotAllowedError', status: 403 },
  PORT_UNAVAILABLE: { name: 'PortUnavailableError', status: 500 },
  COMMAND_NOT_STARTED: { name: 'CommandNotStartedError', status: 500 },
  REQUESTS_NOT_SEEN: { name: 'RequestsNotSeenError', status: 400 },
  FAULTS_NOT_FIRED: { name: 'FaultsNotFiredError', status: 400 },
  RESPONSE_UNRECOGNISED: { name: 'ResponseUnrecognisedError', status: 400 },
  SIGNATURE_MISMATCH: { name: 'SignatureMismatchError', status: 400 },
  TEST_SIGNER_TRUSTED: { name: 'TestSignerTrustedError', status: 400 },
  ADMIN_REFUSED: { name: 'AdminRefusedError', status: 502 },
  SERVICE_REFUSED: { name: 'ServiceRefusedError', status: 502 },
  HANDLERS_INVALID: { name: 'HandlersInvalidError', status: 400 },
  HANDLERS_UNAVAILABLE: { name: 'HandlersUnavailableError', status: 400 },
  HANDLER_FAILED: { name: 'HandlerFailedError', status: 500 },
  INTERNAL: { name: 'InternalError', status: 500 },
} as const
/** What identifies a kind of error: stable across versions. */
export type ErrorCode = keyof typeof KINDS

/** An error of the mock's own: never one that imitates the service. */
export class PriceFeedMockError extends Error {
  readonly code: ErrorCode
  /** One sentence that names the thing and its value. */
  readonly sentence: string
  readonly facts: readonly Fact[]
  readonly problems: readonly Problem[]

  constructor(
    code: ErrorCode,
    sentence: string,
    {
      facts = [],
      problems = [],
      cause,
    }: { facts?: readonly Fact[]; problems?: readonly Problem[]; cause?: unknown } = {},
  ) {
    super(
      layOut(sentence, [
        ...problems.slice(0, MOST_SHOWN).flatMap(toFacts),
        ...moreThan(problems),
        ...facts,
        ['code', code],
      ]),
      cause === undefined ? {} : { cause },
    )
    this.name = KINDS[code].name
    this.code = code
    this.sentence = sentence
    this.facts = facts
    this.problems = problems
  }
}

/** Whether a value is an error of this package, also of another copy of it. */
export function isPriceFeedMockError(value: unknown): value is PriceFeedMockError {
  return value instanceof Error && typeof (value as { code?: unknown }).code === 'string' && 'sentence' in value
}

/** An error as `application/problem+json` (RFC 9457). */
export function toProblemDetails(error: PriceFeedMockError): Record<string, unknown> & { status: number } {
  return {
    type: 'about:blank',
    title: error.name,
    status: KINDS[error.code].status,
    code: error.code,
    detail: error.sentence,
    ...(error.problems.length > 0 ? { problems: error.problems.slice(0, MOST_SHOWN).map(toPlain) } : {}),
    ...(error.problems.length > MOST_SHOWN ? { more: error.problems.length - MOST_SHOWN } : {}),
    ...Object.fromEntries(error.facts),
  }
}

/** Problems shown of one error: who made more has other worries than the last of them. */
const MOST_SHOWN = 100

/** A problem with a `got` that is short and that JSON has. */
function toPlain(problem: Problem): Problem {
  const { got } = problem
  const isShort =
    got === null || /^(number|boolean|undefined)$/.test(typeof got) || (typeof got === 'string' && got.length <= 200)
  const at = cut(problem.at)
  return isShort
    ? { ...problem, at }
    : { ...problem, at, got: typeof got === 'string' ? `${got.slice(0, 200)}…` : show(got) }
}

/** "1 problem", "2 problems" */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The candidate nearest to `name`, in any case, if it is near enough to be a slip; undefined otherwise. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const short = name.slice(0, 64)
  let best: string | undefined
  let least = Math.max(2, Math.floor(short.length / 3)) + 1
  for (const candidate of candidates) {
    const d = distance(short.toUpperCase(), candidate.toUpperCase())
    if (d < least) {
      best = candidate
      least = d
    }
  }
  return best
}

/** A value as an error shows it: short, in JSON, with its type where the type is likely the mistake. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === NOT_SHOWN || value === UNKNOWN_KEY) return value
  const json = toJson(value)
  const short = json.length > 80 ? `${json.slice(0, 77)}…${typeof value === 'string' ? '"' : ''}` : json
  return typeof value === 'string' ? `${short} (string)` : short
}

/** JSON where there is one: bigints and cycles have none, and some numbers would be null. */
function toJson(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return JSON.stringify(value) ?? String(value)
  try {
    return JSON.stringify(value)
  } catch {
    return 'a value that JSON does not have'
  }
}

/** A path so far as anybody reads it: keys may be megabytes long. */
const cut = (at: string): string => (at.length > 200 ? `${at.slice(0, 200)}…` : at)

function toFacts({ at, got, want, closest }: Problem): Fact[] {
  const hint = closest === undefined ? '' : want === closest ? ' (closest)' : `   (closest: ${closest})`
  return [
    ['at', cut(at)],
    ['got', show(got)],
    ['want', want + hint],
  ]
}

function layOut(sentence: string, facts: readonly Fact[]): string {
  const width = facts.reduce((widest, [label]) => Math.max(widest, label.length), 0)
  return [sentence, ...facts.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)].join('\n')
}

/** A line for the problems that are not shown. */
function moreThan({ length }: readonly Problem[]): Fact[] {
  return length > MOST_SHOWN ? [['more', `${length - MOST_SHOWN} further problems`]] : []
}
