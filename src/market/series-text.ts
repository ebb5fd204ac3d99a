// The text of a series, taken apart: lines of CSV into fields, JSON into rows; and the columns that the fields belong to.
import type { Problem } from '../errors.js'

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
  const header = HEADERS[Math.min(6, count)]
  return header === undefined
    ? [{ at: 'the first row', got: `${count} columns`, want: 'a header, or 2, 5 or 6 columns' }]
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

/** The end of the list or object of JSON at `start`; undefined if the text ends before. */
export function endOfJson(text: string, start: number): number | undefined {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (char === '"') for (i++; i < text.length && text[i] !== '"'; i++) i += text[i] === '\\' ? 1 : 0
    else if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && --depth === 0) return i + 1
  }
  return undefined
}
