// The list of admin routes. To add one, write a file beside this one and add a line here.
import type { AdminRoute } from './admin-route.js'
import { feeds, health, info, live, root, scenarios } from './info.js'
import { inspectSession } from './inspect.js'
import { showCandles, showMarket } from './market.js'
import { openapiRoute } from './openapi.js'
import {
  addVerdict,
  clearRequests,
  clearVerdicts,
  explain,
  getRequest,
  listRequests,
  reportConsumer,
  summarizeRequests,
} from './requests.js'
import {
  changeSession,
  createSession,
  deleteSession,
  getSession,
  listSessions,
  resetSession,
  restoreSession,
  snapshotSession,
} from './sessions.js'
import { showTimeline } from './timeline.js'

/** Every admin route, in the order of the index page. */
export const ADMIN_ROUTES = [
  root,
  health,
  live,
  info,
  feeds,
  scenarios,
  explain,
  openapiRoute(listAdminRoutes),
  listSessions,
  createSession,
  getSession,
  changeSession,
  deleteSession,
  resetSession,
  snapshotSession,
  restoreSession,
  inspectSession,
  showMarket,
  showCandles,
  listRequests,
  getRequest,
  clearRequests,
  summarizeRequests,
  showTimeline,
  reportConsumer,
  addVerdict,
  clearVerdicts,
] as const

/** The same list without the types of the single routes. */
export function listAdminRoutes(): readonly AdminRoute[] {
  return ADMIN_ROUTES as readonly unknown[] as readonly AdminRoute[]
}
