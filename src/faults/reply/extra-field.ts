// reply/extra-field: there is a field that nobody has announced.
import * as z from 'zod/mini'
import { text } from '../../settings/schema.js'
import { defineReplyFault } from '../fault.js'
import { option } from '../options.js'
import { rewriteObjects } from '../rewrite.js'

/**
 * An unknown field stands at the top of the reply and in every object inside it, unless there is one of its name.
 *
 * At the top of the reply and beside every price or candle in it.
 * @catches A schema so strict that an addition to the service is an outage.
 */
export const extraField = defineReplyFault({
  name: 'reply/extra-field',
  options: z.strictObject({
    /** The name of the field. */
    field: option(text(/^[A-Za-z]\w{0,63}$/, 'the name of a field'), 'confidence'),
    /** Its value: a string, a number, true, false or null. */
    value: option(
      z.union([z.string().check(z.maxLength(1000)), z.number(), z.boolean(), z.null()], {
        error: 'a string of at most 1000 characters, a number, true, false or null',
      }),
      0.95,
    ),
  }),
  apply: (content, { options: { field, value } }) =>
    // Where it stands already it is no unknown field.
    rewriteObjects(content, object => (Object.hasOwn(object, field) ? object : { ...object, [field]: value })),
})
