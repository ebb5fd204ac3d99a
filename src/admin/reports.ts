// The admin routes of the report card of a consumer, and of verdicts on it.
import * as z from 'zod/mini'
import { judged, withoutVerdicts } from '../service/changes.js'
import { verdictInputSchema, verdictSchema } from '../service/verdict-schema.js'
import { documented } from '../settings/schema.js'
import { defineAdminRoute, NO_REPLY } from './admin-route.js'
import { CHECK_STATUSES } from './report/check.js'
import { buildReport, MAX_LISTED } from './report/report-card.js'

const rate = () => z.nullable(z.number())

const pollingSchema = z.object({
  endpoint: z.string(),
  requests: z.int(),
  perMinute: documented(rate(), 'Requests in a minute of real time; null for fewer than two.'),
  perVirtualMinute: documented(rate(), 'The same in virtual time; null while the clock stands still.'),
  medianMs: documented(rate(), 'Median real milliseconds between two requests with the same parameters.'),
  medianVirtualMs: documented(rate(), 'The same in virtual milliseconds, in whole seconds.'),
})

const checkSchema = documented(
  z.object({
    id: documented(z.string(), 'Stable across versions.'),
    title: z.string(),
    status: documented(z.enum(CHECK_STATUSES), '`info` is no judgement, `not-seen` had nothing to judge.'),
    text: documented(z.string(), 'The reason, in a sentence.'),
    requests: documented(z.array(z.int()), `The numbers \`n\` of the first ${MAX_LISTED} requests that show it.`),
    count: documented(z.int(), 'Number of requests that show it.'),
  }),
  'The result of one check.',
  'ReportCheck',
)

/** GET /_mock/sessions/{id}/report */
export const reportConsumer = defineAdminRoute({
  name: 'reportConsumer',
  summary: 'Report how the consumer of a session behaved: checks on its journal, and verdicts',
  path: '/_mock/sessions/{id}/report',
  reply: z.object({
    session: z.string(),
    seed: z.string(),
    scenario: documented(z.string(), 'Name of the scenario; `inline` for one given as an object.'),
    now: documented(z.int(), 'Virtual time in seconds since the epoch.'),
    requests: documented(z.int(), 'Number of requests since the journal was cleared.'),
    dropped: documented(
      z.int(),
      'Number of those whose entries the journal has dropped: checks see only the others, and faults, which are counted.',
    ),
    got: documented(
      z.record(z.string(), z.int()),
      'Requests by what the consumer got: `fresh`, `stale`, `refused`, `broken`, `forged`.',
    ),
    failed: documented(z.int(), 'Number of failed checks, and of verdicts that are not ok.'),
    endpoints: documented(z.array(pollingSchema), 'How often each endpoint was asked.'),
    checks: z.array(checkSchema),
    verdicts: z.array(verdictSchema),
  }),
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
  answer: async ({ sessions, receivedAt }, { path, body }) =>
    (await sessions.run(path.id, judged(body, receivedAt))).result,
})

/** DELETE /_mock/sessions/{id}/verdicts */
export const clearVerdicts = defineAdminRoute({
  name: 'clearVerdicts',
  summary: 'Remove the verdicts of a session; clearing the journal does it too',
  method: 'DELETE',
  path: '/_mock/sessions/{id}/verdicts',
  status: 204,
  reply: NO_REPLY,
  errors: ['SESSIONS_FULL'],
  answer: async ({ sessions }, { path }) => void (await sessions.run(path.id, withoutVerdicts())),
})
