// reply/html-error-page: a proxy answers instead of the service.
import * as z from 'zod/mini'
import { hasBody, MEDIA_TYPE } from '../../outcome.js'
import { integer } from '../../settings/schema.js'
import { replaceContent, titleOf } from '../content.js'
import { defineReplyFault } from '../fault.js'
import { option } from '../options.js'

/**
 * A proxy's HTML page comes in place of JSON.
 * @catches A consumer that parses the body before it looks at the status, and shows "Unexpected token <".
 */
export const htmlErrorPage = defineReplyFault({
  name: 'reply/html-error-page',
  options: z.strictObject({
    /** The status of the page. */
    status: option(integer(200, 599), 502),
  }),
  apply(content, { options: { status } }) {
    const title = titleOf(status)
    const text = `<!doctype html>\n<html><head><title>${title}</title></head>\n<body><center><h1>${title}</h1></center><hr><center>gateway</center></body></html>\n`
    const body = { text: hasBody(status) ? text : '' }
    return replaceContent(content, { status, body, mediaType: MEDIA_TYPE.html })
  },
})
