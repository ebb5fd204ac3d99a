// The schemas of verdicts. Apart from `verdicts.ts`, because a page that only asks for prices does not need them.
import * as z from 'zod/mini'
import { documented, integer, text } from '../settings/schema.js'
import { MAX_WHY_LENGTH } from './verdicts.js'

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
