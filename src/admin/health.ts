// GET /_mock/health and /_mock/live: checks of readiness and of liveness.
import * as z from 'zod/mini'
import { VERSION } from '../version.js'
import { defineAdminRoute } from './admin-route.js'

/** GET /_mock/health */
export const health = defineAdminRoute({
  name: 'health',
  summary: 'Check that the mock is ready',
  path: '/_mock/health',
  access: 'probe',
  reply: z.object({ status: z.literal('ok'), version: z.string() }),
  errors: ['STORE_UNAVAILABLE', 'STORE_EMPTIED'],
  answer: () => ({ status: 'ok' as const, version: VERSION }),
})

/** GET /_mock/live */
export const live = defineAdminRoute({
  name: 'live',
  summary: 'Check that the process answers, also while its store is away',
  path: '/_mock/live',
  access: 'probe',
  reply: z.object({ status: z.literal('ok'), version: z.string() }),
  answer: () => ({ status: 'ok' as const, version: VERSION }),
})
