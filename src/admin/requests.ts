// The admin routes of requests: the journal with its entries, a summary and clearing it; the report card of a consumer, with verdicts;
// and the explanation of a reply.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import { toAsciiJson } from '../outcome.js'
import { NO_COUNT } from '../service/apply-faults.js'
import { cleared, judged, withoutVerdicts } from '../service/changes.js'
import {
  type Explanation,
  explain as explainRequest,
  explanationSchema,
  type Moment,
  momentBefore,
  momentOf,
} from '../service/explain.js'
import type { Numbered } from '../service/journal.js'
import {
  type JournalEntry,
  journalEntrySchema,
  type Verdict,
  verdictInputSchema,
  verdictSchema,
} from '../service/journal-entry.js'
import { binsBetween, MAX_BINS } from '../service/journal-tally.js'
import type { RunInTurns } from '../service/market-stage.js'
import type { ServiceRequest } from '../service/request.js'
import { documented } from '../settings/schema.js'
import { LATEST } from '../settings/time.js'
import { type Addresses, defineAdminRoute, invalidQuery, matching, second, secondOf, seconds } from './admin-route.js'
import { snapshotAt, snapshotBefore } from './past-runtime.js'
import { buildReport, reportSchema } from './report/report-card.js'
import { toFrozenCommand } from './reproduce-command.js'

const MAX_PAGE_ENTRIES = 1000
const MAX_PAGE_BYTES = 900_000
const WANT_LIMIT = `a number of requests from 1 to ${MAX_PAGE_ENTRIES}`

/** GET /_mock/sessions/{id}/requests */
export const listRequests = defineAdminRoute({
  name: 'listRequests',
  summary: 'List the requests in the journal of a session, oldest first and in pages; ?endpoint= and ?status= filter',
  path: '/_mock/sessions/{id}/requests',
  query: z.strictObject({
    endpoint: documented(z.optional(z.enum(ENDPOINTS.map(({ name }) => name))), 'Only requests to this endpoint.'),
    status: documented(
      matching(/^(0|[1-5]\d\d)$/, 'a status such as 401, or 0 where none was sent'),
      'Only requests with this status; 0 where no reply was sent.',
    ),
    limit: documented(
      matching(/^([1-9]\d{0,2}|1000)$/, WANT_LIMIT),
      'Maximum number of requests in the reply: 1 to 1000, the default.',
    ),
    after: documented(
      matching(/^\d{1,15}$/, 'the `next` of an earlier reply'),
      'Only requests after this one: `next` of the reply before, or the id of an event.',
    ),
  }),
  reply: z.object({
    requests: z.array(journalEntrySchema),
    next: documented(z.optional(z.int()), 'Present if more requests follow: the `after` of the next page.'),
  }),
  async answer({ sessions }, { path, query }) {
    const { journal } = await sessions.get(path.id, 'journal')
    const found = journal
      .since(Number(query.after ?? 0))
      .filter(({ entry }) => query.endpoint === undefined || entry.endpoint === query.endpoint)
      .filter(({ entry }) => query.status === undefined || entry.status === Number(query.status))
    const page = firstPage(found, Number(query.limit ?? MAX_PAGE_ENTRIES))
    return { requests: page.map(({ entry }) => entry), next: page.length < found.length ? page.at(-1)!.id : undefined }
  },
})

/** GET /_mock/sessions/{id}/requests/{n} */
export const getRequest = defineAdminRoute({
  name: 'getRequest',
  summary: 'Show a request of the journal, its reply made again and explained, and the command that gives it once more',
  path: '/_mock/sessions/{id}/requests/{n}',
  query: z.strictObject({
    body: documented(z.optional(z.literal('whole')), 'Do not truncate the body and the signed messages.'),
  }),
  reply: z.object({
    request: journalEntrySchema,
    explanation: documented(
      z.optional(explanationSchema),
      'The request, answered again as it was then. Absent for methods other than GET and HEAD, and for a target that was truncated.',
    ),
    replayed: documented(
      z.boolean(),
      'Whether that reply has the status and the faults of the journal, and the consumer got the same.',
    ),
    reproduce: documented(z.string(), 'Command that starts a server whose next reply to this request is the same.'),
  }),
  async answer(context, { path, query: { body } }) {
    const session = await context.sessions.get(path.id, 'journal')
    const n = Number(path.n)
    const before = snapshotBefore(session, path.n, context.receivedAt)
    const { entry } = session.journal.since(0).find(one => one.entry.n === n)!
    const moment = momentBefore(session, before)
    const explanation =
      entry.ordinal > 0 && entry.targetLength === undefined
        ? await explainAt(moment, toRequest(entry, moment.runtime.settings.apiKeys[0]!), context.run, body)
        : undefined
    return {
      request: entry,
      explanation,
      replayed: explanation !== undefined && isSame(entry, explanation),
      reproduce: toFrozenCommand(session, context, { n, snapshot: before }),
    }
  },
})

