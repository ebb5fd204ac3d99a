// The address of a store: how it is read, and how messages show it. They never contain its user name and password.
import { PriceFeedMockError, tryTo } from '../../../errors.js'
import { MAX_SESSIONS } from '../../../service/admission.js'
import { decodeText } from '../../../service/request.js'

const STORE_URL =
  /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^:]*)(?::(.*))?@)?([^/?#@]+)((?:\/[^/?#]*){0,2})(\?(?:prefix=([\w.-]{1,32})(?:&sessions=(\d{4,6}))?|sessions=(\d{4,6})))?$/
/** A description of the form. */
export const WANT_STORE =
  'an address such as redis://host:6379/0, rediss://user:password@host, redis+sentinel://host:26379/master or redis+cluster://host:7000, with ?prefix=name, ?sessions=20000 (1000 to 100000), ?prefix=name&sessions=20000 or none of them'
/** The fix for a store with keys that cannot be read. */
export const USE_ANOTHER =
  'name another database (/1) or prefix (?prefix=name) in the address, or remove the keys of this one'

type StoreKind = 'single' | 'sentinel' | 'cluster'
type RedisNode = { readonly host: string; readonly port: number }

/** The address of a store. */
export type StoreAddress = Readonly<ReturnType<typeof parseStoreUrl>>

/** The largest number of sessions of a store; the smallest is that of a mock in memory. */
const MAX_STORED_SESSIONS = 100_000

/**
 * Reads the address of a store.
 * @throws PriceFeedMockError OPTIONS_INVALID
 */
export function parseStoreUrl(url: string) {
  const [, secure, way, user = '', password, hosts = '', path = '', query = '', prefix = 'pfm', most, only] =
    STORE_URL.exec(url) ?? []
  const sessions = Number(most ?? only ?? MAX_SESSIONS)
  const kind: StoreKind = way === 'sentinel' || way === 'cluster' ? way : 'single'
  const nodes = hosts.split(',').map(host => parseNode(host, kind))
  const [first = '', second = ''] = path.split('/').slice(1).map(decodeText)
  const master = kind === 'sentinel' ? first : undefined
  const database = kind === 'sentinel' ? second : first
  const isExcess = kind === 'sentinel' ? first === '' : second !== ''
  const isDatabase = kind === 'cluster' ? database === '' : /^\d{0,5}$/.test(database)
  if (
    secure === undefined ||
    nodes.includes(undefined) ||
    (kind === 'single' && nodes.length > 1) ||
    isExcess ||
    !isDatabase ||
    sessions < MAX_SESSIONS ||
    sessions > MAX_STORED_SESSIONS
  )
    throw new PriceFeedMockError('OPTIONS_INVALID', 'The address of the store is invalid.', {
      want: WANT_STORE,
      note: 'it is not shown, since it may contain a password',
    })
  const scheme = url.slice(0, url.indexOf('://'))
  return {
    kind,
    nodes: nodes as readonly RedisNode[],
    tls: secure === 's',
    username: user === '' ? undefined : decodeText(user),
    password: password === undefined ? undefined : decodeText(password),
    database: Number(database),
    /** The name of the primary that sentinels watch. */
    master,
    /** The hash tag of all keys, so that they are in one slot of a cluster. */
    prefix,
    /** Maximum number of sessions besides `default`. */
    sessions,
    /** The address without user name and password. */
    shown: `${scheme}://${hosts}${path}${query}`,
  }
}

/** Whether a text is the address of a store. */
export const isStoreUrl = (url: string): boolean => tryTo(() => parseStoreUrl(url)) !== undefined

function parseNode(text: string, kind: StoreKind): RedisNode | undefined {
  const [, host, port = kind === 'sentinel' ? '26379' : '6379'] =
    /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(text) ?? []
  if (host === undefined || Number(port) > 65_535) return undefined
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}
