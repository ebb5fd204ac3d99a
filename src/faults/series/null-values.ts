// series/null-values: candles lack values, or have 0 for them.
import * as z from 'zod/mini'
import { defineCandleFault } from '../fault.js'
import { every, isPicked, option } from '../options.js'

const field = z.enum(['open', 'high', 'low', 'close', 'avg', 'volume'])

/**
 * Some candles have `null` in place of numbers.
 * @catches A chart that throws "value is null" and stays empty; with 0, a division by the open.
 */
export const nullValues = defineCandleFault({
  name: 'series/null-values',
  options: z.strictObject({
    every,
    /** The fields. */
    fields: option(
      z
        .array(field)
        .check(z.minLength(1, { error: 'at least one field' }), z.maxLength(6, { error: 'at most 6 fields' })),
      ['close'],
    ),
    /** Their value: `null` or 0. */
    value: option(z.literal([null, 0], { error: 'null or 0' }), null),
  }),
  rows: (rows, context) => {
    const { fields, value } = context.options
    const values = Object.fromEntries(fields.map(name => [name, value]))
    return rows.map(row => (isPicked(row, context, 'series/null-values') ? { ...row, ...values } : row))
  },
})
