// The admin routes about the mock as a whole: its paths, its settings, and the checks of readiness and of liveness.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
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
