// reply/no-cors: a page of another origin may not read the answer.
import { defineReplyFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The headers of CORS are missing, as from an error page of a gateway; the preflight still passes.
 *
 * The preflight still passes: no fault touches OPTIONS.
 * @catches A page that cannot tell "blocked by CORS" from "no network".
 */
export const noCors = defineReplyFault({
  name: 'reply/no-cors',
  options: NO_OPTIONS,
  apply: content => (content.cors ? { ...content, cors: false } : content),
})
