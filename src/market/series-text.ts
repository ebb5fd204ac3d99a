// The text of a series, taken apart: lines of CSV into fields, JSON into rows; and the columns that the fields belong to.
import type { Problem } from '../errors.js'

/** Maximum number of characters of a row. */
export const MAX_ROW_CHARACTERS = 10_000

/** The meaning of a column. */
export type Column = 'time' | 'price' | 'open' | 'high' | 'low' | 'close' | 'volume' | 'feed'

/** The index of each column in a row. */
export type Columns = Readonly<Partial<Record<Column, number>>> & { readonly time: number }

/** Other names of columns, without case, spaces and underscores. */
const NAMES: Readonly<Record<string, Column>> = {
  time: 'time',
  ts: 'time',
  t: 'time',
  timestamp: 'time',
  unix: 'time',
  date: 'time',
  datetime: 'time',
  opentime: 'time',
  price: 'price',
  p: 'price',
  value: 'price',
  open: 'open',
  o: 'open',
  high: 'high',
  h: 'high',
  low: 'low',
  l: 'low',
  close: 'close',
  c: 'close',
  volume: 'volume',
  v: 'volume',
  vol: 'volume',
  feed: 'feed',
  feedid: 'feed',
}

/** The columns by number, for rows without a header; more than six are those of candles too. */
const BY_COUNT: Readonly<Record<number, readonly Column[]>> = {
  2: ['time', 'price'],
  5: ['time', 'open', 'high', 'low', 'close'],
  6: ['time', 'open', 'high', 'low', 'close', 'volume'],
}

const PRICES = ['open', 'high', 'low', 'close'] as const
const WANT = 'the columns time and price, or time, open, high, low and close, each once'

/** The columns of names in a header. */
export function columnsOfHeader(names: readonly string[]): Columns | Problem[] {
  const found: Partial<Record<Column, number>> = {}
  const problems: Problem[] = []
  for (const [index, name] of names.entries()) {
    const column = NAMES[name.toLowerCase().replace(/[\s_]/g, '')]
    if (column === undefined) continue
    if (found[column] === undefined) found[column] = index
    else problems.push({ at: 'the header', got: name, want: `one column for the ${column}, not two` })
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
  const columns = BY_COUNT[Math.min(6, count)]
  if (columns === undefined)
    return [{ at: 'the first row', got: `${count} columns`, want: 'a header, or 2, 5 or 6 columns' }]
  return Object.fromEntries(columns.map((column, index) => [column, index])) as unknown as Columns
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

/** Splits a text of JSON into its rows: the items of a list, or one value a line. */
export function createJsonSplitter(take: (source: string) => void): { push(text: string): void; end(): Problem[] } {
  let rest = ''
  let scanned = 0
  let start = -1
  let depth = 0
  let isString = false
  /** 1 for the items of a list, 0 for rows without one around them. */
  let outer: number | undefined
  let isEnded = false
  let problem: Problem | undefined
  const refuse = (got: string, want: string): void => {
    problem ??= { at: 'the JSON', got, want }
  }
  return {
    push(text) {
      if (problem !== undefined) return
      rest += text
      if (outer === undefined) {
        const opening = /^[\s\uFEFF]*([[{])\s*([^\s])/.exec(rest)
        if (opening === null) return
        outer = opening[1] === '[' && /[[{\]]/.test(opening[2]!) ? 1 : 0
      }
      let i = scanned
      for (; i < rest.length; i++) {
        const code = rest.charCodeAt(i)
        if (isString) {
          if (code === 92) i++
          else if (code === 34) isString = false
        } else if (code === 34) {
          if (depth <= outer) refuse('a string', 'rows only')
          isString = true
        } else if (code === 91 || code === 123) {
          if (isEnded) refuse('more after the list', 'one list of rows')
          if (depth++ === outer) start = i
        } else if (code === 93 || code === 125) {
          depth--
          if (depth === outer) {
            take(rest.slice(start, i + 1))
            start = -1
          } else if (depth < 0) return refuse('a bracket too much', 'valid JSON')
          if (depth === 0 && outer === 1) isEnded = true
        } else if (depth <= outer && !(code === 44 || code <= 32 || code === 0xfeff)) {
          return refuse(rest.slice(i, i + 40), 'a list of rows, or one row a line')
        }
      }
      // An escape at the end of a part skips the first character of the next one.
      const kept = start < 0 ? rest.length : start
      scanned = i - kept
      if (start >= 0) start = 0
      rest = rest.slice(kept)
      if (rest.length > MAX_ROW_CHARACTERS) refuse(`a row of ${rest.length} characters`, 'rows of ticks or candles')
    },
    end() {
      if (problem === undefined && (depth > 0 || isString)) refuse('the end of the text', 'the end of the last row')
      return problem === undefined ? [] : [problem]
    },
  }
}
