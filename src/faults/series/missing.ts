// series/missing: candles are missing.
import * as z from 'zod/mini'
import { every, isChosen } from '../every.js'
import { defineSeriesFault } from '../fault.js'

/** Left out, without a trace. */
export const missing = defineSeriesFault({
  name: 'series/missing',
  summary: 'Some candles are left out.',
  catches: 'A chart that counts candles where it should look at their time.',
  options: z.strictObject({ every }),
  rows: (rows, context) => rows.filter(row => !isChosen(row, context)),
})
