// The faults of the reply. Adding one is a file beside this one, its test, and a line here.
import { emptyBody } from './empty-body.js'
import { extraField } from './extra-field.js'
import { htmlErrorPage } from './html-error-page.js'
import { latency } from './latency.js'
import { malformedJson } from './malformed-json.js'
import { missingField } from './missing-field.js'
import { noCors } from './no-cors.js'
import { numbersAsStrings } from './numbers-as-strings.js'
import { rateLimit } from './rate-limit.js'
import { status } from './status.js'
import { wrongContentType } from './wrong-content-type.js'

/** Every fault of the reply. */
export const REPLY_FAULTS = [
  status,
  latency,
  rateLimit,
  malformedJson,
  htmlErrorPage,
  emptyBody,
  wrongContentType,
  missingField,
  extraField,
  numbersAsStrings,
  noCors,
] as const
