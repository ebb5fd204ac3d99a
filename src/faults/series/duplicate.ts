// series/duplicate: candles come twice.
import * as z from 'zod/mini'
import { every, isChosen } from '../every.js'
import { defineSeriesFault } from '../fault.js'

/**
 * Some candles come twice.
 *
 * One after the other, alike.
 * @catches A chart library that wants its times strictly ascending, and throws.
 */
export const duplicate = defineSeriesFault({
  name: 'series/duplicate',
  options: z.strictObject({ every }),
  rows: (rows, context) => rows.flatMap(row => (isChosen(row, context) ? [row, row] : [row])),
})
