// series/out-of-order: candles stand after their successors.
import * as z from 'zod/mini'
import { every, isChosen } from '../every.js'
import { defineSeriesFault } from '../fault.js'

/**
 * Some candles change places with the next.
 *
 * Each chosen candle changes places with the next.
 * @catches A consumer that takes the last row for the newest candle.
 */
export const outOfOrder = defineSeriesFault({
  name: 'series/out-of-order',
  options: z.strictObject({ every }),
  rows(rows, context) {
    const next = [...rows]
    for (let i = 0; i + 1 < next.length; i++) {
      if (!isChosen(next[i]!, context, 2)) continue
      ;[next[i], next[i + 1]] = [next[i + 1]!, next[i]!]
      i++
    }
    return next
  },
})
