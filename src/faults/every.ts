// Which candles of a series a fault is for: by their time, so that every poll agrees.
import { integer } from '../settings/schema.js'
import type { Row, SeriesContext } from './fault.js'
import { option } from './options.js'

/** One candle in so many, by their time: every poll meets the same, and each of several faults others (from 5 on). */
export const every = option(integer(1, 1000), 5)

/**
 * Whether a candle is one in `every`.
 * @param place which of so many: another for each fault, or several with their defaults would change the same candles
 */
export function isChosen(
  { time }: Row,
  { options: { every }, width }: SeriesContext<{ readonly every: number }>,
  place: number,
): boolean {
  return Math.floor(time / 1000 / width) % every === place % every
}
