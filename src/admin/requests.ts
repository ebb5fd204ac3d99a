// The admin routes of the journal: its entries, a summary, and clearing it.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import type { JournalEntry } from '../service/journal.js'
import { NO_COUNT } from '../service/state.js'
import { documented } from '../settings/schema.js'
import { defineAdminRoute, NO_REPLY } from './admin-route.js'

const entrySchema = documented(
  z.object({
    n: documented(z.int(), 'Number of the request in its session, from 1.'),
    ordinal: documented(
      z.int(),
      'Number of the request among the GET and HEAD requests of its endpoint, from 1; 0 for other methods.',
    ),
    endpoint: z.string(),
    method: z.string(),
    target: documented(z.string(), 'Path and query.'),
    apiKey: documented(z.optional(z.string()), 'The API key, shown only if the mock knows it.'),
    status: documented(z.int(), 'Status of the reply; 0 when none was sent.'),
    faults: documented(z.array(z.string()), 'Names of the faults that were applied.'),
    now: documented(z.int(), 'Virtual time in seconds since the epoch.'),
    receivedAt: documented(z.number(), 'Real time in milliseconds since the epoch.'),
    durationMs: documented(z.optional(z.number()), 'Real milliseconds until the reply was written.'),
  }),
  'One request and its reply.',
  'JournalEntry',
)

/** GET /_mock/sessions/{id}/requests */
export const listRequests = defineAdminRoute({
  name: 'listRequests',
  summary: 'List the newest 1,000 requests of a session, oldest first; ?endpoint= and ?status= filter',
  path: '/_mock/sessions/{id}/requests',
  query: z.strictObject({
    endpoint: documented(z.optional(z.enum(ENDPOINTS.map(({ name }) => name))), 'Only requests to this endpoint.'),
    status: documented(
      z.optional(
        z.string().check(z.regex(/^(0|[1-5]\d\d)$/, { error: 'a status such as 401, or 0 where none was sent' })),
      ),
      'Only requests with this status; 0 where no reply was sent.',
    ),
  }),
  reply: z.object({ requests: z.array(entrySchema) }),
  answer: ({ sessions }, { path, query }) => ({
    requests: sessions
      .get(path.id)
      .journal.entries()
      .filter(({ endpoint }) => query.endpoint === undefined || endpoint === query.endpoint)
      .filter(({ status }) => query.status === undefined || status === Number(query.status))
      .map(entry => ({ ...entry, faults: [...entry.faults] })),
  }),
})

/** DELETE /_mock/sessions/{id}/requests */
export const clearRequests = defineAdminRoute({
  name: 'clearRequests',
  summary: 'Clear the journal of a session; counters are kept',
  method: 'DELETE',
  path: '/_mock/sessions/{id}/requests',
  status: 204,
  reply: NO_REPLY,
  answer: ({ sessions }, { path }) => sessions.get(path.id).journal.clear() as undefined,
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
  summary: 'Summarize the journal: counts by endpoint and status, time between requests, hits of each planned fault',
  path: '/_mock/sessions/{id}/requests/summary',
  reply: z.object({
    requests: z.int(),
    endpoints: z.array(
      z.object({
        endpoint: z.string(),
        requests: z.int(),
        statuses: documented(z.record(z.string(), z.int()), 'Number of replies by status.'),
        betweenVirtualMs: documented(
          spreadSchema(),
          'Virtual milliseconds between requests, in whole seconds; null for fewer than two requests.',
        ),
        betweenRealMs: documented(spreadSchema(), 'Real milliseconds between requests.'),
      }),
    ),
    faults: documented(z.array(faultSchema), 'Faults of the scenario, counted since it was applied.'),
  }),
  answer({ sessions }, { path }) {
    const { journal, context, state } = sessions.get(path.id)
    const entries = journal.entries()
    const endpoints = ENDPOINTS.map(({ name }) =>
      summarize(
        name,
        entries.filter(({ endpoint }) => endpoint === name),
      ),
    )
    const faults = context.scenario.faults.map(({ index, fault, planned }) => {
      const { hits, misses, lastMiss } = state.faults[index] ?? NO_COUNT
      return { fault: fault.name, planned, hits, misses, ...(lastMiss === undefined ? {} : { lastMiss }) }
    })
    return { requests: entries.length, endpoints: endpoints.filter(({ requests }) => requests > 0), faults }
  },
})

function summarize(endpoint: string, entries: readonly JournalEntry[]) {
  const statuses: Record<string, number> = {}
  for (const { status } of entries) statuses[status] = (statuses[status] ?? 0) + 1
  return {
    endpoint,
    requests: entries.length,
    statuses,
    betweenVirtualMs: spread(entries.map(({ now }) => now * 1000)),
    betweenRealMs: spread(entries.map(({ receivedAt }) => receivedAt)),
  }
}

/** The distances between successive times. */
function spread(times: readonly number[]): z.output<ReturnType<typeof spreadSchema>> {
  const gaps = times.slice(1).map((time, i) => time - times[i]!)
  if (gaps.length === 0) return null
  return {
    least: Math.min(...gaps),
    mean: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length,
    most: Math.max(...gaps),
  }
}
