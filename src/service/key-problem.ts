// The API key of a request: whether it is accepted, the form of a mistake, and what is shown of it, which is nothing of an unknown key.
import { NOT_SHOWN } from '../errors.js'
import { hashText } from '../market/random.js'
import { mayHoldKey, type Settings, toShownKey } from '../settings/settings.js'
import { ServiceError } from './endpoint.js'
import type { JournalEntry } from './journal-entry.js'
import type { Counters } from './record.js'
import type { Target } from './request.js'
import type { Runtime } from './runtime.js'

/** The forms of a wrong key, in the order in which they are looked for. */
export const KEY_PROBLEMS = ['query', 'missing', 'several', 'scheme', 'quotes', 'case', 'unknown'] as const
/** How a key was sent wrongly. */
export type KeyProblem = (typeof KEY_PROBLEMS)[number]

/** Hosts join repeated headers by a comma and a blank, which no key contains. */
const isRepeated = (authorization: string): boolean => authorization.includes(', ')

const schemeOf = (authorization: string): string | undefined =>
  /^(bearer|basic|token|apikey|api-key)\s+/i.exec(authorization)?.[1]

/** The mistake in the value of an `Authorization` header that is not accepted. */
export function findKeyProblem(
  authorization: string | undefined,
  query: Target['query'],
  { settings, acceptsKey }: Pick<Runtime, 'settings' | 'acceptsKey'>,
): KeyProblem {
  if (authorization === undefined || authorization === '')
    return query.some(([name, value]) => value !== '' && mayHoldKey(name)) ? 'query' : 'missing'
  if (isRepeated(authorization)) return 'several'
  if (schemeOf(authorization) !== undefined) return 'scheme'
  if (/^["'`<].*[>"'`]$/s.test(authorization)) return 'quotes'
  const lower = authorization.toLowerCase()
  return acceptsKey(lower) || settings.apiKeys.some(known => known.toLowerCase() === lower) ? 'case' : 'unknown'
}

/** The check of an API key. */
export interface KeyCheck {
  readonly verdict: 'accepted' | 'unknown' | 'missing'
  /** The key as the journal shows it. An unknown one may be a real one, and an accepted one may be a secret of the user. */
  readonly shown: string | undefined
}

/** The checks of the API keys of some settings, by key. */
export const checksOf = (settings: Pick<Settings, 'apiKeys'>): ReadonlyMap<string, KeyCheck> =>
  new Map(settings.apiKeys.map(key => [key, { verdict: 'accepted', shown: toShownKey(key, settings) }]))

/** Checks the value of the `Authorization` header. */
export function checkKey({ ownKeys, acceptsKey }: Runtime, authorization: string | undefined): KeyCheck {
  if (authorization === undefined || authorization === '') return { verdict: 'missing', shown: authorization }
  const own = ownKeys.get(authorization)
  if (own !== undefined) return own
  // It selects a session, whose name is public.
  if (acceptsKey(authorization)) return { verdict: 'accepted', shown: authorization }
  return { verdict: 'unknown', shown: isRepeated(authorization) ? '(several values, not shown)' : NOT_SHOWN }
}

/** The error for a key that is missing or not accepted. */
export function unauthorized({ verdict }: KeyCheck, authorization = ''): ServiceError {
  return new ServiceError(401, 'unauthorized', describeKey(verdict, authorization))
}

function describeKey(verdict: KeyCheck['verdict'], authorization: string): string {
  if (verdict === 'missing')
    return 'The Authorization header is missing: its value is the API key itself, without a scheme.'
  if (isRepeated(authorization)) return 'The Authorization header has several values: send only the API key.'
  const scheme = schemeOf(authorization)
  return scheme
    ? `The API key is sent bare: remove "${scheme}" from the Authorization header, its value is the key itself.`
    : 'The API key in the Authorization header is not a valid one.'
}

/** The keys that got a 401 in a session: none. */
export const NO_KEYS: Counters['refused'] = { last: 0, marks: [] }

/** Number of keys that a session remembers. */
export const MAX_KEYS = 100

/** Adds the number of its key to an entry, if that key has got a 401: a journal shows so whether a key was sent again without holding it. */
export function numberKey(
  refused: Counters['refused'],
  entry: JournalEntry,
  authorization: string | undefined,
): { readonly refused: Counters['refused']; readonly entry: JournalEntry } {
  const isRefused = entry.status === 401
  // The fast path: most sessions refuse no key.
  if (!authorization || (refused.last === 0 && !isRefused)) return { refused, entry }
  const mark = `${authorization.length} ${hashText(authorization)}`
  const known = refused.marks.find(([one]) => one === mark)?.[1]
  if (known !== undefined) return { refused, entry: { ...entry, refusedKey: known } }
  if (!isRefused) return { refused, entry }
  const number = refused.last + 1
  const marks = [...refused.marks, [mark, number] as const].slice(-MAX_KEYS)
  return { refused: { last: number, marks }, entry: { ...entry, refusedKey: number } }
}
