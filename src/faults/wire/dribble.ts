// wire/dribble: the body arrives slowly, in pieces.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineWireFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The head arrives at once and the body in pieces, with a pause between them. The body is complete in the end.
 * @catches A timeout that ends with the head, a parser that treats one piece as the whole body.
 */
export const dribble = defineWireFault({
  name: 'wire/dribble',
  options: z.strictObject({
    /** The number of pieces. */
    pieces: option(integer(2, 1000), 10),
    /** The pause between pieces, in real milliseconds. */
    everyMs: option(integer(1, 60_000), 100),
  }),
  apply: (reply, { options: { pieces, everyMs } }) =>
    reply.body === '' ? reply : { ...reply, kind: 'dribble', pieces, everyMs },
})
