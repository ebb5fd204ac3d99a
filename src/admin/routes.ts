// Every path of the mock, in one table: what answers it, and which callers reach it.
import { ENDPOINTS } from '../endpoints/index.js'
import type { Target } from '../service/request.js'
import { createRouter, type Match, type Routed } from '../service/router.js'
import { type AdminRoute, HOST_ROUTES } from './admin-route.js'
import { listAdminRoutes } from './index.js'

/**
 * The callers that reach a path. All but `open` require an allowed host and the mock's own pages or allowed ones.
 * `open`: all. `admin`: those with the token. `probe`: also at an address that is not allowed, without a token. `page`: links of any
 * site, and browsers without a token. `root`: the same, and programs without a token. `file`: those without a token.
 */
export type Access = 'open' | 'admin' | 'probe' | 'page' | 'root' | 'file'

/** A path of the mock. */
export interface Row extends Routed {
  readonly access: Access
  /** `metrics`, `events` and `console` are answered by a server only. */
  readonly answeredBy: 'endpoint' | 'index' | 'metrics' | 'events' | 'console' | readonly AdminRoute[]
}

const endpoints: readonly Routed[] = ENDPOINTS
const adminRoutes = listAdminRoutes()

/** The row of a path. */
export const matchRow = createRouter<Row>([
  ...endpoints.map((routed): Row => ({ ...routed, access: 'open', answeredBy: 'endpoint' })),
  ...[...new Set(adminRoutes.map(({ path }) => path))].map((path): Row => {
    const ofPath = adminRoutes.filter(route => route.path === path)
    return { path, access: ofPath[0]!.access, answeredBy: ofPath }
  }),
  ...HOST_ROUTES.map(({ path, name }): Row => ({ path, access: 'admin', answeredBy: name })),
  { path: '/_mock', aliases: ['/_mock/'], access: 'page', answeredBy: 'index' },
  { path: '/_mock/console/{file}', access: 'file', answeredBy: 'console' },
])

/** The callers that reach a path, of which there may be no row. Anything below `/_mock` in any spelling is guarded. */
export function accessOf({ segments }: Target, match: Match<Row> | undefined): Access {
  if (match !== undefined) return match.endpoint.access
  const isGuarded = segments[0]!.toLowerCase() === '_mock' || segments.every(segment => segment === '')
  return isGuarded ? 'admin' : 'open'
}
