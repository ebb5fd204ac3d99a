// reply/missing-field: a field is missing, or null.
import * as z from 'zod/mini'
import { rewriteField } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { fieldName, oneOf, only, option } from '../options.js'

/**
 * A field is missing, in every object that has it or in the first, or is `null`, or an entry of its list is.
 * @catches An `undefined` that becomes NaN three functions later; a `null` that becomes 0.
 */
export const missingField = defineReplyFault({
  name: 'reply/missing-field',
  options: z.strictObject({
    /** The name of the field. */
    field: option(fieldName, 'price'),
    /** The replacement; `null-entry` is null in place of the first entry of a list. */
    as: oneOf('nothing', 'null', 'null-entry'),
    /** The objects with the field that change. */
    only,
  }),
  apply: (content, { options: { field, as, only } }) =>
    rewriteField(content, { field, only }, object => {
      const value = object[field]
      if (as === 'null') return { ...object, [field]: null }
      if (as === 'null-entry')
        return Array.isArray(value) && value.length > 0 ? { ...object, [field]: value.with(0, null) } : object
      const { [field]: _, ...rest } = object
      return rest
    }),
})
