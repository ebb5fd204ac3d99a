// wire/reset: the connection breaks before an answer.
import { defineWireFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The connection is reset before the first byte of the answer. Some clients send a GET again when a reused connection breaks, without
 * an error: Go's `net/http` does, so a Go program meets the fault only on a fresh connection (`DisableKeepAlives`), or from the
 * second attempt on. The journal has every attempt.
 * @catches A network error without a retry, or with a retry that never ends.
 */
export const reset = defineWireFault({
  name: 'wire/reset',
  options: NO_OPTIONS,
  apply: ({ delayMs }) => ({ kind: 'reset', delayMs }),
})
