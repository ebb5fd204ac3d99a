// Protects the admin from pages of other origins, from names that were rebound to this machine, and from callers without its token.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Access } from '../../admin/routes.js'
import { PriceFeedMockError } from '../../errors.js'
import { MOCK_HEADER } from '../../outcome.js'
import { isScenarioId, parseTarget } from '../../service/request.js'
import { andThen } from './turns.js'

/** Options of the access to the admin, all optional. */
export interface AccessOptions {
  /**
   * Host names besides loopback at which the admin answers.
   * @default none
   */
  readonly allowHosts?: readonly string[] | undefined
  /**
   * Origins whose pages may use the admin, such as `http://localhost:5173`.
   * @default none besides its own
   */
  readonly allowOrigins?: readonly string[] | undefined
  /**
   * The token that the admin requires, and that creates sessions, except those of `/scenario/NAME`. Health checks need none.
   * @default none is required
   */
  readonly adminToken?: string | undefined
}

/** The callers that reach the admin. */
export interface AccessRules extends AccessOptions {
  /**
   * The origin at which a proxy shows the server.
   * @default that of the `Host` header
   */
  readonly publicOrigin?: string | undefined
  /** The host that a client has asked a trusted proxy for; undefined without one. */
  forwardedHost?(request: IncomingMessage): string | undefined
}

const LOOPBACK =
  /^(([\w-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:(127(\.\d{1,3}){3}|7f[\da-f]{2}:[\da-f]{1,4})\])$/i
/** Load balancers and orchestrators send their checks to an address, which no name can be rebound to. */
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\])?$/i

/** The error for a request that may not reach a path of that access, or undefined. */
export function findObjection(
  request: IncomingMessage,
  access: Access,
  rules: AccessRules,
): PriceFeedMockError | undefined {
  if (access === 'open') return undefined
  const { headers } = request
  const host = hostName(headers.host)
  const isProbe = access === 'probe'
  const isAllowed = (name: string): boolean =>
    LOOPBACK.test(name) ||
    (isProbe && ADDRESS.test(name)) ||
    (rules.allowHosts ?? []).some(allowed => allowed.toLowerCase() === name)
  if (host === '' && !isProbe) return hostNotAllowed('The admin does not answer without a Host header.', host)
  const forwarded = rules.forwardedHost?.(request)
  const refused = [host, ...(forwarded === undefined ? [] : [hostName(forwarded)])].find(name => !isAllowed(name))
  if (refused !== undefined)
    return hostNotAllowed(`The admin does not answer to the host name "${refused.slice(0, 100)}".`, refused)
  if (isForeign(request, access, rules)) return originNotAllowed(headers)
  // The console of a browser asks for the token by itself.
  const isPage = access === 'page' && request.method === 'GET' && isBrowser(request)
  const needsToken = (access === 'admin' || access === 'page') && !isPage && !isPreflight(request)
  return needsToken ? findTokenObjection(headers, rules) : undefined
}

/** Whether a browser wants a page, and not a program the data. */
export const isBrowser = ({ headers }: IncomingMessage): boolean => headers.accept?.includes('text/html') ?? false

/** Lets a page of an allowed origin read the replies of the admin. Returns whether the request was a preflight, now answered. */
export function answerAllowedOrigin(
  request: IncomingMessage,
  response: ServerResponse,
  { allowOrigins = [] }: AccessRules,
): boolean {
  if (allowOrigins.length === 0) return false
  response.setHeader('vary', 'origin')
  const { origin } = request.headers
  if (!isListed(origin, allowOrigins)) return false
  response.setHeader('access-control-allow-origin', origin!)
  response.setHeader('access-control-expose-headers', MOCK_HEADER)
  if (!isPreflight(request)) return false
  response.setHeader('access-control-allow-methods', 'GET, HEAD, POST, PATCH, DELETE')
  response.setHeader('access-control-allow-headers', 'authorization, content-type, last-event-id, x-admin-token')
  response.setHeader('access-control-max-age', '600')
  return true
}

function findTokenObjection(headers: IncomingHttpHeaders, { adminToken }: AccessRules): PriceFeedMockError | undefined {
  if (adminToken === undefined) return undefined
  const sent = tokenOf(headers)
  if (sent !== undefined && isSame(sent, adminToken)) return undefined
  const shortMessage =
    sent === undefined ? 'The admin of this server needs a token.' : 'The token is not that of this server.'
  return new PriceFeedMockError('ADMIN_TOKEN_INVALID', shortMessage, {
    want: 'the token of --admin-token in the header: authorization: Bearer TOKEN',
    note: 'the five endpoints take an API key instead',
  })
}

/**
 * The error for a request that would create a session by its path without the token, or undefined. Sessions of scenarios are open,
 * since their number is bounded.
 */
