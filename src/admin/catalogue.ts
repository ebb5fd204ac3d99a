// GET /_mock/feeds and /_mock/scenarios: the feeds and the scenarios of this mock.
import * as z from 'zod/mini'
import { seriesSpan } from '../market/series.js'
import { documented } from '../settings/schema.js'
import { defineAdminRoute } from './admin-route.js'

/** GET /_mock/feeds */
export const feeds = defineAdminRoute({
  name: 'feeds',
  summary: 'List the feeds with the parameters of their prices',
  path: '/_mock/feeds',
  reply: z.object({
    feeds: z.array(
      z.object({
        id: z.string(),
        number: documented(z.int(), 'Numeric id, used by `batchFeedId: integer`.'),
        class: z.string(),
        group: documented(z.string(), 'Feeds of a group have their calm and their wild hours together.'),
        base: documented(z.number(), 'Price in July 2025, in quote units.'),
        expo: documented(z.int32(), 'Prices are integers in units of 10^expo.'),
        step: documented(z.int(), 'Price step in units of 10^expo.'),
        heartbeat: documented(z.int(), 'Seconds between two ticks.'),
        lag: documented(z.int(), 'Seconds from a tick to its publication.'),
        span: documented(z.int(), 'Seconds after which prices return to the base.'),
        drivers: documented(z.record(z.string(), z.number()), 'Annualised volatility by driver.'),
        trend: documented(
          z.optional(z.record(z.string(), z.number())),
          'Those drivers that count over more than three days.',
        ),
        volume: documented(z.number(), 'Traded volume in USD a day.'),
        yield: documented(
          z.optional(z.number()),
          'Yearly rate of growth against the feed that it is derived from, compounded all the time.',
        ),
        parent: documented(z.optional(z.string()), 'Feed that it is derived from.'),
        series: documented(
          z.optional(
            z.object({
              rows: z.int(),
              interval: documented(z.int(), 'Seconds of a candle; 0 for ticks.'),
              from: documented(z.int(), 'Second of the first row, as the default session serves it.'),
              to: documented(z.int(), 'Last second of the last row.'),
            }),
          ),
          'Rows that it follows instead.',
        ),
      }),
    ),
  }),
  answer: async ({ sessions }) => ({
    feeds: (await sessions.get('default')).runtime.market.feeds.map(({ series, ...feed }) => ({
      ...feed,
      ...(series && { series: { rows: series.times.length, interval: series.width, ...seriesSpan(series) } }),
    })),
  }),
})

/** GET /_mock/scenarios */
export const scenarios = defineAdminRoute({
  name: 'scenarios',
  summary: 'List the scenarios: built in and your own',
  path: '/_mock/scenarios',
  reply: z.object({
    scenarios: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        why: documented(z.string(), "The consumer's mistake that it reveals."),
        faults: documented(z.int(), 'Number of faults.'),
        stages: documented(z.array(z.string()), 'What they change: `market`, `tick`, `reply` and so on.'),
      }),
    ),
  }),
  answer: ({ scenarios }) => ({ scenarios: scenarios.list() }),
})
