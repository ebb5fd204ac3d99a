// Answers everything that is not one of the five endpoints: the levers, the index, and a problem for what leads nowhere.
import { ENDPOINTS } from '../endpoints/index.js'
import { PriceFeedMockError } from '../errors.js'
import { MEDIA_TYPE, type Outcome } from '../outcome.js'
import type { Endpoint } from '../service/endpoint.js'
import { CORS, PREFLIGHT } from '../service/reply-headers.js'
import { parseTarget, type ServiceRequest, type Target } from '../service/request.js'
import { createRouter, describeNearest } from '../service/router.js'
import type { Session } from '../service/session.js'
import { LEVERS } from './index.js'
import { indexPage } from './index-page.js'
import type { AdminContext } from './lever.js'
import { jsonReply, ownReply, problemReply } from './own-reply.js'

const METHODS = 'GET, HEAD, OPTIONS'
const route = createRouter<Endpoint<AdminContext>>(LEVERS)
const routeService = createRouter<Endpoint<never>>(ENDPOINTS)

/** Answers a request that no endpoint of the service has taken. */
export function administer(request: ServiceRequest, session: Session): Outcome {
  const { method, receivedAt } = request
  const target = parseTarget(request.target)
  const lever = route(target)?.endpoint
  const isPage = target.path === '/_mock/' || target.path === '/_mock'
  if (lever === undefined && !isPage) {
    // A page with a mistyped path should read what is wrong, not guess at a failure of CORS. The admin stays closed.
    const isOpen = target.segments[0] !== '_mock'
    if (method === 'OPTIONS' && isOpen) return ownReply(204, '', PREFLIGHT)
    const error = routeService(target) ? otherPort(target) : unknownRoute(method, target)
    return problemReply(error, isOpen ? CORS : [])
  }
  if (method === 'OPTIONS') return ownReply(204, '', ['allow', METHODS])
  if (method !== 'GET' && method !== 'HEAD') return problemReply(methodNotAllowed(method, target), ['allow', METHODS])
  if (lever === undefined) return ownReply(200, indexPage(ENDPOINTS, LEVERS), ['content-type', MEDIA_TYPE.html])
  return jsonReply(lever.answer({ session, receivedAt }, {}))
}

function unknownRoute(method: string, target: Target): PriceFeedMockError {
  const near = describeNearest([...ENDPOINTS, ...LEVERS], target)
  const path = target.path.length > 200 ? `${target.path.slice(0, 200)}…` : target.path
  return new PriceFeedMockError('UNKNOWN_ROUTE', `Nothing answers ${method} ${path}.`, {
    facts: [
      ['want', near ?? `one of ${ENDPOINTS.map(endpoint => endpoint.path).join(', ')}`],
      ['docs', '/_mock/'],
    ],
  })
}

/** A port of its own for charting leaves each port with its own endpoints. */
function otherPort({ path }: Target): PriceFeedMockError {
  return new PriceFeedMockError('UNKNOWN_ROUTE', `${path} is answered by the other port of this server.`, {
    facts: [['want', 'prices on --port, charting on --history-port']],
  })
}

function methodNotAllowed(method: string, { path }: Target): PriceFeedMockError {
  return new PriceFeedMockError('METHOD_NOT_ALLOWED', `${method} ${path}: the path exists, the method does not.`, {
    facts: [['want', METHODS]],
  })
}
