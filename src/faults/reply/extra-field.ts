// reply/extra-field: there is a field that nobody has announced.
import * as z from 'zod/mini'
import { text } from '../../settings/schema.js'
import { defineReplyFault } from '../fault.js'
import { option } from '../options.js'
import { rewriteValue } from '../rewrite.js'

/**
 * An unknown field stands at the top of the reply and in every object inside it.
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
  apply: (content, { options: { field, value } }) => rewriteValue(content, whole => withField(whole, field, value)),
})

function withField(value: unknown, field: string, extra: unknown): unknown {
  if (Array.isArray(value)) return value.map(one => withField(one, field, extra))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([key, inner]) => [key, withField(inner, field, extra)] as const)
  return Object.fromEntries([...entries, [field, extra]])
}
