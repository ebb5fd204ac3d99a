// wire/reset: the connection breaks before an answer.

import { defineWireFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The connection is reset before a byte of the answer.
 *
 * Not a byte of the answer arrives.
 * @catches A network error without a retry, or with a retry that never ends.
 */
export const reset = defineWireFault({
  name: 'wire/reset',
  options: NO_OPTIONS,
  apply: ({ delayMs }) => ({ kind: 'reset', delayMs }),
})
