// The reply faults. To add one, write its file and test beside this file and add a line here.
import { emptyBody } from './empty-body.js'
import { extraField } from './extra-field.js'
import { highLowSwapped } from './high-low-swapped.js'
import { htmlErrorPage } from './html-error-page.js'
import { latency } from './latency.js'
import { malformedJson } from './malformed-json.js'
import { missingField } from './missing-field.js'
import { noCors } from './no-cors.js'
import { numbersAsStrings } from './numbers-as-strings.js'
import { rateLimit } from './rate-limit.js'
import { redirect } from './redirect.js'
import { status } from './status.js'
import { wrongContentType } from './wrong-content-type.js'

/** Every reply fault. */
export const REPLY_FAULTS = [
  status,
  latency,
  rateLimit,
  redirect,
  malformedJson,
  htmlErrorPage,
  emptyBody,
  wrongContentType,
  missingField,
  extraField,
  numbersAsStrings,
  highLowSwapped,
  noCors,
] as const
