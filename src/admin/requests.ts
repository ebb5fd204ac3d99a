// The journal of a session: its requests, a summary of them, and an empty start.
import * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import type { JournalEntry } from '../service/journal.js'
import { NO_COUNT } from '../service/state.js'
import { defineAdminRoute, NO_REPLY } from './admin-route.js'

const entrySchema = z.object({
  n: z.int(),
  ordinal: z.int(),
  endpoint: z.string(),
  method: z.string(),
  target: z.string(),
  apiKey: z.optional(z.string()),
  status: z.int(),
  faults: z.array(z.string()),
  now: z.int(),
  receivedAt: z.number(),
  durationMs: z.optional(z.number()),
})

/** GET /_mock/sessions/{id}/requests: the newest 1,000, oldest first. */
export const listRequests = defineAdminRoute({
  name: 'listRequests',
  summary: 'The newest requests of a session; ?endpoint= and ?status= choose',
  path: '/_mock/sessions/{id}/requests',
  query: z.strictObject({
    endpoint: z.optional(z.enum(ENDPOINTS.map(({ name }) => name))),
    status: z.optional(
      z.string().check(z.regex(/^(0|[1-5]\d\d)$/, { error: 'a status such as 401, or 0 where none was sent' })),
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

/** DELETE /_mock/sessions/{id}/requests: counters go on. */
export const clearRequests = defineAdminRoute({
  name: 'clearRequests',
  summary: 'Empty the journal of a session; its counters go on',
  method: 'DELETE',
  path: '/_mock/sessions/{id}/requests',
  status: 204,
  reply: NO_REPLY,
  answer: ({ sessions }, { path }) => sessions.get(path.id).journal.clear() as undefined,
})

const spreadSchema = z.nullable(z.object({ least: z.number(), mean: z.number(), most: z.number() }))

/** `planned` says when and where; `misses` are answers of its endpoints that it did not touch, `lastMiss` why the newest. */
const faultSchema = z.object({
  fault: z.string(),
  planned: z.string(),
  hits: z.int(),
  misses: z.int(),
  lastMiss: z.optional(z.string()),
})

/** GET /_mock/sessions/{id}/requests/summary: times in milliseconds. */
export const summarizeRequests = defineAdminRoute({
  name: 'summarizeRequests',
  summary: 'Counts by endpoint and status, the time between requests, and what became of each planned fault',
  path: '/_mock/sessions/{id}/requests/summary',
  reply: z.object({
    requests: z.int(),
    endpoints: z.array(
      z.object({
        endpoint: z.string(),
        requests: z.int(),
        statuses: z.record(z.string(), z.int()),
        /** Virtual milliseconds, at a resolution of seconds; null below two requests. */
        betweenVirtualMs: spreadSchema,
        betweenRealMs: spreadSchema,
      }),
    ),
    /** Faults of the scenario, since it was applied. */
    faults: z.array(faultSchema),
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

/** How far apart times follow each other. */
function spread(times: readonly number[]): z.output<typeof spreadSchema> {
  const gaps = times.slice(1).map((time, i) => time - times[i]!)
  if (gaps.length === 0) return null
  return {
    least: Math.min(...gaps),
    mean: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length,
    most: Math.max(...gaps),
  }
}
