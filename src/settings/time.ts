// Parsing and formatting of ISO 8601 times and durations such as "90s". Reads no clock.

/** The first virtual second: 1970-01-01T00:00:00Z. */
export const EARLIEST = 0
/** The last virtual second: 2105-12-31T23:59:59Z. Timestamps fit into 32 bits. */
export const LATEST = 4_291_747_199

const WANT_INSTANT =
  'an ISO 8601 time with Z from 1970 to 2105, such as "2025-07-24T10:48:25Z", or seconds since the epoch'
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3})\d{0,6})?)?Z$/

/** Milliseconds since the epoch of an ISO 8601 time with `Z`, or undefined when it is not one from 1970 to 2105. Go and Java write nanoseconds. */
export function parseInstant(value: string | number): number | undefined {
  if (typeof value === 'number') return inRange(value * 1000)
  if (/^\d{1,10}$/.test(value)) return inRange(Number(value) * 1000)
  const match = INSTANT.exec(value)
  if (!match) return undefined
  const [year, month, day, hour, minute, second = 0] = match
    .slice(1, 7)
    .map(part => (part === undefined ? 0 : Number(part)))
  const ms = Date.UTC(year!, month! - 1, day, hour, minute, second, Number((match[7] ?? '').padEnd(3, '0')))
  // Date.UTC turns 30 February into 2 March: compare with the input.
  return toInstant(ms).slice(0, 16) === value.slice(0, 16) ? inRange(ms) : undefined
}

/** The input of `parseInstant`, for messages about a value that is none: with the likely one, if there is one. */
export function wantInstant(value?: unknown): string {
  // As JSON it looks like a valid text.
  if (value instanceof Date) return `${WANT_INSTANT}; of a Date its toISOString()`
  // Others are no likely time, and an object may have no text: JSON can set its `toString`.
  if (typeof value !== 'string' && typeof value !== 'number') return WANT_INSTANT
  const seconds = Math.floor(Number(value) / 1000)
  if (/^\d{12,}$/.test(String(value)) && parseInstant(seconds) !== undefined)
    return `${WANT_INSTANT}; ${value} are milliseconds: write ${seconds}`
  const text = String(value).trim().replace(' ', 'T')
  const offset = /[+-]\d\d:\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  const likely = [`${text}T00:00:00Z`, `${text}Z`, text, Number.isNaN(offset) ? '' : toInstant(offset)]
  const meant = likely.find(one => parseInstant(one) !== undefined)
  return meant === undefined ? WANT_INSTANT : `${WANT_INSTANT}; for ${value} write ${meant}`
}

const inRange = (ms: number): number | undefined => (ms >= EARLIEST * 1000 && ms < (LATEST + 1) * 1000 ? ms : undefined)

/** An instant in ISO 8601, without a fraction when it is a whole second. */
export const toInstant = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

/** An instant in the format of HTTP headers (RFC 9110): `Thu, 24 Jul 2025 10:48:25 GMT`. */
export const toHttpDate = (second: number): string => new Date(second * 1000).toUTCString()

/** Seconds by unit of a duration or a candle interval. */
export const SECONDS_BY_UNIT = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const
type TimeUnit = keyof typeof SECONDS_BY_UNIT

/** A time as code writes it: ISO 8601 with Z, or seconds since the epoch. */
export type Instant =
  | `${number}-${number}-${number}T${number}:${number}Z`
  | `${number}-${number}-${number}T${number}:${number}:${number}Z`
  | `${number}`
/** A text that must have a form where the compiler knows it. What it does not know, such as `date.toISOString()`, is checked at run time. */
export type Checked<Text extends string, Form extends string> = string extends Text
  ? Text
  : Text extends Form
    ? Text
    : Form

/** A duration as code writes it: `'90s'`, `'5m'`, `'2h'`. The number is a whole one from 1. */
export type Duration = `${number}${TimeUnit}`

/** Seconds and unit of `<number><unit>` in plain digits without a leading zero, such as "5m"; undefined when it is not one. */
export function parseDuration(value: string): { seconds: number; unit: TimeUnit } | undefined {
  const match = /^([1-9]\d{0,9})([smhdw])$/.exec(value)
  if (!match) return undefined
  const unit = match[2] as TimeUnit
  return { seconds: Number(match[1]) * SECONDS_BY_UNIT[unit], unit }
}

/** The seconds of such a text; 0 for anything else. */
export const secondsOf = (value: string | undefined): number => parseDuration(value ?? '')?.seconds ?? 0

/** Seconds of a `Retry-After` at second `now`: a number of seconds, or a date, which may be over. NaN for anything else. */
export const parseRetryAfter = (value: string, now: number): number =>
  /^\d+$/.test(value) ? Number(value) : Date.parse(value) / 1000 - now
