// GET /_mock/scenarios: what `/scenario/<name>` can run.
import * as z from 'zod/mini'
import { defineLever } from './lever.js'

/** The scenarios there are; so far the one in which nothing goes wrong. */
export const SCENARIOS = [
  { name: 'calm', title: 'Nothing goes wrong', why: 'The state to compare every other scenario with.' },
] as const

/** The lever `/_mock/scenarios`. */
export const scenarios = defineLever({
  name: 'scenarios',
  summary: 'The scenarios that a session can run',
  path: '/_mock/scenarios',
  reply: z.object({ scenarios: z.array(z.object({ name: z.string(), title: z.string(), why: z.string() })) }),
  answer: () => ({ scenarios: SCENARIOS.map(scenario => ({ ...scenario })) }),
})
