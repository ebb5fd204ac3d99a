// series/duplicate: candles appear twice.
import * as z from 'zod/mini'
import { defineCandleFault } from '../fault.js'
import { every, isPicked } from '../options.js'

/**
 * Some candles appear twice in a row.
 * @catches A chart library that throws unless times ascend, or a sum that counts one twice.
 */
export const duplicate = defineCandleFault({
  name: 'series/duplicate',
  options: z.strictObject({ every }),
  // A row that is doubled already stays so: several of these faults would otherwise multiply the rows without bound.
  rows: (rows, context) =>
    rows.flatMap((row, i) => {
      const isSingle = rows[i - 1] !== row && rows[i + 1] !== row
      return isSingle && isPicked(row, context, 'series/duplicate') ? [row, row] : [row]
    }),
})
