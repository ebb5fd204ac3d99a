// reply/malformed-json: the body is not valid JSON.
import { textOf } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The body ends in the middle of its JSON; the content-length matches the shortened body.
 * @catches A `JSON.parse` outside of any `try`, or one refused reply that stops more than itself, or does so for good.
 */
export const malformedJson = defineReplyFault({
  name: 'reply/malformed-json',
  options: NO_OPTIONS,
  apply(content) {
    const text = textOf(content)
    return text === '' ? content : { ...content, body: { text: text.slice(0, Math.ceil(text.length * 0.6)) } }
  },
})
