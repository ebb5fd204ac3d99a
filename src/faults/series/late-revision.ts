// series/late-revision: a closed candle changes.
import * as z from 'zod/mini'
import { number } from '../../settings/schema.js'
import { defineCandleFault } from '../fault.js'
import { duration, option, startOf } from '../options.js'

/**
 * Some time after a candle has closed, its close changes, and high or low with it.
 * @catches A cache that treats closed candles as final.
 */
export const lateRevision = defineCandleFault({
  name: 'series/late-revision',
  options: z.strictObject({
    /** The time from the end of a candle to its revision. */
    after: option(duration, '30s'),
    /** The change, as a part of the close. */
    by: option(number(-0.9, 10), 0.01),
  }),
  rows: (rows, { options: { after, by }, width, now }) =>
    rows.map(row => {
      const { close, high, low } = row
      if (close === null || now < startOf(row, now) + width + after) return row
      // Twelve digits keep the price exact and drop the rounding error of the multiplication.
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
