// wire/refused: nobody listens.
import { defineWireFault } from '../fault.js'
import { NO_OPTIONS } from '../options.js'

/**
 * The connection is refused at once, without any delay. In process this is the error of a port without a server, `ECONNREFUSED`. A
 * server has accepted the connection before it knows the session, so there it is reset: `ECONNRESET`.
 * @catches A retry that knows only answers and timeouts, and one without back-off: a refusal costs no time, so it runs hot.
 */
export const refused = defineWireFault({
  name: 'wire/refused',
  options: NO_OPTIONS,
  apply: () => ({ kind: 'reset', delayMs: 0, isRefused: true }),
})
