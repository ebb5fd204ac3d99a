// reply/latency: the answer is late.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { defineReplyFault } from '../fault.js'
import { option } from '../options.js'

/**
 * The answer is late by a fixed time and a random part that is the same on every run. Delays of several faults add
 * up; they are real time, also under a frozen clock.
 * @catches A missing timeout, a spinner that never shows, replies that overtake each other.
 */
export const latency = defineReplyFault({
  name: 'reply/latency',
  options: z.strictObject({
    /** The fixed delay, in real milliseconds. */
    ms: option(integer(0, 600_000), 800),
    /** The largest random part, in real milliseconds. */
    jitterMs: option(integer(0, 600_000), 0),
  }),
  apply(content, { options: { ms, jitterMs }, uniform }) {
    const wait = ms + (jitterMs === 0 ? 0 : Math.round(uniform() * jitterMs))
    return wait === 0 ? content : { ...content, delayMs: content.delayMs + wait }
  },
})
