// The list of checks, in the order of the report. To add one, write a file beside this one and add a line here.
import { ENDPOINTS } from '../../endpoints/index.js'
import type { Check } from './check.js'
import { errorsHeeded } from './errors-heeded.js'
import { faultsFired } from './faults-fired.js'
import { keyForm } from './key-form.js'
import { pollingRate } from './polling-rate.js'
import { retriesAfter401 } from './retries-after-401.js'
import { retryAfter } from './retry-after.js'
import { unknownFeeds } from './unknown-feeds.js'

/** Every check. */
export const CHECKS: readonly Check[] = [
  keyForm,
  retriesAfter401,
  retryAfter,
  errorsHeeded,
  unknownFeeds,
  faultsFired,
  ...ENDPOINTS.map(({ name }) => pollingRate(name)),
]
