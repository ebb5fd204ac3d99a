// reply/missing-field: a field is missing.
import * as z from 'zod/mini'
import { text } from '../../settings/schema.js'
import { rewriteObjects } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { option } from '../options.js'

/**
 * A field is missing, in every object that has it.
 * @catches An `undefined` that becomes NaN three functions later.
 */
export const missingField = defineReplyFault({
  name: 'reply/missing-field',
  options: z.strictObject({
    /** The name of the field. */
    field: option(
      text(/^[A-Za-z]\w{0,63}$/, 'the name of a field, such as "price", at most 64 letters, digits and _'),
      'price',
    ),
  }),
  apply: (content, { options: { field } }) =>
    rewriteObjects(content, object => {
      const { [field]: _, ...rest } = object
      return Object.hasOwn(object, field) ? rest : object
    }),
})
