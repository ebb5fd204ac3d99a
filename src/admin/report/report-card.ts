// The report card of a consumer: every check on the journal of a session, with the verdicts from outside.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../../endpoints/index.js'
import { verdictSchema } from '../../service/journal-entry.js'
import { GOT } from '../../service/received.js'
import type { Session } from '../../service/sessions.js'
import { documented } from '../../settings/schema.js'
import { secondOf } from '../admin-route.js'
import { CHECK_STATUSES, type Check, toAsked, toGroups } from './check.js'
import { faultsFired, keyForm, measurePolling, pollingRate, pollingSchema, unknownFeeds } from './request-checks.js'
import { errorsHeeded, retriesAfter401, retryAfter } from './retries.js'

const MAX_LISTED = 50

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

/** The report card of a consumer. */
export const reportSchema = z.object({
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
})
/** The report card of a consumer. */
export type ReportCard = z.output<typeof reportSchema>
/** The result of a check as data. */
export type ReportedCheck = ReportCard['checks'][number]

/** Builds the report card of a session. Pure: it changes and counts nothing. */
export function buildReport(session: Session, realMs: number): ReportCard {
  const { id, runtime, record, journal } = session
  const { verdicts } = record.setup
  const entries = journal.entries()
  const summaries = journal.summarize()
  const total = summaries.reduce((sum, { requests }) => sum + requests, 0)
  const counts = GOT.map(kind => [kind, summaries.reduce((sum, one) => sum + (one.got[kind] ?? 0), 0)] as const)
  const requests = toAsked(entries)
  const groups = toGroups(requests)
  const now = secondOf(session, realMs)
  const checks = CHECKS.map((check): ReportedCheck => {
    const { status, text, shownBy } = check.find({ requests, groups, session, now })
    const numbers = shownBy.map(({ n }) => n).sort((a, b) => a - b)
    const { id, title } = check
    return { id, title, status, text, requests: numbers.slice(0, MAX_LISTED), count: numbers.length }
  })
  return {
    session: id,
    seed: runtime.settings.seed,
    scenario: runtime.scenario.definition.name,
    now,
    requests: total,
    dropped: total - entries.length,
    got: Object.fromEntries(counts.filter(([, count]) => count > 0)),
    failed: checks.filter(({ status }) => status === 'failed').length + verdicts.filter(({ ok }) => !ok).length,
    endpoints: ENDPOINTS.map(({ name }) => measurePolling(name, requests, groups)).filter(
      ({ requests }) => requests > 0,
    ),
    checks,
    verdicts: [...verdicts],
  }
}

/** Every check. */
export const CHECKS: readonly Check[] = [
  keyForm,
  retriesAfter401,
  retryAfter,
  errorsHeeded,
  unknownFeeds,
  faultsFired,
  ...ENDPOINTS.map(({ name }) => pollingRate(name)),
]