export function findSessionObjection(
  { url = '/', headers }: IncomingMessage,
  isKnown: (id: string) => boolean | Promise<boolean>,
  rules: AccessRules,
): PriceFeedMockError | undefined | Promise<PriceFeedMockError | undefined> {
  const [first, id = ''] = parseTarget(url).segments
  if (first !== 'session' || isScenarioId(id)) return undefined
  return andThen(isKnown(id), known => {
    const objection = known ? undefined : findTokenObjection({ 'x-admin-token': headers['x-admin-token'] }, rules)
    if (objection === undefined) return undefined
    const shortMessage = `There is no session "${id.slice(0, 64)}", and a new one needs the token.`
    return new PriceFeedMockError(objection.code, shortMessage, {
      want: 'the id of a session, or the token of --admin-token in the header: x-admin-token',
      fix: 'POST /_mock/sessions with the token',
    })
  })
}

/** Asks for the token: programs as a bearer token, browsers as a password. */
export const CHALLENGE = 'Bearer realm="price-feed-mock admin", Basic realm="price-feed-mock admin"'

/**
 * Whether a page of another origin sent the request. A browser sets `Sec-Fetch-Site` also where it sends no `Origin`, as for images
 * and forms, but only to https and loopback addresses.
 */
function isForeign(
  request: IncomingMessage,
  access: Access,
  { allowOrigins = [], publicOrigin }: AccessRules,
): boolean {
  const { method, headers } = request
  const { origin } = headers
  if (isListed(origin, allowOrigins) || (origin !== undefined && origin === publicOrigin)) return false
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'none' || site === 'same-origin')
    return origin !== undefined && !isOwnOrigin(request, origin.toLowerCase())
  // A link, or an address that redirects: the page that it leads to is ours.
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return !(isNavigation && method === 'GET' && (access === 'page' || access === 'root'))
}

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

const isListed = (origin: string | undefined, allowOrigins: readonly string[]): boolean =>
  origin !== undefined && allowOrigins.some(allowed => withoutUsualPort(allowed) === origin.toLowerCase())

/** An origin as browsers send it. */
const withoutUsualPort = (origin: string): string =>
  origin.toLowerCase().replace(/(?<=^http:.*):80$|(?<=^https:.*):443$/, '')

/** Whether an origin is the address of the request. A proxy before the server may have taken off TLS. */
function isOwnOrigin(request: IncomingMessage, origin: string): boolean {
  const { headers } = request
  const host = headers.host?.toLowerCase()
  // The browser has compared the scheme of the page with that of the address.
  if (headers['sec-fetch-site'] === 'same-origin') return origin === `http://${host}` || origin === `https://${host}`
  const proxied = String(headers['x-forwarded-proto'] ?? '')
    .split(',', 1)[0]!
    .trim()
  return origin === `${proxied.toLowerCase() || schemeOf(request)}://${host}`
}

/** The scheme of the connection that a request came by. */
export const schemeOf = ({ socket }: IncomingMessage): 'http' | 'https' =>
  (socket as Partial<TLSSocket> | undefined)?.encrypted ? 'https' : 'http'

function tokenOf({ authorization = '', 'x-admin-token': own }: IncomingHttpHeaders): string | undefined {
  if (typeof own === 'string') return own
  const [, scheme = '', value = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() !== 'basic') return value || undefined
  // Any name: the token is the password.
  return Buffer.from(value, 'base64').toString().replace(/^.*?:/s, '')
}

/** Compares in constant time: digests have one length. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const hostName = (host = ''): string => host.replace(/:\d*$/, '').toLowerCase()

function hostNotAllowed(shortMessage: string, name: string): PriceFeedMockError {
  const shown = /^[\w.-]{1,100}$/.test(name) ? name : 'NAME'
  return new PriceFeedMockError('HOST_NOT_ALLOWED', shortMessage, {
    want: 'localhost, a loopback address, or a name given with --allow-host',
    fix: `npx price-feed-mock --allow-host ${shown}, or allowHosts: ['${shown}'] of the server in code`,
    note: 'the five endpoints answer to any host name',
  })
}

function originNotAllowed({ origin }: IncomingHttpHeaders): PriceFeedMockError {
  const isNamed = origin !== undefined && /^https?:\/\/[\w.:[\]-]{1,100}$/i.test(origin)
  const page = isNamed ? `pages of ${origin}` : 'this page'
  const shown = isNamed ? origin : 'ORIGIN'
  return new PriceFeedMockError('ORIGIN_NOT_ALLOWED', `The admin does not answer ${page}: it has another origin.`, {
    want: 'a page of this server, a program, or an origin given with --allow-origin',
    fix: `npx price-feed-mock --allow-origin ${shown}, or allowOrigins: ['${shown}'] of the server in code`,
    note: 'the five endpoints answer to pages of any origin',
  })
}
