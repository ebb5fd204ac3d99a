// reply/rate-limit: requests above a limit get 429.
import * as z from 'zod/mini'
import { MEDIA_TYPE } from '../../outcome.js'
import { integer } from '../../settings/schema.js'
import { errorBody, replaceContent, retryAfterHeader } from '../content.js'
import { defineReplyFault, type ReplyContext } from '../fault.js'
import { duration, option, retryAfterForm } from '../options.js'

type Options = { readonly limit: number; readonly window: number }

const windowAt = ({ now, appliedAt, options }: Omit<ReplyContext<Options>, 'quota'>): number =>
  Math.floor((now - appliedAt) / options.window)

/**
 * Above a number of requests in each window the answer is 429, with `Retry-After` until the next window. The first
 * window starts when the scenario is applied; the endpoints of the fault share the limit.
 * @catches A poller that does not slow down, a retry that makes it worse.
 */
export const rateLimit = defineReplyFault({
  name: 'reply/rate-limit',
  options: z.strictObject({
    /** The number of requests that are answered in each window. */
    limit: option(integer(0, 1_000_000), 60),
    /** The length of a window. */
    window: option(duration, '1m'),
    /** The `Retry-After`; by default the time until the next window. */
    retryAfter: z.optional(duration),
    retryAfterForm,
  }),
  count(quota, context) {
    const window = windowAt(context)
    return { window, used: quota.window === window ? quota.used + 1 : 1 }
  },
  apply(content, context) {
    const { quota, options, now, appliedAt } = context
    if (quota.used <= options.limit) return content
    const next = appliedAt + (windowAt(context) + 1) * options.window
    const { retryAfter = next - now, retryAfterForm } = options
    const headers = [...content.headers, ...retryAfterHeader(retryAfter, retryAfterForm, now)]
    return replaceContent(content, {
      status: 429,
      body: { value: errorBody(429) },
      mediaType: MEDIA_TYPE.json,
      headers,
    })
  },
})
