// market/stale: ticks stop.
import * as z from 'zod/mini'
import { laterStarts, type Windows } from '../../market/windows.js'
import { withoutTicks } from '../../market/without-ticks.js'
import { defineMarketFault, type MarketContext } from '../fault.js'
import { duration, oneOf } from '../options.js'

/**
 * Ticks stop and the last one is served; with `age`, `ts` is always exactly that old, and the price is the one of that time.
 * @catches A consumer that never looks at `ts` and trades at an old price, or takes one tick for several.
 */
export const stale = defineMarketFault({
  name: 'market/stale',
  options: z.strictObject({
    /** The age of the answers: the present minus `ts`. By default they age from the start of the window. */
    age: z.optional(duration),
    /** The price that an answer with an `age` shows: that of its `ts`, or the last one before the window. */
    price: oneOf('then', 'last'),
  }),
  path: (path, context) => withoutTicks(path, silentWindows(context), 'carry', context.markApplied),
  silence: silentWindows,
  // Windows are in seconds of the horizon, which is the lag before the present.
  holdBack(second, { options: { age, price }, windows, feed }) {
    if (age === undefined || windows.at(second) === undefined) return undefined
    const ts = second + feed.lag - age
    return { ts: Math.max(0, ts), horizon: price === 'last' ? second : ts }
  },
})

/** The tick in force at the start of a window is the last one. Ticks held back when it ends are never published. */
function silentWindows({
  options: { age, price },
  windows,
  feed: { lag },
}: Pick<MarketContext<{ age?: number | undefined; price: string }>, 'options' | 'windows' | 'feed'>): Windows {
  const isStuck = age === undefined || price === 'last'
  return laterStarts(windows, ({ from, until }) => (isStuck ? from + 1 : until + lag - age))
}
