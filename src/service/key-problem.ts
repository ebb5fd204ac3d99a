// How a key was sent wrongly. Finds the form of the mistake and keeps nothing of the key.
import { mayHoldKey } from '../settings/shown-keys.js'
import type { SessionContext } from './endpoint-context.js'
import type { Target } from './request.js'

/** The forms of a wrong key, in the order in which they are looked for. */
export const KEY_PROBLEMS = ['query', 'missing', 'several', 'scheme', 'quotes', 'case', 'unknown'] as const
/** How a key was sent wrongly. */
export type KeyProblem = (typeof KEY_PROBLEMS)[number]

/** Hosts join repeated headers by a comma and a blank, which no key contains. */
export const isRepeated = (authorization: string): boolean => authorization.includes(', ')

/** The scheme before a key, such as `Bearer`. */
export const schemeOf = (authorization: string): string | undefined =>
  /^(bearer|basic|token|apikey|api-key)\s+/i.exec(authorization)?.[1]

/** The mistake in the value of an `Authorization` header that is not accepted. */
export function findKeyProblem(
  authorization: string | undefined,
  query: Target['query'],
  { settings, acceptsKey }: Pick<SessionContext, 'settings' | 'acceptsKey'>,
): KeyProblem {
  if (authorization === undefined || authorization === '')
    return query.some(([name, value]) => value !== '' && mayHoldKey(name)) ? 'query' : 'missing'
  if (isRepeated(authorization)) return 'several'
  if (schemeOf(authorization) !== undefined) return 'scheme'
  if (/^["'`<].*[>"'`]$/s.test(authorization)) return 'quotes'
  const lower = authorization.toLowerCase()
  return acceptsKey(lower) || settings.apiKeys.some(known => known.toLowerCase() === lower) ? 'case' : 'unknown'
}
