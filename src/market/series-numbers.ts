// Numbers and times as a series writes them: decimals read exactly, and times of one unambiguous unit.
import { EARLIEST, LATEST } from '../settings/time.js'

const ZERO = 48
const EXPONENT = /^[+-]?\d{1,3}$/

/**
 * Reads a decimal, also with an exponent, as a whole number of units of 10^−`places`, rounded half up where it has more places. No
 * intermediate value is rounded. NaN for anything else, also for more than 2^53 − 1 units.
 */
export function parseUnits(text: string, places: number): number {
  const e = text.search(/e/i)
  const end = e < 0 ? text.length : e
  const power = e < 0 ? '0' : text.slice(e + 1)
  if (!EXPONENT.test(power)) return Number.NaN
  const point = text.indexOf('.')
  /** The number of digits of the units. */
  const count = (point < 0 ? end : point) + Number(power) + places
  let [units, digits, isUp] = [0, 0, false]
  for (let i = 0; i < end; i++) {
    if (i === point) continue
    const digit = text.charCodeAt(i) - ZERO
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    if (digits < count) units = units * 10 + digit
    else if (digits === count) isUp = digit >= 5
    digits++
  }
  if (digits === 0) return Number.NaN
  // A digit that is too much leaves `units` above the limit, so that inexact values are refused.
  for (; digits < count && units <= Number.MAX_SAFE_INTEGER; digits++) units *= 10
  if (isUp) units++
  return units <= Number.MAX_SAFE_INTEGER ? units : Number.NaN
}

/** The most places of a volume that are kept. */
const MAX_VOLUME_PLACES = 8

/** Reads a volume of 0 or more, and the number of its decimal places, at most 8. NaN for anything else. */
export function parseVolume(text: string): { readonly volume: number; readonly places: number } {
  if (!/^(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(text)) return { volume: Number.NaN, places: 0 }
  const volume = Number(text)
  const isPlain = !/e/i.test(text)
  const point = text.indexOf('.')
  const written = isPlain ? (point < 0 ? 0 : text.replace(/0+$/, '').length - point - 1) : MAX_VOLUME_PLACES
  return {
    volume: volume <= Number.MAX_SAFE_INTEGER ? volume : Number.NaN,
    places: Math.min(MAX_VOLUME_PLACES, written),
  }
}

/** The units of time that a series can have. */
export type TimeUnit = 'seconds' | 'milliseconds' | 'microseconds' | 'ISO 8601'

/** The units of a number, by the power of ten of a second: their ranges do not overlap. */
const NUMERIC: readonly (readonly [unit: TimeUnit, scale: number, least: number])[] = [
  ['seconds', 1, 0],
  ['milliseconds', 1e3, 1e11],
  ['microseconds', 1e6, 1e14],
]

/** The input of `parseTime`, for messages. */
export const WANT_TIME =
  'a time from 1970 to 2105: seconds, milliseconds or microseconds since the epoch, or ISO 8601 with Z or an offset'

/**
 * Reads a time. A number up to 4,291,747,199 is in seconds, one from 10^11 in milliseconds, one from 10^14 in microseconds; an ISO
 * 8601 time needs `Z` or an offset, and a date alone is its midnight in UTC.
 * @returns seconds with a fraction; undefined for anything else
 */
export function parseTime(text: string): { readonly second: number; readonly unit: TimeUnit } | undefined {
  if (/^\d{1,16}(\.\d{1,9})?$/.test(text)) {
    const value = Number(text)
    for (const [unit, scale, least] of NUMERIC)
      if (value >= least && value < (LATEST + 1) * scale) return { second: value / scale, unit }
    return undefined
  }
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z| ?UTC|[+-]\d\d:?\d\d))?$/.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] = match
  const seconds = Date.UTC(Number(year), Number(month) - 1, Number(day)) / 1000
  // Date.UTC turns 30 February into 2 March: compare with the input.
  const isDay = new Date(seconds * 1000).toISOString().slice(0, 10) === `${year}-${month}-${day}`
  if (!isDay || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const ahead = /^[+-]/.test(zone)
    ? Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)))
    : 0
  const whole = seconds + Number(hour) * 3600 + (Number(minute) - ahead) * 60 + Number(second)
  const at = whole + Number(`0.${fraction}`)
  return at >= EARLIEST && at < LATEST + 1 ? { second: at, unit: 'ISO 8601' } : undefined
}
