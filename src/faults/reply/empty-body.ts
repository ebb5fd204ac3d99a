// reply/empty-body: the status is right, the body is empty.
import { textOf } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The body is empty; status and media type stay as they were.
 * @catches "Unexpected end of JSON input" in place of a useful message.
 */
export const emptyBody = defineReplyFault({
  name: 'reply/empty-body',
  options: NO_OPTIONS,
  apply: content => (textOf(content) === '' ? content : { ...content, body: { text: '' } }),
})
