// market/stale: ticks stop.
import * as z from 'zod/mini'
import { laterStarts, type Windows } from '../../market/windows.js'
import { withoutTicks } from '../../market/without-ticks.js'
import { defineMarketFault, type MarketContext } from '../fault.js'
import { duration } from '../options.js'

/**
 * Ticks stop and the last one is served; with `age`, every answer is as old as that.
 * @catches A consumer that never looks at `ts` and trades at an old price.
 */
export const stale = defineMarketFault({
  name: 'market/stale',
  options: z.strictObject({
    /** The age of the answers; by default they age from the start of the window. */
    age: z.optional(duration),
  }),
  path: (path, context) => withoutTicks(path, silentWindows(context), 'carry', context.markApplied),
  silence: silentWindows,
  horizon: (horizon, { options: { age = 0 }, windows }) =>
    windows.at(horizon) === undefined ? horizon : horizon - age,
})

/** The tick in force at the start of a window is the last one. Ticks held back when it ends are never published. */
function silentWindows({
  options: { age },
  windows,
}: Pick<MarketContext<{ age?: number | undefined }>, 'options' | 'windows'>): Windows {
  return laterStarts(windows, ({ from, until }) => (age === undefined ? from + 1 : until - age))
}
