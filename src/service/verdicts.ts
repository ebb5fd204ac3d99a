// Verdicts on a consumer that come from outside: whether it passed a case that HTTP cannot show. Bounded, one for each case.
import { PriceFeedMockError } from '../errors.js'
import { toAsciiJson } from '../outcome.js'
import { withoutSecrets } from '../settings/settings.js'
import type { Verdict, VerdictInput } from './journal-entry.js'

/** Maximum number of verdicts of a session. */
export const MAX_VERDICTS = 200
/** Maximum number of characters of JSON of all verdicts of a session. */
const MAX_VERDICT_CHARACTERS = 100_000
/** Maximum length of the name of a case. */
export const MAX_CASE_LENGTH = 100
/** Maximum length of a reason. */
export const MAX_WHY_LENGTH = 1000

/** Creates a verdict, without the secrets of some settings in its texts. */
export function toVerdict(
  { case: name, ok, why }: VerdictInput,
  place: Pick<Verdict, 'n' | 'now' | 'receivedAt'>,
  settings: Parameters<typeof withoutSecrets>[1],
): Verdict {
  const shown = (text: string, length: number): string => withoutSecrets(text, settings).slice(0, length)
  const reason = why === undefined ? {} : { why: shown(why, MAX_WHY_LENGTH) }
  return { case: shown(name, MAX_CASE_LENGTH), ok, ...reason, ...place }
}

/**
 * Adds a verdict. It replaces the one on the same case.
 * @throws PriceFeedMockError SESSION_TOO_LARGE
 */
export function withVerdict(id: string, verdicts: readonly Verdict[], verdict: Verdict): readonly Verdict[] {
  const next = [...verdicts.filter(known => known.case !== verdict.case), verdict]
  const characters = toAsciiJson(next).length
  if (next.length > MAX_VERDICTS || characters > MAX_VERDICT_CHARACTERS)
    throw new PriceFeedMockError('SESSION_TOO_LARGE', `The session ${id} would have too many verdicts.`, {
      got: `${next.length} verdicts of ${characters} characters`,
      want: `at most ${MAX_VERDICTS} verdicts of ${MAX_VERDICT_CHARACTERS} characters`,
      fix: `DELETE /_mock/sessions/${id}/verdicts`,
    })
  return next
}
