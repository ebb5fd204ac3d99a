// The admin routes of the report card of a consumer, and of verdicts on it.
import { judged, withoutVerdicts } from '../service/changes.js'
import { type Verdict, verdictInputSchema, verdictSchema } from '../service/verdict-schema.js'
import { defineAdminRoute } from './admin-route.js'
import { buildReport, reportSchema } from './report/report-card.js'

/** GET /_mock/sessions/{id}/report */
export const reportConsumer = defineAdminRoute({
  name: 'reportConsumer',
  summary: 'Report how the consumer of a session behaved: checks on its journal, and verdicts',
  path: '/_mock/sessions/{id}/report',
  reply: reportSchema,
  answer: async ({ sessions, receivedAt }, { path }) => buildReport(await sessions.get(path.id, 'journal'), receivedAt),
})

/** POST /_mock/sessions/{id}/verdicts */
export const addVerdict = defineAdminRoute({
  name: 'addVerdict',
  summary: 'Add a verdict on the consumer to the report, replacing one on the same case: for what HTTP cannot show',
  method: 'POST',
  path: '/_mock/sessions/{id}/verdicts',
  status: 201,
  body: verdictInputSchema,
  exampleBody: { case: 'stale-btc', ok: false, why: 'traded' },
  reply: verdictSchema,
  errors: ['SESSION_TOO_LARGE', 'SESSIONS_FULL'],
  answer: async ({ sessions, receivedAt }, { path, body }) => {
    let verdict!: Verdict
    const step = judged(body, receivedAt, added => (verdict = added))
    await sessions.run(path.id, step)
    return verdict
  },
})

/** DELETE /_mock/sessions/{id}/verdicts */
export const clearVerdicts = defineAdminRoute({
  name: 'clearVerdicts',
  summary: 'Remove the verdicts of a session; clearing the journal does it too',
  method: 'DELETE',
  path: '/_mock/sessions/{id}/verdicts',
  errors: ['SESSIONS_FULL'],
  answer: async ({ sessions }, { path }) => void (await sessions.run(path.id, withoutVerdicts())),
})
