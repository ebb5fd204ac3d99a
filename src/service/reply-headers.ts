// Headers of the service's replies. The part that all replies of one second share is built once.
import { getOrCreate } from '../caches.js'
import type { Content } from '../faults/fault.js'
import { type HeaderList, hasBody, MEDIA_TYPE, MOCK_HEADER, toDictionary } from '../outcome.js'
import { toHttpDate } from '../settings/time.js'
import type { Runtime } from './runtime.js'

/** The methods that the five endpoints answer. */
export const ALLOW = 'GET, HEAD, OPTIONS'

/** Allows any page to read the reply. */
export const CORS: HeaderList = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  `${MOCK_HEADER}, retry-after, date`,
]
/** Allows any page to send an API key. */
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

/** The parts of a reply that determine its headers. */
interface Described extends Pick<Content, 'mediaType' | 'cors' | 'headers' | 'status'> {
  readonly faults: readonly string[]
}
/** Marks the first reply of a session that replaces an evicted one. */
const EVICTED = `, ${toDictionary({ evicted: true })}`
const NONE: HeaderList = []

/** Builds the headers of a session's replies in one second. */
export type ReplyHeaders = ReturnType<typeof createReplyHeaders>

/** Creates the headers of a session at second `now`. `n` is the number of a request in the session. */
export function createReplyHeaders({ setup, settings }: Runtime, now: number) {
  const mark = toDictionary({ session: setup.id, now })
  const custom = settings.signerKeyUnsafe === undefined ? '' : `, ${toDictionary({ signer: 'custom' })}`
  const common = ['cache-control', 'no-store', 'date', toHttpDate(now), MOCK_HEADER]
  const preflight = [...PREFLIGHT, ...common]
  const { wwwAuthenticate } = settings.policy
  const challenge: HeaderList = wwwAuthenticate === '' ? [] : ['www-authenticate', wwwAuthenticate]
  /** The end of the header of the mock, by the names of the applied faults. */
  const ends = new Map<string, string>()
  const endOf = (faults: readonly string[]): string =>
    getOrCreate(ends, faults.join(' '), () => `, ${toDictionary({ faults })}${custom}`)
  const markOf = (n: number, faults: readonly string[]): string =>
    `${mark}, n=${n}${n === 1 && setup.replacesEvicted ? EVICTED : ''}${faults.length === 0 ? custom : endOf(faults)}`
  const startOf = (mediaType: string, cors: boolean): HeaderList => [
    'content-type',
    mediaType,
    ...(cors ? CORS : []),
    ...common,
  ]
  const ofJson = startOf(MEDIA_TYPE.json, true)
  return {
    preflight: (n: number): HeaderList => [...preflight, markOf(n, [])],
    /** @param length of the body, in bytes */
    reply(n: number, length: number, described: Partial<Described> = {}): HeaderList {
      const { mediaType = MEDIA_TYPE.json, cors = true, headers = NONE, faults = NONE, status = 200 } = described
      if (!hasBody(status)) return [...(cors ? CORS : []), ...common, markOf(n, faults), ...headers]
      const start = cors && mediaType === MEDIA_TYPE.json ? ofJson : startOf(mediaType, cors)
      const end = ['content-length', String(length), ...headers]
      return [...start, markOf(n, faults), ...(status === 401 ? challenge : NONE), ...end]
    },
  }
}
