// reply/empty-body: the status is right, the body is empty.
import * as z from 'zod/mini'
import { textOf } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { oneOf } from '../options.js'

/**
 * The body is empty, or JSON without content; status and media type stay as they were.
 * @catches "Unexpected end of JSON input" in place of a useful message; with `body`, a property that is read of null.
 */
export const emptyBody = defineReplyFault({
  name: 'reply/empty-body',
  options: z.strictObject({
    /** The body: no byte, or this JSON. */
    body: oneOf('', 'null', '{}', '[]'),
  }),
  apply: (content, { options: { body } }) => (textOf(content) ? { ...content, body: { text: body } } : content),
})
