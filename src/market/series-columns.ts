// The columns of a series: found by the names of a header, in any order, or by their number without one.
import type { Problem } from '../errors.js'

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
