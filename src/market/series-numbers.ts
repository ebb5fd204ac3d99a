// Numbers and times as a series writes them: decimals read exactly, and times of one unambiguous unit.
import { EARLIEST, LATEST, toInstant } from '../settings/time.js'

/**
 * Reads a decimal, also with an exponent, as a whole number of units of 10^−`places`, rounded half up where it has more places. No
 * intermediate value is rounded. NaN for anything else, also for more than 2^53 − 1 units.
 */
export function parseUnits(text: string, places: number): number {
  const [, whole = '', fraction = '', power = '0'] = /^(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec(text) ?? []
  const digits = whole + fraction
  if (digits === '') return Number.NaN
  /** The number of digits of the units. */
  const count = whole.length + Number(power) + places
  const units = Number(digits.slice(0, Math.max(0, count)).padEnd(count, '0')) + (digits[count]! >= '5' ? 1 : 0)
  return units <= Number.MAX_SAFE_INTEGER ? units : Number.NaN
}

const MAX_VOLUME_PLACES = 8

/** Reads a volume of 0 or more, and the number of its decimal places, at most 8. NaN for anything else. */
export function parseVolume(text: string): { readonly volume: number; readonly places: number } {
  const [whole, fraction = '', power] = /^(?=\.?\d)\d*(?:\.(\d*))?(e[+-]?\d{1,3})?$/i.exec(text) ?? []
  const volume = whole === undefined ? Number.NaN : Number(text)
  const kept = fraction.slice(0, MAX_VOLUME_PLACES)
  const isLonger = power !== undefined || /[1-9]/.test(fraction.slice(MAX_VOLUME_PLACES))
  return {
    volume: volume <= Number.MAX_SAFE_INTEGER ? volume : Number.NaN,
    places: isLonger ? MAX_VOLUME_PLACES : kept.replace(/0+$/, '').length,
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
  const [, date, clock = '00:00', second = '00', fraction = '0', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(\.\d{1,9})?)?(Z| ?UTC|[+-]\d\d:?\d\d))?$/.exec(text) ?? []
  const local = `${date}T${clock}:${second}`
  const ms = Date.parse(`${local}Z`)
  // Some engines turn 30 February into 2 March: compare with the input.
  if (Number.isNaN(ms) || toInstant(ms) !== `${local}Z`) return undefined
  const ahead = /^[+-]/.test(zone)
    ? Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)))
    : 0
  const at = ms / 1000 - ahead * 60 + Number(fraction)
  return at >= EARLIEST && at < LATEST + 1 ? { second: at, unit: 'ISO 8601' } : undefined
}
