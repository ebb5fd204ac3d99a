// reply/missing-field: a field is missing, null, or an empty object.
import * as z from 'zod/mini'
import { rewriteField } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { fieldName, oneOf, only, option } from '../options.js'

/**
 * A field is missing, in every object that has it or in the first, or is `null` or `{}`, or an entry of its list is null.
 * @catches An `undefined` that becomes NaN three functions later; a `null` that becomes 0.
 */
export const missingField = defineReplyFault({
  name: 'reply/missing-field',
  options: z.strictObject({
    /** The name of the field. */
    field: option(fieldName, 'price'),
    /** The replacement; `null-entry` is null in place of the first entry of a list, and `object` is `{}`, as some languages write an empty list. */
    as: oneOf('nothing', 'null', 'null-entry', 'object'),
    /** The objects with the field that change. */
    only,
  }),
  apply: (content, { options: { field, as, only } }) =>
    rewriteField(content, { field, only }, object => {
      const value = object[field]
      if (as === 'null' || as === 'object') return { ...object, [field]: as === 'null' ? null : {} }
      if (as === 'null-entry')
        return Array.isArray(value) && value.length > 0 ? { ...object, [field]: value.with(0, null) } : object
      const { [field]: _, ...rest } = object
      return rest
    }),
})
