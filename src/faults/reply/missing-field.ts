// reply/missing-field: a field is missing, or null.
import * as z from 'zod/mini'
import { text } from '../../settings/schema.js'
import { rewriteObjects } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { option } from '../options.js'

/**
 * A field is missing, in every object that has it, or is `null`.
 * @catches An `undefined` that becomes NaN three functions later; a `null` that becomes 0.
 */
export const missingField = defineReplyFault({
  name: 'reply/missing-field',
  options: z.strictObject({
    /** The name of the field. */
    field: option(
      text(/^[A-Za-z]\w{0,63}$/, 'the name of a field, such as "price", at most 64 letters, digits and _'),
      'price',
    ),
    /** The replacement: `"nothing"`, or `"null"`. */
    as: option(z.enum(['nothing', 'null'], { error: '"nothing" or "null"' }), 'nothing'),
  }),
  apply: (content, { options: { field, as } }) =>
    rewriteObjects(content, object => {
      if (!Object.hasOwn(object, field)) return object
      if (as === 'null') return { ...object, [field]: null }
      const { [field]: _, ...rest } = object
      return rest
    }),
})
