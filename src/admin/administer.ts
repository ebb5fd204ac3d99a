// Answers everything that is not one of the five endpoints: the admin routes, the index, and a problem for what leads nowhere.
import type * as z from 'zod/mini'
import { ENDPOINTS } from '../endpoints/index.js'
import { isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import { MEDIA_TYPE, type Reply, toAsciiJson } from '../outcome.js'
import { ALLOW, CORS, PREFLIGHT } from '../service/reply-headers.js'
import { parseTarget, type ServiceRequest, type Target } from '../service/request.js'
import { createRouter, describeNearest, type Routed } from '../service/router.js'
import { assertNoProblems, findPrototypes, read } from '../settings/schema.js'
import type { AdminContext, AdminRoute } from './admin-route.js'
import { HOST_ROUTES } from './host-routes.js'
import { ADMIN_ROUTES } from './index.js'
import { indexPage } from './index-page.js'
import { mockReply, problemReply } from './mock-reply.js'

/** The admin routes of each path. */
const PATHS: readonly (Routed & { adminRoutes: readonly AdminRoute[] })[] = [
  ...new Set(ADMIN_ROUTES.map(({ path }) => path)),
].map(path => ({
  path,
  adminRoutes: (ADMIN_ROUTES as readonly unknown[] as readonly AdminRoute[]).filter(
    adminRoute => adminRoute.path === path,
  ),
}))
const PAGES = [{ path: '/_mock' }, { path: '/_mock/' }]
const routeHost = createRouter<Routed>(HOST_ROUTES)
const routeAdmin = createRouter(PATHS)
const routePage = createRouter(PAGES)
const routeService = createRouter<Routed>(ENDPOINTS)

/** Answers a request that no endpoint of the service has taken. */
export function administer(request: ServiceRequest, context: AdminContext): Reply {
  try {
    const target = parseTarget(request.target)
    const found = routeAdmin(target)
    if (found !== undefined) return answer(request, target, found.endpoint.adminRoutes, found.pathValues, context)
    if (routePage(target) !== undefined) return readOnly(request, target, () => page(target))
    if (routeHost(target) !== undefined) return readOnly(request, target, () => elsewhere(target))
    return nowhere(request, target, context)
  } catch (error) {
    if (isPriceFeedMockError(error)) return problemReply(error)
    throw error
  }
}

function answer(
  { method, body }: ServiceRequest,
  { path, query }: Target,
  adminRoutes: readonly AdminRoute[],
  pathValues: Readonly<Record<string, string>>,
  context: AdminContext,
): Reply {
  const methods = adminRoutes.map(adminRoute => adminRoute.method)
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (method === 'OPTIONS') return mockReply(204, '', ['allow', allow])
  const adminRoute = adminRoutes.find(one => one.method === (method === 'HEAD' ? 'GET' : method))
  if (adminRoute === undefined) return methodNotAllowed(method, path, allow)
  const data = parseBody(adminRoute, body)
  const input = {
    path: pathValues,
    query: check(adminRoute.query, toObject(query), 'The query'),
    body: check(adminRoute.body, data, 'The body'),
  }
  assertNoProblems('REQUEST_INVALID', 'The body', findPrototypes(data))
  const reply = adminRoute.answer(context, input as never)
  if (adminRoute.status === 204) return mockReply(204, '', [])
  return mockReply(adminRoute.status, toAsciiJson(reply), ['content-type', MEDIA_TYPE.json])
}

/** What is only read: a route without admin routes. */
function readOnly({ method }: ServiceRequest, { path }: Target, answer: () => Reply): Reply {
  if (method === 'OPTIONS') return mockReply(204, '', ['allow', ALLOW])
  return method === 'GET' || method === 'HEAD' ? answer() : methodNotAllowed(method, path, ALLOW)
}

function page({ path }: Target): Reply {
  const html = indexPage(ENDPOINTS, [...ADMIN_ROUTES, ...HOST_ROUTES], path.endsWith('/') ? '..' : '.')
  return mockReply(200, html, ['content-type', MEDIA_TYPE.html])
}

/** A route that only a server answers, asked of another host. */
function elsewhere({ path }: Target): Reply {
  const shortMessage = `${path} is answered by a server only.`
  return problemReply(new PriceFeedMockError('UNKNOWN_ROUTE', shortMessage, { details: [['fix', 'npm run mock']] }))
}

function methodNotAllowed(method: string, path: string, allow: string): Reply {
  const shortMessage = `${method} ${path}: the path exists, the method does not.`
  const error = new PriceFeedMockError('METHOD_NOT_ALLOWED', shortMessage, { details: [['want', allow]] })
  return problemReply(error, ['allow', allow])
}

function check(schema: z.core.$ZodType, data: unknown, source: string): unknown {
  const { value, problems } = read(schema, data)
  assertNoProblems('REQUEST_INVALID', source, problems ?? [])
  return value
}

/** A parameter that is given twice becomes a list, which no schema takes. */
function toObject(query: Target['query']): Record<string, string | string[]> {
  const names = [...new Set(query.map(([name]) => name))]
  return Object.fromEntries(
    names.map(name => {
      const values = query.filter(([other]) => other === name).map(([, value]) => value)
      return [name, values.length === 1 ? values[0]! : values]
    }),
  )
}

function parseBody({ body: schema }: AdminRoute, text: string | undefined): unknown {
  const wantsNone = schema._zod.def.type === 'undefined'
  if (wantsNone || text === undefined || text.trim() === '') return wantsNone ? undefined : {}
  try {
    return JSON.parse(text)
  } catch {
    throw new PriceFeedMockError('REQUEST_INVALID', 'The body is not JSON.', { details: [['want', 'a JSON object']] })
  }
}

/** What leads nowhere. A page with a mistyped path should read what is wrong, not guess at a failure of CORS; the admin stays closed. */
function nowhere(request: ServiceRequest, target: Target, { sessions }: AdminContext): Reply {
  const open = target.segments[0] === '_mock' ? [] : CORS
  if (request.method === 'OPTIONS' && open.length > 0) return mockReply(204, '', PREFLIGHT)
  try {
    // Throws what is wrong with the name of a session or a scenario.
    const stripped = parseTarget(sessions.route(request).request.target)
    const error = routeService(stripped) ? otherPort(stripped) : unknownRoute(request.method, target, stripped)
    return problemReply(error, open)
  } catch (error) {
    if (isPriceFeedMockError(error)) return problemReply(error, open)
    throw error
  }
}

function unknownRoute(method: string, target: Target, stripped: Target): PriceFeedMockError {
  const near = describeNearest([...ENDPOINTS, ...ADMIN_ROUTES, ...HOST_ROUTES], stripped)
  const path = target.path.length > 200 ? `${target.path.slice(0, 200)}…` : target.path
  return new PriceFeedMockError('UNKNOWN_ROUTE', `Nothing answers ${method} ${path}.`, {
    details: [
      ['want', near ?? `one of ${ENDPOINTS.map(endpoint => endpoint.path).join(', ')}`],
      ['docs', '/_mock/'],
    ],
  })
}

/** A port of its own for charting leaves each port with its own endpoints. */
function otherPort({ path }: Target): PriceFeedMockError {
  return new PriceFeedMockError('UNKNOWN_ROUTE', `${path} is answered by the other port of this server.`, {
    details: [['want', 'prices on --port, charting on --history-port']],
  })
}
