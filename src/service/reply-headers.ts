// The headers of the service's replies. What is the same for every request of a second is made once.
import { type HeaderList, MEDIA_TYPE, MOCK_HEADER, toDictionary } from '../outcome.js'
import { toHttpDate } from '../settings/time.js'
import type { World } from './moment.js'

/** The methods that the five endpoints answer. */
export const ALLOW = 'GET, HEAD, OPTIONS'

/** Lets any page read the reply. */
export const CORS: HeaderList = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  `${MOCK_HEADER}, retry-after, date`,
]
/** Lets any page ask with a key. */
export const PREFLIGHT: HeaderList = [
  'access-control-allow-origin',
  '*',
  'access-control-allow-methods',
  ALLOW,
  'access-control-allow-headers',
  'authorization, *',
  'access-control-max-age',
  '600',
  'allow',
  ALLOW,
]

/** Makes the headers of the replies of one second of one world; `n` numbers the requests of the session. */
export interface ReplyHeaders {
  preflight(n: number): HeaderList
  /** @param length of the body, in bytes; @param extra further headers */
  json(n: number, length: number, extra?: HeaderList): HeaderList
}

/** Creates the headers of a world at second `now`. */
export function createReplyHeaders({ id, settings }: World, now: number): ReplyHeaders {
  const mark = toDictionary({ session: id, now })
  const custom = settings.signerKeyUnsafe === undefined ? '' : `, ${toDictionary({ signer: 'custom' })}`
  const common = ['cache-control', 'no-store', 'date', toHttpDate(now), MOCK_HEADER]
  const json = ['content-type', MEDIA_TYPE.json, ...CORS, ...common]
  const preflight = [...PREFLIGHT, ...common]
  const markOf = (n: number): string => `${mark}, n=${n}${custom}`
  return {
    preflight: n => [...preflight, markOf(n)],
    json: (n, length, extra = []) => [...json, markOf(n), 'content-length', String(length), ...extra],
  }
}
