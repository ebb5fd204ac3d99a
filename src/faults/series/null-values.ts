// series/null-values: candles lack values.
import * as z from 'zod/mini'
import { defineCandleFault } from '../fault.js'
import { every, isPicked, option } from '../options.js'

const field = z.enum(['open', 'high', 'low', 'close', 'avg', 'volume'])

/**
 * Some candles have `null` in place of numbers.
 * @catches A chart that throws "value is null" and stays empty.
 */
export const nullValues = defineCandleFault({
  name: 'series/null-values',
  options: z.strictObject({
    every,
    /** The fields that are null. */
    fields: option(
      z
        .array(field)
        .check(z.minLength(1, { error: 'at least one field' }), z.maxLength(6, { error: 'at most 6 fields' })),
      ['close'],
    ),
  }),
  rows: (rows, context) => {
    const nulls = Object.fromEntries(context.options.fields.map(name => [name, null]))
    return rows.map(row => (isPicked(row, context, 'series/null-values') ? { ...row, ...nulls } : row))
  },
})