/** A request once more. The journal holds no secret key, and no wrong one: another stands for it. */
function toRequest({ method, target, apiKey, keyProblem, receivedAt }: JournalEntry, accepted: string): ServiceRequest {
  const wrong = { several: 'a, b', scheme: 'Bearer a' }[keyProblem as string] ?? 'a'
  const authorization = apiKey === undefined || apiKey === '' ? apiKey : keyProblem === undefined ? accepted : wrong
  return { method, target, authorization, receivedAt }
}

function isSame(entry: JournalEntry, { outcome, got, why, faults }: Explanation): boolean {
  const named = new Set(faults.filter(({ applied }) => applied).map(({ fault }) => fault))
  return (
    (outcome.status ?? 0) === entry.status &&
    got === entry.got &&
    why === entry.why &&
    named.size === entry.faults.length &&
    entry.faults.every(name => named.has(name))
  )
}

/** The first entries that fit into one reply: at least one. */
function firstPage(found: readonly Numbered[], limit: number): readonly Numbered[] {
  let bytes = 0
  for (const [i, { entry }] of found.slice(0, limit).entries()) {
    bytes += toAsciiJson(entry).length + 1
    if (i > 0 && bytes > MAX_PAGE_BYTES) return found.slice(0, i)
  }
  return found.slice(0, limit)
}

/** DELETE /_mock/sessions/{id}/requests */
export const clearRequests = defineAdminRoute({
  name: 'clearRequests',
  summary: 'Clear the journal and the verdicts of a session; counters are kept',
  method: 'DELETE',
  path: '/_mock/sessions/{id}/requests',
  errors: ['SESSIONS_FULL'],
  answer: async ({ sessions }, { path }) => void (await sessions.run(path.id, cleared())),
})

const spreadSchema = () => z.nullable(z.object({ least: z.number(), mean: z.number(), most: z.number() }))

const faultSchema = z.object({
  fault: z.string(),
  planned: documented(z.string(), 'When and where the scenario applies it.'),
  hits: documented(z.int(), 'Replies that it was applied to.'),
  misses: documented(z.int(), 'Replies of its endpoints that it was not applied to.'),
  lastMiss: documented(z.optional(z.string()), 'The reason for the newest miss.'),
})

