// wire/timeout: no answer arrives.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineWireFault } from '../fault.js'

/**
 * No answer arrives; the connection stays open until the caller gives up, or until `closeAfterMs`.
 * @catches A timeout that is missing, too long, or whose error nothing handles.
 */
export const timeout = defineWireFault({
  name: 'wire/timeout',
  options: z.strictObject({
    /** The time until the connection is closed, in real milliseconds; by default never. */
    closeAfterMs: z.optional(integer(1, 600_000)),
  }),
  apply: ({ delayMs }, { options: { closeAfterMs } }) => ({ kind: 'timeout', delayMs, closeAfterMs }),
})
