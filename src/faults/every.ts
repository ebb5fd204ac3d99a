// Which candles of a series a fault is for: by their time, so that every poll agrees.
import { integer } from '../settings/schema.js'
import type { Row, SeriesContext } from './fault.js'
import { option } from './options.js'

/** One candle in so many, by their time: every poll meets the same. */
export const every = option(integer(1, 1000), 5)

/** Whether a candle is one in `every`. */
export function isChosen({ time }: Row, { options, width }: SeriesContext<{ readonly every: number }>): boolean {
  return Math.floor(time / 1000 / width) % options.every === 0
}
