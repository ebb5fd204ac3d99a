// GET /_mock/feeds: the catalogue as it is served.
import * as z from 'zod/mini'
import { defineAdminRoute } from './admin-route.js'

/** The admin route `/_mock/feeds`: bases in quote units, steps in units of 10^expo, heartbeat, lag and span in seconds, volume in USD a day. */
export const feeds = defineAdminRoute({
  name: 'feeds',
  summary: 'The feeds and what their prices depend on',
  path: '/_mock/feeds',
  reply: z.object({
    feeds: z.array(
      z.object({
        id: z.string(),
        number: z.int(),
        class: z.string(),
        base: z.number(),
        expo: z.int(),
        step: z.int(),
        heartbeat: z.int(),
        lag: z.int(),
        span: z.int(),
        drivers: z.record(z.string(), z.number()),
        volume: z.number(),
        parent: z.optional(z.string()),
      }),
    ),
  }),
  answer: ({ sessions }) => ({ feeds: sessions.default.context.market.feeds.map(feed => ({ ...feed })) }),
})
