// wire/timeout: no answer comes.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineWireFault } from '../fault.js'

/**
 * No answer comes; the connection stays open until the caller gives up, or until `closeAfterMs`.
 *
 * The connection stays open.
 * @catches A request without a timeout of its own.
 */
export const timeout = defineWireFault({
  name: 'wire/timeout',
  options: z.strictObject({
    /** Real milliseconds until the connection is closed; never without it. */
    closeAfterMs: z.optional(integer(1, 600_000)),
  }),
  apply: ({ delayMs }, { options: { closeAfterMs } }) => ({ kind: 'timeout', delayMs, closeAfterMs }),
})
