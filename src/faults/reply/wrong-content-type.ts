// reply/wrong-content-type: JSON under another name.
import * as z from 'zod/mini'
import { text } from '../../settings/schema.js'
import { defineReplyFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The body is as it was, under another media type.
 *
 * The body stays as it was.
 * @catches A client that picks its parser by `Content-Type`, and hands text to code that wants an object.
 */
export const wrongContentType = defineReplyFault({
  name: 'reply/wrong-content-type',
  options: z.strictObject({
    /** The media type. */
    mediaType: option(
      text(/^[\w.+-]+\/[\w.+-]+(; ?[\w=.+-]+)*$/, 'a media type such as "text/plain"'),
      'text/plain; charset=utf-8',
    ),
  }),
  apply: (content, { options: { mediaType } }) =>
    mediaType === content.mediaType ? content : { ...content, mediaType },
})
