// reply/status: the service answers with an error.
import * as z from 'zod/mini'
import { hasBody, MEDIA_TYPE } from '../../outcome.js'
import { integer } from '../../settings/schema.js'
import { errorBody, replaceContent, retryAfterHeader } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { duration, option, retryAfterForm } from '../options.js'

/**
 * The answer has another status, with the body of an error or its own; 429 and 503 carry `Retry-After`. Of several faults the
 * first wins. 304 has no body, though nobody sent a validator.
 * @catches A consumer that handles only 200: no retry, no back-off, no message. A back-off of NaN, 0 or negative seconds, by `retryAfterForm`.
 */
export const status = defineReplyFault({
  name: 'reply/status',
  options: z.strictObject({
    /** The status. */
    status: option(integer(200, 599), 503),
    /** The message in the body. */
    message: z.optional(z.string().check(z.maxLength(1000, { error: 'at most 1000 characters' }))),
    /** The `Retry-After`; by default 5 seconds with 429 and 503, none with others. */
    retryAfter: z.optional(duration),
    retryAfterForm,
    /** Whether the body stays. */
    keepBody: option(z.boolean(), false),
  }),
  apply(content, { options: { status, message, retryAfter, retryAfterForm, keepBody }, now }) {
    // RFC 9110, 10.2.3; RFC 6585, 4.
    const seconds = retryAfter ?? (status === 429 || status === 503 ? 5 : undefined)
    const added = seconds === undefined ? [] : retryAfterHeader(seconds, retryAfterForm, now)
    const headers = [...content.headers, ...added]
    const { body: kept, isBodyReplaced } = content
    if (keepBody && hasBody(status)) return replaceContent(content, { status, headers, body: kept, isBodyReplaced })
    const body = hasBody(status) ? { value: errorBody(status, message) } : { text: '' }
    return replaceContent(content, { status, headers, body, mediaType: MEDIA_TYPE.json })
  },
})
