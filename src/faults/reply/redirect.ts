// reply/redirect: the service sends callers to another address.
import * as z from 'zod/mini'
import { BASE_URL, text, WANT_BASE_URL } from '../../settings/schema.js'
import { errorBody, replaceContent } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The answer is a redirect to the same path at another origin. `fetch` follows it without the API key; other clients may send the key
 * there. Give your test a server at `to` to see what arrives.
 * @catches A client that sends its key to any address that it is told, or prices of another origin that are taken for those of the service.
 */
export const redirect = defineReplyFault({
  name: 'reply/redirect',
  options: z.strictObject({
    /** The base URL of the other origin, to which the path and the query are added. */
    to: option(
      text(BASE_URL, WANT_BASE_URL).check(z.maxLength(2000, { error: 'at most 2000 characters' })),
      'http://127.0.0.1:9',
    ),
    /** The status. */
    status: option(z.literal([301, 302, 303, 307, 308], { error: '301, 302, 303, 307 or 308' }), 302),
  }),
  apply(content, { options: { to, status }, target }) {
    const origin = to.replace(/\/$/, '').replace(/[^!-~]+/g, encodeURIComponent)
    const headers = [...content.headers, 'location', (origin + toAscii(target())).slice(0, MAX_LENGTH)]
    return replaceContent(content, { status, body: { value: errorBody(status) }, headers })
  },
})

/** Bytes that a header cannot hold, as an address writes them. */
const toAscii = (target: string): string =>
  target.replace(/[^!-~]/g, byte => `%${(256 | byte.charCodeAt(0)).toString(16).slice(-2)}`)

const MAX_LENGTH = 8_000
