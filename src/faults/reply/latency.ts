// reply/latency: the answer takes its time.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineReplyFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The answer comes late, by a fixed time and a random part that is the same on every run; delays add up.
 *
 * In real milliseconds: a frozen clock does not make a network faster. Delays of several faults add up.
 * @catches A missing timeout, a spinner that never shows, answers that overtake each other.
 */
export const latency = defineReplyFault({
  name: 'reply/latency',
  options: z.strictObject({
    /** Real milliseconds that every answer waits. */
    ms: option(integer(0, 600_000), 800),
    /** Real milliseconds that may come on top. */
    jitterMs: option(integer(0, 600_000), 0),
  }),
  apply(content, { options: { ms, jitterMs }, uniform }) {
    const wait = ms + (jitterMs === 0 ? 0 : Math.round(uniform() * jitterMs))
    return wait === 0 ? content : { ...content, delayMs: content.delayMs + wait }
  },
})
