// market/drift: the price moves away, faster than a walk would.
import * as z from 'zod/mini'
import { scaledBy } from '../../market/levels.js'
import { transformedPath } from '../../market/price-transform.js'
import { number } from '../../settings/schema.js'
import { defineMarketFault } from '../fault.js'
import { duration, option } from '../options.js'

const LEAST = 0.01
const MOST = 100

/**
 * The price moves steadily away from where it would be, up to 100 times or down to a hundredth.
 *
 * The factor on every price changes by `change` in each `per`, in a straight line, between 0.01 and 100.
 * @catches Averages, deviation thresholds and alerts that a slow move slips under.
 */
export const drift = defineMarketFault({
  name: 'market/drift',
  options: z.strictObject({
    /** The part of the price by which it moves in each `per`. */
    change: option(number(-100, 100), 0.1),
    /** The time in which it moves by `change`. */
    per: option(duration, '1h'),
  }),
  path: (path, context) => {
    const { change, per } = context.options
    const factorAt = (passed: number): number => Math.min(MOST, Math.max(LEAST, 1 + (change * passed) / per))
    return transformedPath(path, context, scaledBy(factorAt))
  },
})
