// series/late-revision: a closed candle changes after all.
import * as z from 'zod/mini'
import { number } from '../../settings/schema.js'
import { defineSeriesFault } from '../fault.js'
import { duration, option } from '../options.js'

/**
 * A while after a candle has closed, its close is another one, and high or low with it.
 *
 * Some time after it has closed, a candle gets another close, and a high or low to go with it.
 * @catches A cache that takes closed candles for final.
 */
export const lateRevision = defineSeriesFault({
  name: 'series/late-revision',
  options: z.strictObject({
    /** How long after its end a candle is revised. */
    after: option(duration, '30s'),
    /** The part of the close by which it changes. */
    by: option(number(-0.9, 10), 0.01),
  }),
  rows: (rows, { options: { after, by }, width, now }) =>
    rows.map(row => {
      const { time, close, high, low } = row
      if (close === null || now < time / 1000 + width + after) return row
      // Twelve digits: what a price has, without the dust of the multiplication.
      const revised = Number((close * (1 + by)).toPrecision(12))
      if (revised === close) return row
      return {
        ...row,
        close: revised,
        high: Math.max(high ?? revised, revised),
        low: Math.min(low ?? revised, revised),
      }
    }),
})
