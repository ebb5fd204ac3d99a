// Answers all requests besides the five endpoints: admin routes, the index page, and a problem for unknown paths.
import { getOrCreate } from '../caches.js'
import { ENDPOINTS } from '../endpoints/index.js'
import { isPriceFeedMockError, PriceFeedMockError, shorten, tryOrThrow } from '../errors.js'
import { type HeaderList, MEDIA_TYPE, mockReply, problemReply, type Reply, toAsciiJson } from '../outcome.js'
import { ALLOW, CORS, PREFLIGHT } from '../service/reply-headers.js'
import { parseTarget, type ServiceRequest, type Target } from '../service/request.js'
import type { Match } from '../service/router.js'
import type { Session } from '../service/sessions.js'
import { assertNoProblems, findExcess, findPrototypes, parseOrThrow } from '../settings/schema.js'
import { toHttpDate } from '../settings/time.js'
import { type Addresses, type AdminContext, type AdminRoute, HOST_ROUTES, secondOf } from './admin-route.js'
import { ADMIN_ROUTES } from './index.js'
import { indexPage } from './index-page.js'
import { describeNearest, matchRow, type Row } from './routes.js'

/** Answers all requests that no endpoint of the service has answered. */
export async function administer(request: ServiceRequest, context: AdminContext): Promise<Reply> {
  const target = parseTarget(request.target)
  const match = matchRow(target)
  const answeredBy = match?.endpoint.answeredBy
  try {
    if (typeof answeredBy === 'object') return await answer(request, target, answeredBy, match!.pathValues, context)
    if (answeredBy === 'index') return readOnly(request, target, () => indexOf(target))
    if (answeredBy === 'metrics' || answeredBy === 'events') return readOnly(request, target, () => serverOnly(target))
    return await unknown(request, target, context)
  } catch (error) {
    if (isPriceFeedMockError(error)) return problemReply(error)
    throw error
  }
}

async function answer(
  { method, body }: ServiceRequest,
  { path, query }: Target,
  adminRoutes: readonly AdminRoute[],
  pathValues: Match<Row>['pathValues'],
  context: AdminContext,
): Promise<Reply> {
  const methods = adminRoutes.map(adminRoute => adminRoute.method)
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (method === 'OPTIONS') return mockReply(204, '', ['allow', allow])
  const adminRoute = adminRoutes.find(one => one.method === (method === 'HEAD' ? 'GET' : method))
  if (adminRoute === undefined) return methodNotAllowed(method, path, allow)
  const data = parseBody(adminRoute, body)
  const input = {
    path: pathValues,
    query: parseOrThrow(adminRoute.query, toObject(query), 'REQUEST_INVALID', 'The query'),
    body: parseOrThrow(adminRoute.body, data, 'REQUEST_INVALID', 'The body'),
  }
  assertNoProblems('REQUEST_INVALID', 'The body', findPrototypes(data))
  const reply = await adminRoute.answer(context, input as never)
  if (adminRoute.status === 204) return mockReply(204, '', [])
  return mockReply(adminRoute.status, toAsciiJson(reply), ['content-type', MEDIA_TYPE.json])
}

function readOnly({ method }: ServiceRequest, { path }: Target, answer: () => Reply): Reply {
  if (method === 'OPTIONS') return mockReply(204, '', ['allow', ALLOW])
  return method === 'GET' || method === 'HEAD' ? answer() : methodNotAllowed(method, path, ALLOW)
}

function indexOf({ path }: Target): Reply {
  const html = indexPage(ENDPOINTS, [...ADMIN_ROUTES, ...HOST_ROUTES], path.endsWith('/') ? '..' : '.')
  return mockReply(200, html, ['content-type', MEDIA_TYPE.html])
}

function serverOnly({ path }: Target): Reply {
  return problemReply(
    new PriceFeedMockError('UNKNOWN_ROUTE', `${path} needs a running server.`, {
      fix: 'npx price-feed-mock, or startServer() from price-feed-mock/node',
      note: 'a mock in a page, or behind fetch or msw, has no such route',
    }),
  )
}

function methodNotAllowed(method: string, path: string, allow: string): Reply {
  const shortMessage = `${method} ${path}: the path exists, the method does not.`
  const error = new PriceFeedMockError('METHOD_NOT_ALLOWED', shortMessage, { want: allow })
  return problemReply(error, ['allow', allow])
}

/** A repeated parameter becomes a list, which every schema rejects. */
function toObject(query: Target['query']): Record<string, string | string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of query) getOrCreate(values, name, () => []).push(value)
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length > 1 ? all : all[0]!]))
}

function parseBody({ body: schema }: AdminRoute, text: string | undefined): unknown {
  const wantsNone = schema._zod.def.type === 'undefined'
  if (wantsNone || text === undefined || text.trim() === '') return wantsNone ? undefined : {}
  assertNoProblems('REQUEST_INVALID', 'The body', findExcess(text))
  return tryOrThrow(
    () => JSON.parse(text),
    () => new PriceFeedMockError('REQUEST_INVALID', 'The body is not JSON.', { want: 'a JSON object' }),
  )
}

/** A problem for an unknown path. Pages of any origin may read it, except below `/_mock`. */
async function unknown(request: ServiceRequest, target: Target, { sessions, addresses }: AdminContext): Promise<Reply> {
  const open = target.segments[0] === '_mock' ? [] : CORS
  if (request.method === 'OPTIONS' && open.length > 0) return mockReply(204, '', PREFLIGHT)
  /** Like that of a reply of the service, so that a consumer meets one time. */
  const dated = (session: Session): HeaderList => [...open, 'date', toHttpDate(secondOf(session, request.receivedAt))]
  try {
    // Throws for an invalid name of a session or scenario.
    const session = await sessions.route(request)
    const { target: stripped } = sessions.parts.respond.routeOf(request.target)
    const error =
      matchRow(stripped)?.endpoint.answeredBy === 'endpoint'
        ? otherPort(stripped)
        : unknownRoute(request.method, target, stripped, addresses)
    return problemReply(error, dated(session))
  } catch (error) {
    if (isPriceFeedMockError(error)) return problemReply(error, dated(await sessions.get('default')))
    throw error
  }
}

function unknownRoute(method: string, target: Target, stripped: Target, { baseUrl }: Addresses): PriceFeedMockError {
  const near = describeNearest([...ENDPOINTS, ...ADMIN_ROUTES, ...HOST_ROUTES], stripped, method)
  return new PriceFeedMockError('UNKNOWN_ROUTE', `Nothing answers ${method} ${shorten(target.path, 200)}.`, {
    want: near ?? `one of ${ENDPOINTS.map(endpoint => endpoint.path).join(', ')}, or /_mock/openapi.json`,
    docs: `${baseUrl}/_mock/`,
  })
}

/** With `--history-port`, each port answers only its own endpoints. */
function otherPort({ path }: Target): PriceFeedMockError {
  return new PriceFeedMockError('UNKNOWN_ROUTE', `${path} is answered by the other port.`, {
    want: 'prices on --port, charting on --history-port',
  })
}
