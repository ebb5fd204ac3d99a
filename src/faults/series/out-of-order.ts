// series/out-of-order: candles follow their successors.
import * as z from 'zod/mini'
import { defineCandleFault } from '../fault.js'
import { every, isPicked, option } from '../options.js'

/**
 * Some candles change places with the next one, or all of them come newest first. They change in pairs, so that an `every` of 1 is
 * one of 2.
 * @catches A consumer that treats the last row as the newest candle, or does not sort.
 */
export const outOfOrder = defineCandleFault({
  name: 'series/out-of-order',
  options: z.strictObject({
    every,
    /** Whether the newest comes first. */
    reversed: option(z.boolean(), false),
  }),
  rows(rows, context) {
    if (context.options.reversed) return rows.length > 1 ? rows.toReversed() : rows
    // Pairs that follow from the times: a swap of each candle with its next one would follow from the first row.
    const pairs = { ...context, options: { every: Math.max(2, context.options.every) } }
    const next = [...rows]
    for (let i = 0; i + 1 < next.length; i++) {
      if (!isPicked(next[i]!, pairs, 'series/out-of-order')) continue
      ;[next[i], next[i + 1]] = [next[i + 1]!, next[i]!]
      i++
    }
    return next
  },
})
