// wire/truncate: the connection breaks in the middle of the body.
import * as z from 'zod/mini'
import { number } from '../../settings/schema.js'
import { defineWireFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The head announces the whole body, only a part of it arrives, then the connection is closed.
 * @catches A client that treats a partial body as complete, or a broken connection as no failure.
 */
export const truncate = defineWireFault({
  name: 'wire/truncate',
  options: z.strictObject({
    /** The part of the body that arrives. */
    fraction: option(number(0, 0.999), 0.5),
  }),
  apply: (reply, { options: { fraction } }) =>
    reply.body === '' ? reply : { ...reply, kind: 'truncate', sentLength: Math.floor(reply.body.length * fraction) },
})
