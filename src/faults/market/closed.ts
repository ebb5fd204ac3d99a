// market/closed: the market has opening hours.
import * as z from 'zod/mini'
import { earlierStart, intersectWindows, repeatedWindows, type Windows } from '../../market/windows.js'
import { withoutTicks } from '../../market/without-ticks.js'
import { text } from '../../settings/schema.js'
import { defineMarketFault, type MarketContext } from '../fault.js'
import { option } from '../options.js'

const WEEK = 604_800
/** Monday, 1969-12-22: weeks counted from here cover every year that the mock supports. */
const FIRST_MONDAY = -864_000
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const TIME = /^(mon|tue|wed|thu|fri|sat|sun) ([01]\d|2[0-3]):([0-5]\d)$/
const timeOfWeek = z.pipe(
  text(TIME, 'a day and a time in UTC such as "fri 21:00"'),
  z.transform((value: string) => {
    const [, day, hour, minute] = TIME.exec(value)!
    return DAYS.indexOf(day!) * 86_400 + Number(hour) * 3600 + Number(minute) * 60
  }),
)

/**
 * The market has opening hours: between `closes` and `opens` there are no ticks, and the last one is served.
 * @catches A consumer that expects ticks at the weekend, or takes a closed market for an outage or its last price for a fresh one.
 */
export const closed = defineMarketFault({
  name: 'market/closed',
  options: z
    .strictObject({
      /** The time at which the market closes, in UTC, even if that was before the scenario started. */
      closes: option(timeOfWeek, 'fri 21:00'),
      /** The time at which it opens again, in UTC. */
      opens: option(timeOfWeek, 'sun 21:00'),
    })
    .check(
      z.refine(({ closes, opens }) => closes !== opens, { path: ['opens'], error: 'a time other than that of closes' }),
    ),
  path: (path, context) => withoutTicks(path, closedWindows(context), 'carry', context.markApplied),
  silence: closedWindows,
})

function closedWindows({
  options: { closes, opens },
  windows,
  appliedAt,
}: Pick<MarketContext<{ closes: number; opens: number }>, 'options' | 'windows' | 'appliedAt'>): Windows {
  const until = opens > closes ? opens - closes : opens - closes + WEEK
  const weekly = repeatedWindows(FIRST_MONDAY + closes, [{ from: 0, until }], WEEK)
  // A market that is closed at the start closed earlier: on a Saturday the last tick is Friday's.
  const current = weekly.at(appliedAt)
  const whole = current ? earlierStart(windows, appliedAt, current.from) : windows
  return intersectWindows(whole, weekly)
}
