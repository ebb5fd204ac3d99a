// reply/empty-body: the status is right, and nothing follows.
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/** A body of no bytes. */
export const emptyBody = defineReplyFault({
  name: 'reply/empty-body',
  summary: 'The body is empty; status and media type are as they were.',
  catches: '"Unexpected end of JSON input" where a message should be.',
  options: NO_OPTIONS,
  apply: content => ({ ...content, body: { text: '' } }),
})
