// reply/status: the service answers with an error.
import * as z from 'zod/mini'
import { hasBody, MEDIA_TYPE } from '../../outcome.js'
import { integer } from '../../settings/schema.js'
import { errorBody, hasRetryAfter, retryAfterHeader } from '../content.js'
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
    if (content.isStatusSet) return content
    const seconds = retryAfter ?? (hasRetryAfter(status) ? 5 : undefined)
    const changed = {
      ...content,
      status,
      headers: [...content.headers, ...(seconds === undefined ? [] : retryAfterHeader(seconds, retryAfterForm, now))],
      isStatusSet: true,
    }
    if (keepBody && hasBody(status)) return changed
    const body = hasBody(status) ? { value: errorBody(status, message) } : { text: '' }
    return { ...changed, body, mediaType: MEDIA_TYPE.json, isBodyReplaced: true }
  },
})
