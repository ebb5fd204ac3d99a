// series/time-skew: candles begin at another time.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineCandleFault } from '../fault.js'
import { isAtPlace, option } from '../options.js'

/**
 * Some candles begin early or late.
 * @catches A chart with a bar between two others, or in the future.
 */
export const timeSkew = defineCandleFault({
  name: 'series/time-skew',
  options: z.strictObject({
    /** Affects every Nth candle, chosen by timestamp. */
    every: option(integer(1, 1000), 8),
    /** The shift of `time`; positive values lie in the future. */
    seconds: option(integer(-315_360_000, 315_360_000), 30),
  }),
  rows(rows, context) {
    const { seconds } = context.options
    if (seconds === 0) return rows
    return rows.map(row =>
      isAtPlace(row, context, -1) ? { ...row, time: Math.max(0, row.time + seconds * 1000) } : row,
    )
  },
})
