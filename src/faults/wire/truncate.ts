// wire/truncate: the connection breaks in the middle of the body.
import * as z from 'zod/mini'
import { number } from '../../settings/schema.js'
import { defineWireFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The head promises the whole body, a part of it comes, then the connection is closed.
 *
 * The head promises more than comes.
 * @catches A client that takes what it got for all there is.
 */
export const truncate = defineWireFault({
  name: 'wire/truncate',
  options: z.strictObject({
    /** The part of the body that arrives. */
    fraction: option(number(0, 0.999), 0.5),
  }),
  apply: (reply, { options: { fraction } }) => ({
    ...reply,
    kind: 'truncate',
    sentLength: Math.floor(reply.body.length * fraction),
  }),
})
