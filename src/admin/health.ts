// GET /_mock/health: whether the mock answers.
import * as z from 'zod/mini'
import { VERSION } from '../version.js'
import { defineAdminRoute } from './admin-route.js'

/** The admin route `/_mock/health`: what readiness checks ask. */
export const health = defineAdminRoute({
  name: 'health',
  summary: 'Whether the mock is up',
  path: '/_mock/health',
  reply: z.object({ status: z.literal('ok'), version: z.string() }),
  answer: () => ({ status: 'ok' as const, version: VERSION }),
})
