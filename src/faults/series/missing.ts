// series/missing: candles are missing.
import * as z from 'zod/mini'
import { defineCandleFault } from '../fault.js'
import { every, isPicked } from '../options.js'

/**
 * Some candles are left out.
 * @catches A chart that counts candles instead of reading their times.
 */
export const missing = defineCandleFault({
  name: 'series/missing',
  options: z.strictObject({ every }),
  rows: (rows, context) => rows.filter(row => !isPicked(row, context, 'series/missing')),
})
