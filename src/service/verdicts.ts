// Verdicts on a consumer that come from outside: whether it passed a case that HTTP cannot show. Bounded, one for each case.
import * as z from 'zod/mini'
import { PriceFeedMockError } from '../errors.js'
import { toAsciiJson } from '../outcome.js'
import { documented, integer, text } from '../settings/schema.js'
import { withoutSecrets } from '../settings/shown-keys.js'

/** Maximum number of verdicts of a session. */
export const MAX_VERDICTS = 200
/** Maximum number of characters of JSON of all verdicts of a session. */
export const MAX_VERDICT_CHARACTERS = 100_000

/** Maximum length of the name of a case. */
const MAX_CASE_LENGTH = 100
/** Maximum length of a reason. */
const MAX_WHY_LENGTH = 1000

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
  z.strictObject({
    case: verdictInputSchema.shape.case,
    ok: verdictInputSchema.shape.ok,
    why: verdictInputSchema.shape.why,
    n: documented(integer(0, Number.MAX_SAFE_INTEGER), 'Number of requests of the session until then.'),
    now: documented(integer(0, Number.MAX_SAFE_INTEGER), 'Virtual time in seconds since the epoch.'),
    receivedAt: documented(z.number(), 'Real time in milliseconds since the epoch.'),
  }),
  'A verdict on the consumer from outside, such as a test.',
  'Verdict',
)
/** A verdict with its place in the journal. */
export type Verdict = z.output<typeof verdictSchema>

/** Creates a verdict, without the secrets of some settings in its texts. */
export function toVerdict(
  { case: name, ok, why }: VerdictInput,
  place: Pick<Verdict, 'n' | 'now' | 'receivedAt'>,
  settings: readonly Parameters<typeof withoutSecrets>[1][],
): Verdict {
  const shown = (text: string, length: number): string => settings.reduce(withoutSecrets, text).slice(0, length)
  const reason = why === undefined ? {} : { why: shown(why, MAX_WHY_LENGTH) }
  return { case: shown(name, MAX_CASE_LENGTH), ok, ...reason, ...place }
}

/** Characters that verdicts take. */
export const verdictCharacters = (verdicts: readonly Verdict[]): number =>
  verdicts.length === 0 ? 0 : toAsciiJson(verdicts).length

/**
 * Adds a verdict. It replaces the one on the same case.
 * @throws PriceFeedMockError SESSION_TOO_LARGE
 */
export function withVerdict(id: string, verdicts: readonly Verdict[], verdict: Verdict): readonly Verdict[] {
  const next = [...verdicts.filter(known => known.case !== verdict.case), verdict]
  const characters = verdictCharacters(next)
  if (next.length > MAX_VERDICTS || characters > MAX_VERDICT_CHARACTERS)
    throw new PriceFeedMockError('SESSION_TOO_LARGE', `The session ${id} would have too many verdicts.`, {
      details: [
        ['got', `${next.length} verdicts of ${characters} characters`],
        ['want', `at most ${MAX_VERDICTS} verdicts of ${MAX_VERDICT_CHARACTERS} characters`],
        ['fix', `DELETE /_mock/sessions/${id}/verdicts`],
      ],
    })
  return next
}
