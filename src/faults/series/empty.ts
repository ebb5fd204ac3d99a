// series/empty: there are no candles.
import { defineSeriesFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The result is empty, with status 200.
 * @catches A consumer that reads the last candle of an empty list.
 */
export const empty = defineSeriesFault({
  name: 'series/empty',
  options: NO_OPTIONS,
  rows: rows => (rows.length === 0 ? rows : []),
})
