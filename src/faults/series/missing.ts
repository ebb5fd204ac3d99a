// series/missing: candles are missing.
import * as z from 'zod/mini'
import { every, isChosen } from '../every.js'
import { defineSeriesFault } from '../fault.js'

/**
 * Some candles are left out.
 *
 * Left out, without a trace.
 * @catches A chart that counts candles where it should look at their time.
 */
export const missing = defineSeriesFault({
  name: 'series/missing',
  options: z.strictObject({ every }),
  rows: (rows, context) => rows.filter(row => !isChosen(row, context, 0)),
})
