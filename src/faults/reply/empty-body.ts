// reply/empty-body: the status is right, and nothing follows.
import { textOf } from '../body-text.js'
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The body is empty; status and media type are as they were.
 *
 * A body of no bytes.
 * @catches "Unexpected end of JSON input" where a message should be.
 */
export const emptyBody = defineReplyFault({
  name: 'reply/empty-body',
  options: NO_OPTIONS,
  apply: content => (textOf(content) === '' ? content : { ...content, body: { text: '' } }),
})
