// An entry of a journal, and a verdict with its place in one, each by one schema: types, replies of admin routes, and lines of files and
// stores follow from it. A page that only asks for prices loads neither.
import * as z from 'zod/mini'
import { type DeepReadonly, documented, integer, text } from '../settings/schema.js'
import { KEY_PROBLEMS } from './key-problem.js'
import { GOT } from './received.js'
import { MAX_WHY_LENGTH } from './verdicts.js'

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

const WANT_CASE = 'the name of a case: 1 to 100 characters on one line, such as stale-btc'
const WANT_WHY = `at most ${MAX_WHY_LENGTH} characters`

/** The body of `POST …/verdicts`. */
export const verdictInputSchema = z.strictObject({
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it excludes.
  case: documented(text(/^[^\u0000-\u001f\u007f]{1,100}$/, WANT_CASE), 'Name of the case.'),
  ok: documented(z.boolean({ error: 'true or false' }), 'Whether the consumer passed it.'),
  why: documented(
    z.optional(z.string({ error: WANT_WHY }).check(z.maxLength(MAX_WHY_LENGTH, { error: WANT_WHY }))),
    'The reason, in a few words.',
  ),
})
/** A verdict as its author gives it. */
export type VerdictInput = z.input<typeof verdictInputSchema>

/** A verdict with its place in the journal. */
export const verdictSchema = documented(
  z.extend(verdictInputSchema, {
    n: documented(integer(0, Number.MAX_SAFE_INTEGER), 'Number of requests of the session until then.'),
    now: documented(integer(0, Number.MAX_SAFE_INTEGER), 'Virtual time in seconds since the epoch.'),
    receivedAt: documented(z.number(), 'Real time in milliseconds since the epoch.'),
  }),
  'A verdict on the consumer from outside, such as a test.',
  'Verdict',
)
/** A verdict with its place in the journal. */
export type Verdict = z.output<typeof verdictSchema>
