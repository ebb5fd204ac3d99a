// reply/malformed-json: the body is no JSON.

import { textOf } from '../body-text.js'
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/** It breaks off, and the length says that this is all: the transport is sound, the sender is not. */
export const malformedJson = defineReplyFault({
  name: 'reply/malformed-json',
  summary: 'The body breaks off in the middle of its JSON, with a content-length that fits.',
  catches: 'A `JSON.parse` outside of any `try`.',
  options: NO_OPTIONS,
  apply(content) {
    const text = textOf(content)
    return { ...content, body: { text: text.slice(0, Math.ceil(text.length * 0.6)) } }
  },
})
