// GET /_mock/scenarios: the scenarios that `/scenario/<name>` can run.
import * as z from 'zod/mini'
import { documented } from '../settings/schema.js'
import { defineAdminRoute } from './admin-route.js'

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
      }),
    ),
  }),
  answer: ({ scenarios }) => ({ scenarios: scenarios.list() }),
})
