// series/high-below-low: candles are upside down.
import * as z from 'zod/mini'
import { defineCandleFault } from '../fault.js'
import { every, isPicked } from '../options.js'

/**
 * Some candles have their high and their low in each other's place. A candle of a single price stays as it is.
 * @catches A range below zero: its root is NaN, its bar has no height, and a position sized by it has the wrong sign.
 */
export const highBelowLow = defineCandleFault({
  name: 'series/high-below-low',
  options: z.strictObject({ every }),
  rows: (rows, context) =>
    rows.map(row =>
      row.high !== row.low && isPicked(row, context, 'series/high-below-low')
        ? { ...row, high: row.low, low: row.high }
        : row,
    ),
})
