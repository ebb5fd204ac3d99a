// series/null-values: candles lack values, or have 0 for them.
import * as z from 'zod/mini'
import { listOf } from '../../settings/schema.js'
import { defineCandleFault } from '../fault.js'
import { every, isPicked, oneOf, option } from '../options.js'

const field = z.enum(['open', 'high', 'low', 'close', 'avg', 'volume'])

/**
 * Some candles have `null` in place of numbers.
 * @catches A chart that throws "value is null" and stays empty; with zero, a division by the open.
 */
export const nullValues = defineCandleFault({
  name: 'series/null-values',
  options: z.strictObject({
    every,
    /** The fields. */
    fields: option(listOf(field, 'field', 6), ['close']),
    /** Their value. */
    as: oneOf('null', 'zero'),
  }),
  rows: (rows, context) => {
    const { fields, as } = context.options
    const values = Object.fromEntries(fields.map(name => [name, as === 'zero' ? 0 : null]))
    return rows.map(row => (isPicked(row, context, 'series/null-values') ? { ...row, ...values } : row))
  },
})
