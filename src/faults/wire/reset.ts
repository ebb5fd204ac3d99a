// wire/reset: the connection breaks before an answer.

import { defineWireFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/** Not a byte of the answer arrives. */
export const reset = defineWireFault({
  name: 'wire/reset',
  summary: 'The connection is reset before a byte of the answer.',
  catches: 'A network error without a retry, or with a retry that never ends.',
  options: NO_OPTIONS,
  apply: ({ delayMs }) => ({ kind: 'reset', delayMs }),
})