/** GET /_mock/sessions/{id}/requests/summary */
export const summarizeRequests = defineAdminRoute({
  name: 'summarizeRequests',
  summary:
    'Summarize all requests since the journal was cleared: counts by endpoint and status, time between requests, hits of each planned fault',
  path: '/_mock/sessions/{id}/requests/summary',
  query: z.strictObject({
    from: documented(second(), 'Only bins that end after this second. Default: all.'),
    to: documented(second(), 'Only bins that start by this second. Default: all.'),
    bin: documented(seconds(), 'Length of `bins` in seconds, without which they are left out.'),
  }),
  reply: z.object({
    requests: z.int(),
    endpoints: z.array(
      z.object({
        endpoint: z.string(),
        requests: z.int(),
        statuses: documented(z.record(z.string(), z.int()), 'Number of replies by status.'),
        got: documented(z.record(z.string(), z.int()), 'Number of replies by what the consumer got.'),
        betweenVirtualMs: documented(
          spreadSchema(),
          'Virtual milliseconds between requests, in whole seconds; null for fewer than two requests.',
        ),
        betweenRealMs: documented(spreadSchema(), 'Real milliseconds between requests.'),
      }),
    ),
    bins: documented(
      z.optional(
        z.array(
          z.object({
            endpoint: z.string(),
            from: z.int(),
            until: documented(z.int(), 'Not included.'),
            got: documented(z.record(z.string(), z.int()), 'Number of replies by what the consumer got.'),
          }),
        ),
      ),
      `Counts by virtual time, longer than asked for where there would be more than ${MAX_BINS} of an endpoint since the journal was cleared.`,
    ),
    faults: documented(z.array(faultSchema), 'Faults of the scenario, counted since it was applied.'),
  }),
  async answer({ sessions }, { path, query: { from = 0, to = LATEST, bin } }) {
    const { journal, runtime, record } = await sessions.get(path.id, 'journal')
    const summaries = new Map(journal.summarize().map(summary => [summary.endpoint, summary]))
    const endpoints = ENDPOINTS.flatMap(({ name }) => summaries.get(name) ?? [])
    const faults = runtime.scenario.faults.map(({ index, fault, planned }) => {
      const { hits, misses, lastMiss } = record.counters.faults[index] ?? NO_COUNT
      return { fault: fault.name, planned, hits, misses, lastMiss }
    })
    const requests = endpoints.reduce((sum, one) => sum + one.requests, 0)
    return {
      requests,
      endpoints: endpoints.map(({ bins: _, ...one }) => one),
      bins:
        bin === undefined
          ? undefined
          : endpoints.flatMap(({ endpoint, bins }) =>
              binsBetween(bins, from, to, Number(bin)).map(one => ({ endpoint, ...one })),
            ),
      faults,
    }
  },
})

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

const WANT_URL = 'a URL or a path of one of the five endpoints, such as /prices/BTCUSD/latest'

/** GET /_mock/explain */
export const explain = defineAdminRoute({
  name: 'explain',
  summary: 'Explain the next reply to a request, stage by stage: ?url= and optionally &key=',
  path: '/_mock/explain',
  query: z.strictObject({
    url: documented(
      z.string({ error: WANT_URL }).check(z.minLength(1, { error: WANT_URL })),
      'URL of one of the five endpoints, or its path below the base address, with its query.',
    ),
    key: documented(
      z.optional(z.string()),
      'API key. Default: the key of this request, or else the first key of the session.',
    ),
    at: documented(
      second(),
      'Second of the virtual time at which the request is answered. In the past with the scenario and the prices of then, and the counters with which they ended; otherwise with those of now. Default: now.',
    ),
    body: documented(z.optional(z.literal('whole')), 'Do not truncate the body and the signed messages.'),
  }),
  example: '?url=/prices/BTCUSD/latest',
  reply: explanationSchema,
  errors: ['SESSION_INVALID', 'SCENARIO_UNKNOWN'],
  async answer({ sessions, receivedAt, authorization, run, addresses }, { query: { url, key, at, body } }) {
    const path = belowBase(url, addresses)
    const target = path.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(path) ? path : `/${path}`
    const given = { method: 'GET', target, authorization: key ?? authorization, receivedAt }
    const session = await sessions.preview(given)
    const asked = { ...given, authorization: given.authorization ?? session.runtime.settings.apiKeys[0] }
    const then = at === undefined ? undefined : snapshotAt(session, at, secondOf(session, receivedAt))
    const moment = then === undefined ? momentOf(session, at) : momentBefore(session, then, at)
    const explained = await explainAt(moment, asked, run, body)
    if (explained === undefined) throw invalidQuery({ at: 'url', got: url, want: WANT_URL })
    return explained
  },
})

/** A URL of the mock below its base address, which may have a path of its own. */
function belowBase(url: string, { baseUrl, historyUrl }: Addresses): string {
  const bases = [baseUrl, historyUrl].filter(base => url.startsWith(`${base}/`))
  return url.slice(Math.max(0, ...bases.map(({ length }) => length)))
}

/** Explains a request. It changes nothing, so the requests of the session do not wait for it, but for its look-ups others do not wait. */
function explainAt(moment: Moment, request: ServiceRequest, run: RunInTurns, body?: 'whole') {
  const { runtime, counters } = moment
  return run(
    request,
    () => runtime.shared.respond.lookUps(runtime, counters, request, {}),
    made => explainRequest(moment, request, body, made),
  )
}
