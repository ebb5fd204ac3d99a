// tick/ts-backwards: a later answer has an earlier price.
import * as z from 'zod/mini'
import { defineTickFault } from '../fault.js'
import { duration, option } from '../options.js'

/**
 * Some answers hold an older tick, as from a replica that lags behind; by default every second request. In a history the higher
 * of the two older ticks is the high.
 * @catches A consumer that overwrites a newer price with an older one, or checks no age.
 */
export const tsBackwards = defineTickFault({
  name: 'tick/ts-backwards',
  options: z.strictObject({
    /** The age of the older tick. */
    by: option(duration, '30s'),
  }),
  defaults: { requests: { every: 2 } },
  tick: (tick, { options: { by }, earlier }) => earlier(by) ?? tick,
})
