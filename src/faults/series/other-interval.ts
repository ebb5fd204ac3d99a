// series/other-interval: the chart of a longer interval.
import * as z from 'zod/mini'
import { integer } from '../../settings/schema.js'
import { parseDuration, SECONDS_BY_UNIT } from '../../settings/time.js'
import { defineCandleFault } from '../fault.js'
import { option } from '../options.js'

/** A hundred times the longest interval that a request can ask for. */
const MAX_SECONDS = 5200 * SECONDS_BY_UNIT.w

/**
 * The chart is that of a longer interval, and `data.interval` says so: as from a cache that leaves out part of the query.
 * @catches A consumer that does not compare `data.interval`, and takes the candles of hours for those of minutes.
 */
export const otherInterval = defineCandleFault({
  name: 'series/other-interval',
  options: z.strictObject({
    /** The number by which the interval is multiplied. */
    factor: option(integer(2, 100), 5),
  }),
  interval(asked, { factor }) {
    const longer = factor * Number.parseInt(asked, 10) + asked.slice(-1)
    // Several of them multiply.
    const { seconds = Number.POSITIVE_INFINITY } = parseDuration(longer) ?? {}
    return seconds > MAX_SECONDS ? asked : longer
  },
  rows: rows => rows,
})
