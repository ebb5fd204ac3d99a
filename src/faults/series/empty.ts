// series/empty: there are no candles.
import { defineSeriesFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/** 200 with an empty result. */
export const empty = defineSeriesFault({
  name: 'series/empty',
  summary: 'The result is empty, with status 200.',
  catches: 'A consumer that reads the last candle of none.',
  options: NO_OPTIONS,
  rows: () => [],
})
