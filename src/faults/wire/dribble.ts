// wire/dribble: the body comes drop by drop.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineWireFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The head comes at once and the body in pieces, with a pause between them.
 *
 * Complete in the end.
 * @catches A timeout that ends with the head, a parser that takes a piece for the whole.
 */
export const dribble = defineWireFault({
  name: 'wire/dribble',
  options: z.strictObject({
    /** How many pieces the body comes in. */
    pieces: option(integer(2, 1000), 10),
    /** Real milliseconds between them. */
    everyMs: option(integer(1, 60_000), 100),
  }),
  apply: (reply, { options: { pieces, everyMs } }) => ({ ...reply, kind: 'dribble', pieces, everyMs }),
})
