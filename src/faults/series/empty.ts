// series/empty: there are no candles.
import { defineCandleFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The result is empty, with status 200.
 * @catches A consumer that reads the last candle of an empty list, or takes that for a good chart.
 */
export const empty = defineCandleFault({
  name: 'series/empty',
  options: NO_OPTIONS,
  rows: rows => (rows.length === 0 ? rows : []),
})
