// GET /_mock/info: everything that the next run would need to give the same bytes.
import * as z from 'zod/mini'
import { toInstant } from '../settings/time.js'
import { VERSION } from '../version.js'
import { defineAdminRoute } from './admin-route.js'
import { describeSession, sessionSchema } from './describe-session.js'
import { toCommand } from './reproduce-command.js'

/** The admin route `/_mock/info`: the session `default`, and `again`, the command that brings its present back on a fresh server. */
export const info = defineAdminRoute({
  name: 'info',
  summary: 'What this mock is set to, and the command that brings it back',
  path: '/_mock/info',
  reply: z.extend(sessionSchema, {
    name: z.literal('price-feed-mock'),
    version: z.string(),
    session: z.string(),
    sessions: z.int(),
    feeds: z.int(),
    signing: z.record(z.string(), z.unknown()),
    reproduce: z.string(),
  }),
  answer(context) {
    const { sessions, receivedAt } = context
    const session = sessions.default
    const at = toInstant(Math.floor(session.nowMs(receivedAt) / 1000) * 1000)
    return {
      name: 'price-feed-mock' as const,
      version: VERSION,
      session: session.id,
      ...describeSession(session, context),
      sessions: sessions.size,
      feeds: session.context.market.feeds.length,
      signing: { ...session.context.settings.signing },
      reproduce: toCommand(session, { at, speed: 1, frozen: true }, context),
    }
  },
})
