// The bodies of answers: their text, changes of every object in them, and those of simulated errors, in the form of the service's.
import { isObject } from '../errors.js'
import { type HeaderList, toAsciiJson } from '../outcome.js'
import { toHttpDate } from '../settings/time.js'
import type { Content } from './fault.js'
import type { ENTRIES, RETRY_AFTER_FORMS } from './options.js'

type Entries = Readonly<Record<string, unknown>>

/** The body as the ASCII text that is sent. */
export const textOf = ({ body }: Content): string => ('text' in body ? body.text : toAsciiJson(body.value))

/** An answer in place of another one, unless a fault has set the status: the first wins. */
export const replaceContent = (content: Content, by: Pick<Content, 'status' | 'body'> & Partial<Content>): Content =>
  content.isStatusSet ? content : { ...content, isStatusSet: true, isBodyReplaced: true, ...by }

/** Changes every object in an answer, innermost first. A body that is not the JSON of a value stays as it is. */
export function rewriteObjects(content: Content, change: (object: Entries) => Entries): Content {
  if ('text' in content.body) return content
  const value = rewrite(content.body.value, change)
  return value === content.body.value ? content : { ...content, body: { value } }
}

/** Changes the objects of an answer, or those with a field: all of them, or the first that changes alone. */
export function rewriteField(
  content: Content,
  { field, only }: { readonly field: string | undefined; readonly only: (typeof ENTRIES)[number] },
  change: (object: Entries) => Entries,
): Content {
  let isDone = false
  return rewriteObjects(content, object => {
    if (isDone || (field !== undefined && !Object.hasOwn(object, field))) return object
    const changed = change(object)
    isDone = only === 'first' && changed !== object
    return changed
  })
}

/** Changes the values of an object. Returns the object itself when none changes. */
export function mapValues(object: Entries, change: (value: unknown, key: string) => unknown): Entries {
  const entries = Object.entries(object).map(([key, value]) => [key, change(value, key)] as const)
  return entries.every(([key, value]) => value === object[key]) ? object : Object.fromEntries(entries)
}

/** Changes every object in a value. Returns the value itself when nothing changes. */
function rewrite(value: unknown, change: (object: Entries) => Entries): unknown {
  if (!isObject(value)) return value
  if (!Array.isArray(value)) return change(mapValues(value as Entries, one => rewrite(one, change)))
  const next = value.map(one => rewrite(one, change))
  return next.every((one, i) => one === value[i]) ? value : next
}

const ERRORS: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ['bad_request', 'The request is malformed.'],
  401: ['unauthorized', 'The API key in the Authorization header is not a valid one.'],
  403: ['forbidden', 'The API key may not read this.'],
  404: ['not_found', 'There is nothing here.'],
  408: ['request_timeout', 'The request took too long to arrive.'],
  429: ['too_many_requests', 'Too many requests.'],
  500: ['internal_error', 'Something went wrong.'],
  502: ['bad_gateway', 'The gateway got no valid answer.'],
  503: ['service_unavailable', 'The service is unavailable.'],
  504: ['gateway_timeout', 'The gateway got no answer in time.'],
}

/** Titles for statuses from 200 and from 300 without an entry above. */
const CLASS_TITLES: readonly string[] = ['OK', 'redirect']

/** The body of an error: `{"error": code, "message": sentence}`. */
export function errorBody(status: number, message?: string): { readonly error: string; readonly message: string } {
  const [code, defaultMessage] = ERRORS[status] ?? [`status_${status}`, `The service answers with status ${status}.`]
  return { error: code, message: message ?? defaultMessage }
}

/** The title of a status on a proxy's error page: `502 Bad Gateway`. */
export function titleOf(status: number): string {
  const title = ERRORS[status]?.[0].replaceAll('_', ' ') ?? CLASS_TITLES[Math.floor(status / 100) - 2] ?? 'error'
  return `${status} ${title}`.replace(/\b[a-z]/g, letter => letter.toUpperCase())
}

/** 9999-12-31T23:59:59Z: the year of a date in a header has four digits (RFC 9110, 5.6.7). */
const LAST_HTTP_DATE = 253_402_300_799

/** The header `Retry-After` of an answer at second `now`. */
export function retryAfterHeader(seconds: number, form: (typeof RETRY_AFTER_FORMS)[number], now: number): HeaderList {
  if (form === 'none') return []
  const value = {
    seconds: String(seconds),
    date: toHttpDate(Math.min(now + seconds, LAST_HTTP_DATE)),
    zero: '0',
    negative: String(-seconds),
    text: 'later',
  }
  return ['retry-after', value[form]]
}
