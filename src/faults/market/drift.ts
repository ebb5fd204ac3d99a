// market/drift: the price moves away faster than a walk would.
import * as z from 'zod/mini'
import { scaledBy } from '../../market/levels.js'
import { transformedPath } from '../../market/price-transform.js'
import { number } from '../../settings/schema.js'
import { defineMarketFault } from '../fault.js'
import { duration, option } from '../options.js'

const MIN_FACTOR = 0.01
const MAX_FACTOR = 100

/**
 * A factor on every price starts at 1 and changes by `change` in each `per`, in a straight line, between 0.01 and
 * 100.
 * @catches Averages, deviation thresholds and alerts that miss a slow move.
 */
export const drift = defineMarketFault({
  name: 'market/drift',
  isFollowed: true,
  times: ['per'],
  options: z.strictObject({
    /** The change of the factor in each `per`. */
    change: option(number(-100, 100), 0.1),
    /** The time in which the factor changes by `change`. */
    per: option(duration, '1h'),
  }),
  path: (path, context) => {
    const { change, per } = context.options
    const factorAt = (passed: number): number => Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, 1 + (change * passed) / per))
    return transformedPath(path, context, scaledBy(factorAt))
  },
})
