// Outcomes of a request, as data: a reply, or a failure on the wire. Hosts turn them into bytes.
// Replies of the mock itself, as opposed to simulated ones of the service, are marked as such by their header.
import { isPriceFeedMockError, PriceFeedMockError, toProblemDetails, tryTo } from './errors.js'

/** Media types of bodies. */
export const MEDIA_TYPE = {
  json: 'application/json; charset=utf-8',
  problem: 'application/problem+json; charset=utf-8',
  html: 'text/html; charset=utf-8',
} as const

/** Alternating names and values, in the format of Node's raw headers. Names are lower-case. */
export type HeaderList = readonly string[]

/** Converts a header list to pairs. */
export const toPairs = (headers: HeaderList): [name: string, value: string][] =>
  headers.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, headers[i + 1]!]] : []))

interface Sent {
  readonly status: number
  readonly headers: HeaderList
  /** ASCII only, so its length is its size in bytes. For HEAD it is the body of GET, which hosts omit. */
  readonly body: string
  /** Real milliseconds to wait before anything happens. */
  readonly delayMs: number
}

/** A complete answer. */
export interface Reply extends Sent {
  readonly kind: 'reply'
}

/** The connection is reset before the first byte of the answer. */
export interface Reset {
  readonly kind: 'reset'
  readonly delayMs: number
  /** Whether the connection is refused, as far as the host can show it. */
  readonly isRefused?: boolean
}

/** The head announces the whole body, but the connection is closed after `sentLength` bytes of it. */
export interface Truncate extends Sent {
  readonly kind: 'truncate'
  readonly sentLength: number
}

/** No answer: the connection stays open until the caller gives up, or for `closeAfterMs`. */
export interface Timeout {
  readonly kind: 'timeout'
  readonly delayMs: number
  /** Real milliseconds. Undefined waits for the caller to give up. */
  readonly closeAfterMs: number | undefined
}

/** A complete answer whose body is sent in `pieces`, `everyMs` real milliseconds apart. */
export interface Dribble extends Sent {
  readonly kind: 'dribble'
  readonly pieces: number
  readonly everyMs: number
}

/** The outcome of a request. */
export type Outcome = Reply | Reset | Truncate | Timeout | Dribble

/** Statuses without a body (RFC 9110, 15.3.5, 15.3.6, 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Whether a reply with a status has a body. */
export const hasBody = (status: number): boolean => !BODILESS.has(status)

/** The body to send. Null for HEAD and for statuses without a body. */
export function bodyToSend(method: string | undefined, { status, body }: Sent): string | null {
  return method === 'HEAD' || !hasBody(status) ? null : body
}

/** Splits the body of a dribble into pieces of almost equal size, none of them empty. */
export function toPieces(body: string, count: number): string[] {
  const length = Math.max(1, Math.ceil(body.length / count))
  return Array.from({ length: Math.ceil(body.length / length) }, (_, i) => body.slice(i * length, (i + 1) * length))
}

/** Planned duration of an outcome, in real milliseconds. */
export function plannedMs(outcome: Outcome): number {
  if (outcome.kind === 'dribble') return outcome.delayMs + (outcome.pieces - 1) * outcome.everyMs
  return outcome.delayMs + (outcome.kind === 'timeout' ? (outcome.closeAfterMs ?? 0) : 0)
}

/** JSON in ASCII, so that its length is its size in bytes even if it repeats text of the caller. */
export function toAsciiJson(value: unknown): string {
  const json = tryTo(() => JSON.stringify(value)) ?? stringifyBigints(value)
  // A test costs a third of a replacement that finds nothing.
  if (!/[\u007f-\uffff]/.test(json)) return json
  return json.replace(/[\u007f-\uffff]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** JSON that prints bigints exactly. Only for values with bigints, since text of the caller may look like its marker. */
function stringifyBigints(value: unknown): string {
  const marked = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? `\0bigint:${inner}` : inner,
  )
  return marked.replace(/"\\u0000bigint:(-?\d+)"/g, '$1')
}

/** The value of the mock header: a dictionary of RFC 9651. Characters that its strings cannot hold are removed. */
export function toDictionary(entries: Readonly<Record<string, string | number | true | readonly string[]>>): string {
  return Object.entries(entries)
    .map(([key, value]) => {
      if (value === true) return key
      if (typeof value === 'number') return `${key}=${value}`
      return typeof value === 'string' ? `${key}=${quote(value)}` : `${key}=(${value.map(quote).join(' ')})`
    })
    .join(', ')
}

const quote = (text: string): string => `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`

/** Name of the header on every reply. */
export const MOCK_HEADER = 'x-price-feed-mock'

/** A reply of the mock itself. `code` is the error code, if it reports an error. */
export function mockReply(status: number, body: string, headers: HeaderList, code?: string): Reply {
  return {
    kind: 'reply',
    status,
    headers: [
      ...headers,
      'cache-control',
      'no-store',
      MOCK_HEADER,
      toDictionary({ own: true, ...(code === undefined ? {} : { code }) }),
      ...(status === 204 ? [] : ['content-length', String(body.length)]),
    ],
    body,
    delayMs: 0,
  }
}

/** An error as an `application/problem+json` reply. One of a store asks clients to try again. */
export function problemReply(error: PriceFeedMockError, headers: HeaderList = []): Reply {
  const details = toProblemDetails(error)
  const retry = error.code.startsWith('STORE_') ? ['retry-after', '1'] : []
  const all = ['content-type', MEDIA_TYPE.problem, ...headers, ...retry]
  return mockReply(details.status, toAsciiJson(details), all, error.code)
}

/** Whether the content type of a body is JSON. One that is missing is none. */
export const isJsonType = (type: string | null | undefined): boolean => /^application\/json\s*(;|$)/i.test(type!)

/** The reply to a body of another content type. A page of another origin cannot send JSON without a preflight. */
export const bodyNotJson = (): Reply =>
  problemReply(
    new PriceFeedMockError('BODY_NOT_JSON', 'The content type of the body is not JSON.', {
      want: 'content-type: application/json',
    }),
  )

/** The reply to a request that hit a bug of the mock, or a module that cannot be loaded. */
export function internalReply(error: unknown): Reply {
  if (isPriceFeedMockError(error) && error.code === 'MODULE_UNAVAILABLE') return problemReply(error)
  const [got] = String(error).split('\n', 1)
  return problemReply(
    new PriceFeedMockError('INTERNAL', 'The mock failed to answer: this is a bug of its own.', { got }),
  )
}
