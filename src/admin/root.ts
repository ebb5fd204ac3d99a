// GET /: the paths of the service and the admin, as JSON. A browser is redirected to /_mock/.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import { documented } from '../settings/schema.js'
import { VERSION } from '../version.js'
import { defineAdminRoute } from './admin-route.js'

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
