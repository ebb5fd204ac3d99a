// reply/wrong-content-type: the media type is wrong.
import * as z from 'zod/mini'
import { text } from '../../settings/schema.js'
import { defineReplyFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The body is unchanged, under another media type.
 * @catches A client that picks its parser by `Content-Type`, and passes text to code that expects an object.
 */
export const wrongContentType = defineReplyFault({
  name: 'reply/wrong-content-type',
  options: z.strictObject({
    /** The media type. */
    mediaType: option(
      // Browsers read it with the flag `v`, which wants hyphens escaped.
      text(/^[\w.+\x2d]+\/[\w.+\x2d]+(; ?[\w=.+\x2d]+)*$/, 'a media type such as "text/plain"').check(
        z.maxLength(200, { error: 'at most 200 characters' }),
      ),
      'text/plain; charset=utf-8',
    ),
  }),
  apply: (content, { options: { mediaType } }) =>
    mediaType === content.mediaType ? content : { ...content, mediaType },
})
