// reply/numbers-as-strings: numbers are strings.

import * as z from 'zod/mini'
import { mapValues, rewriteField, rewriteObjects } from '../content.js'
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
    /** The objects: `"every"` with the field, or the `"first"`. */
    only,
  }),
  apply: (content, { options: { field, only } }) =>
    field === undefined
      ? rewriteObjects(content, object => mapValues(object, quoted))
      : rewriteField(content, { field, only }, object => {
          const value = quoted(object[field])
          return value === object[field] ? object : { ...object, [field]: value }
        }),
})
