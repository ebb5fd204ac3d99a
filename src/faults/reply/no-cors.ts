// reply/no-cors: pages of other origins may not read the answer.
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The CORS headers are missing, as on the error page of a gateway; the preflight still passes.
 * @catches A page that cannot tell "blocked by CORS" from "no network".
 */
export const noCors = defineReplyFault({
  name: 'reply/no-cors',
  options: NO_OPTIONS,
  apply: content => (content.cors ? { ...content, cors: false } : content),
})
