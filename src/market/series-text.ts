// The text of a series, taken apart: parts of any length into lines of CSV or rows of JSON, lines into fields; the columns that the
// fields belong to; decimals, read exactly, and times of one unambiguous unit.
import type { Problem } from '../errors.js'
import { EARLIEST, LATEST, toInstant } from '../settings/time.js'
import { POWERS_OF_TEN } from './pricing.js'

type Column = 'time' | 'price' | 'open' | 'high' | 'low' | 'close' | 'volume' | 'feed'

/** The index of each column in a row. */
export type Columns = Readonly<Partial<Record<Column, number>>> & { readonly time: number }

/** The names of columns, without case, spaces and underscores. */
const NAMES: Readonly<Record<Column, RegExp>> = {
  time: /^(time|ts|t|timestamp|unix|date|datetime|opentime)$/,
  price: /^(price|p|value)$/,
  open: /^(open|o)$/,
  high: /^(high|h)$/,
  low: /^(low|l)$/,
  close: /^(close|c)$/,
  volume: /^(volume|vol|v)$/,
  feed: /^(feed|feedid)$/,
}

/** The header of rows without one, by their number of columns; more than six are those of candles too. */
const HEADERS: Readonly<Record<number, string>> = { 2: 't,p', 5: 't,o,h,l,c', 6: 't,o,h,l,c,v' }

const COLUMNS = Object.keys(NAMES) as Column[]
const PRICES = ['open', 'high', 'low', 'close'] as const
const WANT = 'the columns time and price, or time, open, high, low and close, each once'

/** The columns of names in a header. */
export function columnsOfHeader(names: readonly string[]): Columns | Problem[] {
  const found: Partial<Record<Column, number>> = {}
  const problems: Problem[] = []
  for (const [index, name] of names.entries()) {
    const plain = name.toLowerCase().replace(/[\s_]/g, '')
    const column = COLUMNS.find(one => NAMES[one].test(plain))
    // Prices of replies are in other units: a cheap coin would cost millions.
    if (plain === 'expo') problems.push({ at: 'the header', got: name, want: WANT })
    if (column === undefined || (found[column] ??= index) === index) continue
    problems.push({ at: 'the header', got: name, want: `one column for the ${column}, not two` })
  }
  // Close prices alone are prices.
  if (found.price === undefined && found.open === undefined && found.close !== undefined) {
    found.price = found.close
    delete found.close
  }
  const isCandle = PRICES.every(name => found[name] !== undefined)
  const isTick = PRICES.every(name => found[name] === undefined) && found.price !== undefined
  if (found.time === undefined || !(isCandle || isTick))
    problems.push({ at: 'the header', got: names.join(',').slice(0, 80), want: WANT })
  return problems.length > 0 ? problems : (found as Columns)
}

/** The columns of a row without a header. */
export function columnsOfCount(count: number): Columns | Problem[] {
  const header = HEADERS[Math.min(6, count)]
  return header === undefined
    ? [{ at: 'the first row', got: `${count} columns`, want: 'a header, or 2, 5, 6 or more columns' }]
    : columnsOfHeader(header.split(','))
}

/** The separator of CSV: the first one that its first row has. */
export const separatorOf = (line: string): string => /^[^,;\t]*([,;\t])/.exec(line)?.[1] ?? ','

/** The fields of a line of CSV, without blanks around them; undefined if a quote is not closed. */
export function splitLine(line: string, separator: string): string[] | undefined {
  if (!line.includes('"')) return line.split(separator).map(field => field.trim())
  const fields: string[] = []
  // A separator at the end is followed by an empty field.
  for (let at = 0; at <= line.length; ) {
    const isQuoted = line[at] === '"'
    const close = isQuoted ? line.indexOf('"', at + 1) : at
    if (close < 0) return undefined
    const next = line.indexOf(separator, close)
    const end = next < 0 ? line.length : next
    fields.push(isQuoted ? line.slice(at + 1, close) : line.slice(at, end).trim())
    at = end + 1
  }
  return fields
}

/** How far a list or an object of JSON was searched for its end. */
interface JsonScan {
  at: number
  depth: number
  isInText: boolean
}

/** The end of a list or an object of JSON; undefined if the text ends before, and the scan goes on with a longer one. */
function endOfJson(text: string, scan: JsonScan): number | undefined {
  while (scan.at < text.length) {
    const char = text[scan.at++]
    if (scan.isInText) {
      if (char === '\\') scan.at++
      else scan.isInText = char !== '"'
    } else if (char === '"') scan.isInText = true
    else if (char === '[' || char === '{') scan.depth++
    else if ((char === ']' || char === '}') && --scan.depth === 0) return scan.at
  }
  return undefined
}

