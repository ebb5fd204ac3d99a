// GET /_mock/info: the settings of the session `default`, and a command that reproduces its state.
import * as z from 'zod/mini'
import { documented } from '../settings/schema.js'
import { VERSION } from '../version.js'
import { defineAdminRoute } from './admin-route.js'
import { toPresentCommand } from './reproduce-command.js'
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
  answer(context) {
    const { sessions } = context
    const session = sessions.default
    return {
      name: 'price-feed-mock' as const,
      version: VERSION,
      session: session.id,
      ...describeSession(session, context),
      sessions: sessions.size,
      feeds: session.context.market.feeds.length,
      signing: { ...session.context.settings.signing },
      reproduce: toPresentCommand(session, context),
    }
  },
})
