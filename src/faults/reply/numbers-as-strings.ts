// reply/numbers-as-strings: numbers are strings.

import * as z from 'zod/mini'
import { mapValues, rewriteField } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { fieldName, only } from '../options.js'

const quoted = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'bigint' ? String(value) : value

/**
 * Every number is a string of its digits, or those of one field.
 * @catches `ts + 60` that becomes "175335410560".
 */
export const numbersAsStrings = defineReplyFault({
  name: 'reply/numbers-as-strings',
  options: z.strictObject({
    /** The only field; by default all. */
    field: z.optional(fieldName),
    /** The objects with the field, or with a number, that change. */
    only,
  }),
  apply: (content, { options: { field, only } }) =>
    rewriteField(content, { field, only }, object =>
      mapValues(object, (value, key) => (field === undefined || key === field ? quoted(value) : value)),
    ),
})
