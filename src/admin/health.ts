// GET /_mock/health: readiness check.
import * as z from 'zod/mini'
import { VERSION } from '../version.js'
import { defineAdminRoute } from './admin-route.js'

/** GET /_mock/health */
export const health = defineAdminRoute({
  name: 'health',
  summary: 'Check that the mock is ready',
  path: '/_mock/health',
  reply: z.object({ status: z.literal('ok'), version: z.string() }),
  answer: () => ({ status: 'ok' as const, version: VERSION }),
})
