// market/stale: ticks stop coming.
import * as z from 'zod/mini'
import { laterStarts } from '../../market/windows.js'
import { withoutTicks } from '../../market/without-ticks.js'
import { defineMarketFault } from '../fault.js'
import { duration } from '../options.js'

/**
 * Ticks stop and the last one is served; with `age`, the market is answered as published so long ago.
 *
 * Without `age` the last tick before the window stays; with it the market is as it was published so long ago.
 * @catches A consumer that never looks at `ts` goes on trading at an old price.
 */
export const stale = defineMarketFault({
  name: 'market/stale',
  options: z.strictObject({
    /** How old the market is; without it, as old as the time since the fault began. */
    age: z.optional(duration),
  }),
  path(path, { options: { age }, windows, markApplied }) {
    // The tick in force when it begins is the last one. What is still held back in the end is never published.
    const silent = laterStarts(windows, ({ from, until }) => (age === undefined ? from + 1 : until - age))
    return withoutTicks(path, silent, 'carry', markApplied)
  },
  horizon: (horizon, { options: { age = 0 }, windows }) =>
    windows.at(horizon) === undefined ? horizon : horizon - age,
})
