// series/time-skew: candles begin at another time.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineCandleFault } from '../fault.js'
import { option, startOf } from '../options.js'

/**
 * Some candles begin some seconds early or late, in their place among the others.
 * @catches A chart with a bar between two others or in the future, and a gap that is filled from years ago.
 */
export const timeSkew = defineCandleFault({
  name: 'series/time-skew',
  options: z.strictObject({
    /** Affects every Nth candle, chosen by timestamp; by default others than the candle faults beside it. */
    every: option(integer(1, 1000), 8),
    /** The shift of their time; positive values lie in the future. */
    seconds: option(integer(-315_360_000, 315_360_000), 30),
  }),
  rows: (rows, { options: { every, seconds }, width, now }) =>
    seconds === 0
      ? rows
      : rows.map(row =>
          Math.floor(startOf(row, now) / width) % every === every - 1
            ? { ...row, time: Math.max(0, row.time + seconds * 1000) }
            : row,
        ),
})
