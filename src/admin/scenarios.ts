// GET /_mock/scenarios: what `/scenario/<name>` can run.
import * as z from 'zod/mini'
import { defineAdminRoute } from './admin-route.js'

/** The admin route `/_mock/scenarios`: those that come with the mock, and the user's own. */
export const scenarios = defineAdminRoute({
  name: 'scenarios',
  summary: 'The scenarios that a session can run, each with what it does and why',
  path: '/_mock/scenarios',
  reply: z.object({
    scenarios: z.array(z.object({ name: z.string(), title: z.string(), why: z.string(), faults: z.int() })),
  }),
  answer: ({ scenarios }) => ({ scenarios: scenarios.list() }),
})