/**
 * Reads a decimal, also with an exponent, as a whole number of units of 10^−`places`, rounded half up where it has more places. No
 * intermediate value is rounded. NaN for anything else, also for more than 2^53 − 1 units.
 */
export function parseUnits(text: string, places: number): number {
  const end = text.indexOf('.') + 1
  // Faster, and as exact: below 10^15 units, the two roundings of a double are less than half a unit.
  if ((end < 1 || text.length - end <= places) && /^\d+\.?\d*$/.test(text)) {
    const units = Math.round(Number(text) * POWERS_OF_TEN[places]!)
    if (units < 1e15) return units
  }
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
  'a time from 1970 to 2105: seconds, milliseconds or microseconds since the epoch, or ISO 8601 with Z or an offset up to 14 hours'

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
  const [, date, clock = '00:00', second = '00', fraction = '0', sign = '+', hours = '0', minutes = '0'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(\.\d{1,9})?)?(?:Z| ?UTC|([+-])(0\d|1[0-4]):?([0-5]\d)))?$/.exec(
      text,
    ) ?? []
  const local = `${date}T${clock}:${second}`
  const ms = Date.parse(`${local}Z`)
  // Some engines turn 30 February into 2 March: compare with the input.
  if (Number.isNaN(ms) || toInstant(ms) !== `${local}Z`) return undefined
  const at = ms / 1000 - Number(sign + hours) * 3600 - Number(sign + minutes) * 60 + Number(fraction)
  return at >= EARLIEST && at < LATEST + 1 ? { second: at, unit: 'ISO 8601' } : undefined
}

type Refuse = (problem: Problem) => void

/** Reads a text in parts of any length, and passes on its rows. */
export interface TextReader {
  take(part: string): void
  /** Passes on the last row, or refuses a text that ends too early. */
  end(): void
}

/** Maximum number of rows of one series file. */
export const MAX_ROWS = 2_000_000
const MAX_ROW_CHARACTERS = 10_000

/** Creates a reader of lines, such as those of CSV. */
export function createLineReader(
  takeLine: (line: string, at: string) => void,
  refuse: Refuse,
  stopWith: Refuse,
): TextReader {
  let rest = ''
  let number = 1
  return {
    take(part) {
      rest += part
      let from = 0
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', from)) {
        takeLine(rest.slice(from, end), `line ${number++}`)
        from = end + 1
      }
      rest = rest.slice(from)
      if (rest.length > MAX_ROW_CHARACTERS) {
        stopWith({ at: `line ${number}`, got: `${rest.length} characters`, want: 'rows of CSV or JSON' })
        rest = ''
      }
    },
    end() {
      const at = `line ${number}`
      if (/\.\s*$/.test(rest)) refuse({ at, got: rest, want: 'a whole row: the text ends within a number' })
      else takeLine(rest, at)
    },
  }
}

/** Creates a reader of JSON: a list of rows, or one row after the other. It passes on the text of each. */
export function createJsonReader(takeSource: (source: string) => void, stopWith: Refuse): TextReader {
  let rest = ''
  const breakOff = (got: string, want: string) => stopWith({ at: 'the JSON', got, want })
  /** The row that the text so far begins. Each part is read once, however small the parts are. */
  let open: JsonScan | undefined
  /** Whether the rows are the items of a list, and whether that has ended. */
  let list: 'open' | 'ended' | 'none' | undefined
  return {
    take(part) {
      rest += part
      if (list === undefined) {
        const [, bracket, next] = /^[\s\uFEFF]*([[{])\s*(\S)/.exec(rest) ?? []
        if (next === undefined) return void (rest = rest.trim())
        list = bracket === '[' && /[[{\]]/.test(next) ? 'open' : 'none'
        if (list === 'open') rest = rest.slice(rest.indexOf('[') + 1)
      }
      let from = 0
      for (; from < rest.length; from++) {
        const char = rest[from]!
        if (char === ',' || char <= ' ' || char === '\uFEFF') continue
        if (char === ']' || char === '}') {
          if (list !== 'open') return breakOff('a bracket too much', 'valid JSON')
          list = 'ended'
          continue
        }
        if (char !== '[' && char !== '{')
          return breakOff(rest.slice(from, from + 40), 'a list of rows, or one row a line')
        if (list === 'ended') return breakOff('more after the list', 'one list of rows')
        open ??= { at: from, depth: 0, isInText: false }
        const end = endOfJson(rest, open)
        if (end === undefined) break
        open = undefined
        takeSource(rest.slice(from, end))
        from = end - 1
      }
      rest = rest.slice(from)
      if (open !== undefined) open.at -= from
      if (rest.length > MAX_ROW_CHARACTERS) breakOff(`a row of ${rest.length} characters`, 'rows of ticks or candles')
    },
    end() {
      if (list === 'open' || (list === 'none' && rest !== ''))
        breakOff('the end of the text', 'the end of the last row')
    },
  }
}
