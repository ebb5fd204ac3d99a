// The admin routes about the mock as a whole: its paths, its settings, its feeds and scenarios, and the checks of
// readiness and of liveness.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import { seriesSpan } from '../market/series.js'
import { documented } from '../settings/schema.js'
import { VERSION } from '../version.js'
import { defineAdminRoute } from './admin-route.js'
import { toFrozenCommand } from './reproduce-command.js'
import { describeSession, sessionSchema } from './sessions.js'

/** GET /_mock/info */
export const info = defineAdminRoute({
  name: 'info',
  summary: 'Show the settings of the session `default`, and the command that reproduces its state',
  path: '/_mock/info',
  reply: z.extend(sessionSchema, {
    name: z.literal('price-feed-mock'),
    version: z.string(),
    session: documented(z.string(), 'Always `default`.'),
    sessions: documented(z.int(), 'Number of sessions.'),
    feeds: documented(z.int(), 'Number of feeds.'),
    signing: documented(z.record(z.string(), z.unknown()), 'Signature layouts, and the layout of each signature form.'),
    reproduce: documented(z.string(), 'Command that reproduces the present state on a fresh server.'),
  }),
  async answer(context) {
    const { sessions } = context
    const session = await sessions.get('default')
    return {
      name: 'price-feed-mock' as const,
      version: VERSION,
      session: session.id,
      ...describeSession(session, context),
      sessions: await sessions.size,
      feeds: session.runtime.market.feeds.length,
      signing: { ...session.runtime.settings.signing },
      reproduce: toFrozenCommand(session, context),
    }
  },
})

const OK = { status: 'ok', version: VERSION } as const

const probe = { access: 'probe', reply: z.object({ status: z.literal('ok'), version: z.string() }) } as const

/** GET /_mock/health */
export const health = defineAdminRoute({
  ...probe,
  name: 'health',
  summary: 'Check that the mock is ready',
  path: '/_mock/health',
  errors: ['STORE_UNAVAILABLE', 'STORE_EMPTIED'],
  // Requests go to servers that can answer them.
  async answer({ sessions }) {
    await sessions.check?.()
    return OK
  },
})

/** GET /_mock/live */
export const live = defineAdminRoute({
  ...probe,
  name: 'live',
  summary: 'Check that the process answers, also while its store is away',
  path: '/_mock/live',
  answer: () => OK,
})

/** GET / */
export const root = defineAdminRoute({
  name: 'root',
  summary: 'List the endpoints and the path of the admin',
  path: '/',
  access: 'root',
  reply: z.object({
    name: z.literal('price-feed-mock'),
    version: z.string(),
    endpoints: z.array(z.object({ path: z.string(), summary: z.string() })),
    admin: documented(z.string(), 'Path of the index page.'),
  }),
  answer: () => ({
    name: 'price-feed-mock' as const,
    version: VERSION,
    endpoints: ENDPOINTS.map(({ path, summary }) => ({ path, summary })),
    admin: '/_mock/',
  }),
})

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
