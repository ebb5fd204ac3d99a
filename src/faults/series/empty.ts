// series/empty: there are no candles.
import { defineSeriesFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The result is empty, with status 200.
 *
 * 200 with an empty result.
 * @catches A consumer that reads the last candle of none.
 */
export const empty = defineSeriesFault({
  name: 'series/empty',
  options: NO_OPTIONS,
  rows: rows => (rows.length === 0 ? rows : []),
})
