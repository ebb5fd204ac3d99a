// reply/extra-field: objects have an unknown field.
import * as z from 'zod/mini'
import { rewriteObjects } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { fieldName, option } from '../options.js'

const WANT_VALUE = 'a string of at most 1000 characters, a number, true, false or null'

/**
 * The reply and every object in it have an extra field, except those that already have one of that name.
 * @catches A schema so strict that an addition to the service is an outage.
 */
export const extraField = defineReplyFault({
  name: 'reply/extra-field',
  options: z.strictObject({
    /** The name of the field. */
    field: option(fieldName, 'confidence'),
    /** The value: a string, a number, true, false or null. */
    value: option(
      z.union([z.string().check(z.maxLength(1000, { error: WANT_VALUE })), z.number(), z.boolean(), z.null()], {
        error: WANT_VALUE,
      }),
      0.95,
    ),
  }),
  apply: (content, { options: { field, value } }) =>
    rewriteObjects(content, object => (Object.hasOwn(object, field) ? object : { ...object, [field]: value })),
})
