// reply/malformed-json: the body is no JSON.

import { textOf } from '../body-text.js'
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The body breaks off in the middle of its JSON, with a content-length that fits.
 *
 * It breaks off, and the length says that this is all: the transport is sound, the sender is not.
 * @catches A `JSON.parse` outside of any `try`.
 */
export const malformedJson = defineReplyFault({
  name: 'reply/malformed-json',
  options: NO_OPTIONS,
  apply(content) {
    const text = textOf(content)
    return text === '' ? content : { ...content, body: { text: text.slice(0, Math.ceil(text.length * 0.6)) } }
  },
})
