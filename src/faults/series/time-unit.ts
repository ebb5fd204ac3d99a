// series/time-unit: the time of candles is in another unit.
import * as z from 'zod/mini'
import { defineCandleFault } from '../fault.js'
import { every, isPicked, oneOf } from '../options.js'

const PER_MS = { seconds: 0.001, microseconds: 1000 } as const

/**
 * Some candles have their time in another unit than milliseconds.
 * @catches A chart that goes back to 1970, and a sort by time that takes the newest candle for the oldest.
 */
export const timeUnit = defineCandleFault({
  name: 'series/time-unit',
  options: z.strictObject({
    every,
    /** The unit. */
    unit: oneOf('seconds', 'microseconds'),
  }),
  rows: (rows, context) =>
    rows.map(row =>
      row.time !== 0 && isPicked(row, context, 'series/time-unit')
        ? { ...row, time: Math.round(row.time * PER_MS[context.options.unit]) }
        : row,
    ),
})
