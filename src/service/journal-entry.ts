// An entry of a journal, by one schema: its type, replies of admin routes, and lines of files and stores follow from it.
import * as z from 'zod/mini'
import { type DeepReadonly, documented } from '../settings/schema.js'
import { KEY_PROBLEMS } from './key-problem.js'
import { GOT } from './received.js'

/** The schema of an entry. */
export const journalEntrySchema = documented(
  z.object({
    n: documented(z.int(), 'Number of the request in its session, from 1.'),
    ordinal: documented(
      z.int(),
      'Number of the request among the GET and HEAD requests of its endpoint, from 1; 0 for other methods.',
    ),
    endpoint: z.string(),
    method: z.string(),
    target: documented(z.string(), 'Path and query, at most 2,048 characters of them.'),
    targetLength: documented(z.optional(z.int()), 'Length of the whole target, if it was truncated.'),
    apiKey: documented(z.optional(z.string()), 'The API key, if it is public.'),
    keyProblem: documented(z.optional(z.enum(KEY_PROBLEMS)), 'How the key was sent wrongly.'),
    refusedKey: documented(z.optional(z.int()), 'Number of the key among those that got a 401, from 1.'),
    status: documented(z.int(), 'Status of the reply; 0 when none was sent.'),
    got: documented(
      z.optional(z.enum(GOT)),
      'What the consumer got, or would have got if it had waited: a good price (`fresh`), one that is too old (`stale`), an error status (`refused`), no reply or one that cannot be used (`broken`), a signature that does not fit (`forged`). Absent for OPTIONS.',
    ),
    why: documented(z.optional(z.string()), 'The reason, unless it is `fresh`.'),
    retryAfter: documented(z.optional(z.number()), 'Seconds of the `Retry-After` of the reply.'),
    faults: documented(z.array(z.string()), 'Names of the faults that were applied.'),
    quotas: documented(
      z.optional(z.array(z.nullable(z.object({ window: z.int(), used: z.int() })))),
      'The used quota of each fault of the scenario before the request, if one has a quota.',
    ),
    windows: documented(
      z.optional(z.array(z.nullable(z.object({ from: z.int(), ordinals: z.record(z.string(), z.int()) })))),
      'The window of each fault that counts requests in its windows, and the requests of each endpoint before it, if one does.',
    ),
    now: documented(z.int(), 'Virtual time in seconds since the epoch.'),
    nowMs: documented(z.optional(z.int()), 'The same in milliseconds.'),
    receivedAt: documented(z.number(), 'Real time in milliseconds since the epoch.'),
    durationMs: documented(
      z.optional(z.number()),
      'Real milliseconds until the reply was written, or would have been if the caller had waited.',
    ),
    evicted: documented(z.optional(z.literal(true)), 'Present if the session replaces an evicted one.'),
  }),
  'One request and its reply.',
  'JournalEntry',
)

/** One answered request. */
export type JournalEntry = DeepReadonly<z.output<typeof journalEntrySchema>>
