// series/missing: candles are missing.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineCandleFault } from '../fault.js'
import { every, isPicked, option } from '../options.js'

/**
 * Some candles are left out.
 * @catches A chart that counts candles instead of reading their times.
 */
export const missing = defineCandleFault({
  name: 'series/missing',
  options: z.strictObject({
    every,
    /** The number of candles in a row. */
    length: option(integer(1, 1000), 1),
  }),
  rows: (rows, context) => rows.filter(row => !isPicked(row, context, 'series/missing')),
})
