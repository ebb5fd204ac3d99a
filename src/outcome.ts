// What a caller can experience, as data. Hosts turn it into bytes; nothing below them does.

/** The media types of the bodies that the mock writes. */
export const MEDIA_TYPE = {
  json: 'application/json; charset=utf-8',
  problem: 'application/problem+json; charset=utf-8',
  html: 'text/html; charset=utf-8',
} as const

/** Names and values in turn, lower-case names: the flat form of Node's raw headers. */
export type HeaderList = readonly string[]

/** The same in pairs. */
export const toPairs = (headers: HeaderList): [name: string, value: string][] =>
  headers.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, headers[i + 1]!]] : []))

/** What goes over the wire when an answer is sent. */
interface Sent {
  readonly status: number
  readonly headers: HeaderList
  /** ASCII only, so that characters are bytes. For HEAD it is what GET would send; hosts leave it out. */
  readonly body: string
  /** Real milliseconds to wait before anything happens. */
  readonly delayMs: number
}

/** A complete answer. */
export interface Reply extends Sent {
  readonly kind: 'reply'
}

/** The connection is reset before a byte of the answer. */
export interface Reset {
  readonly kind: 'reset'
  readonly delayMs: number
}

/** The head promises the whole body, `sentLength` bytes of it come, then the connection is closed. */
export interface Truncate extends Sent {
  readonly kind: 'truncate'
  readonly sentLength: number
}

/** No answer ever: the caller waits until it gives up, or until the connection is closed after `closeAfterMs`. */
export interface Timeout {
  readonly kind: 'timeout'
  readonly delayMs: number
  /** Real milliseconds; undefined waits as long as the caller does. */
  readonly closeAfterMs: number | undefined
}

/** A complete answer whose body comes in `pieces`, `everyMs` real milliseconds apart. */
export interface Dribble extends Sent {
  readonly kind: 'dribble'
  readonly pieces: number
  readonly everyMs: number
}

/** What a caller can experience. */
export type Outcome = Reply | Reset | Truncate | Timeout | Dribble

/** Statuses without a body (RFC 9110, 15.3.5, 15.3.6, 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Whether a reply with a status has a body. */
export const hasBody = (status: number): boolean => !BODILESS.has(status)

/** The body of a reply, or null where there is none to send: to HEAD, and with statuses that have none. */
export function bodyToSend(method: string | undefined, { status, body }: Sent): string | null {
  return method === 'HEAD' || !hasBody(status) ? null : body
}

/** The pieces of a body that dribbles: as even as they can be, none empty. */
export function toPieces(body: string, count: number): string[] {
  const length = Math.max(1, Math.ceil(body.length / count))
  return Array.from({ length: Math.ceil(body.length / length) }, (_, i) => body.slice(i * length, (i + 1) * length))
}

/** Real milliseconds that an outcome takes by intention. */
export function plannedMs(outcome: Outcome): number {
  if (outcome.kind === 'dribble') return outcome.delayMs + (outcome.pieces - 1) * outcome.everyMs
  return outcome.delayMs + (outcome.kind === 'timeout' ? (outcome.closeAfterMs ?? 0) : 0)
}

/** A value as JSON in ASCII: whatever a caller sent can be repeated in a message, and characters are bytes. */
export function toAsciiJson(value: unknown): string {
  const json = stringify(value)
  return json.replace(/[\u007f-\uffff]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** JSON in which integers above 2^53 are printed exactly. Only where there are some: text that a caller sent may look the same. */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    const marked = JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? `\0bigint:${inner}` : inner,
    )
    return marked.replace(/"\\u0000bigint:(-?\d+)"/g, '$1')
  }
}

/** The value of the header that every reply carries: a dictionary of RFC 9651. Text is cut to what a string there may hold. */
export function toDictionary(entries: Readonly<Record<string, DictionaryValue>>): string {
  return Object.entries(entries)
    .map(([key, value]) => {
      if (value === true) return key
      if (typeof value === 'number') return `${key}=${value}`
      return typeof value === 'string' ? `${key}=${quote(value)}` : `${key}=(${value.map(quote).join(' ')})`
    })
    .join(', ')
}

/** A string of RFC 9651, or true, a number, a list of strings. */
type DictionaryValue = string | number | true | readonly string[]

const quote = (text: string): string => `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`

/** The header that every reply carries. */
export const MOCK_HEADER = 'x-price-feed-mock'
