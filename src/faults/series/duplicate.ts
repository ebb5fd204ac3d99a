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
  // A row that stands twice already stays so: many of these faults would make more rows than there is room for.
  rows: (rows, context) =>
    rows.flatMap((row, i) => {
      const standsAlone = rows[i - 1] !== row && rows[i + 1] !== row
      return standsAlone && isChosen(row, context, 1) ? [row, row] : [row]
    }),
})
