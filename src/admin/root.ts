// GET /: where to go from here, for programs. People with a browser are led to /_mock/.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import { VERSION } from '../version.js'
import { defineAdminRoute } from './admin-route.js'

/** The admin route `/`: the paths of the service and of the admin. */
export const root = defineAdminRoute({
  name: 'root',
  summary: 'What this is and where to go',
  path: '/',
  reply: z.object({
    name: z.literal('price-feed-mock'),
    version: z.string(),
    endpoints: z.array(z.object({ path: z.string(), summary: z.string() })),
    admin: z.string(),
  }),
  answer: () => ({
    name: 'price-feed-mock' as const,
    version: VERSION,
    endpoints: ENDPOINTS.map(({ path, summary }) => ({ path, summary })),
    admin: '/_mock/',
  }),
})
