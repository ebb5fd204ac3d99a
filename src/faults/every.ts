// The choice of candles for faults that change one in N: by timestamp, so that every poll agrees.
import { integer } from '../settings/schema.js'
import type { Row, SeriesContext } from './fault.js'
import { option } from './options.js'

/**
 * The faults that change one candle in N. The position of a fault is the remainder that it picks, so that faults with the default
 * option pick different candles; a new one is added at the end.
 */
export const EVERY_NTH_FAULTS = [
  'series/missing',
  'series/duplicate',
  'series/out-of-order',
  'series/null-values',
  'series/negative-volume',
] as const

/** Affects every Nth candle, chosen by timestamp; from 5 on, each of these faults picks different candles. */
export const every = option(integer(1, 1000), EVERY_NTH_FAULTS.length)

/** Whether a fault picks a candle. */
export function isPicked(
  { time }: Row,
  { options: { every }, width }: SeriesContext<{ readonly every: number }>,
  fault: (typeof EVERY_NTH_FAULTS)[number],
): boolean {
  return Math.floor(time / 1000 / width) % every === EVERY_NTH_FAULTS.indexOf(fault) % every
}
