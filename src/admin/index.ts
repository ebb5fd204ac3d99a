// The list of admin routes. Adding one is a file beside this one and a line here.
import { explain } from './explain.js'
import { feeds } from './feeds.js'
import { health } from './health.js'
import { info } from './info.js'
import { openapi } from './openapi.js'
import { clearRequests, listRequests, summarizeRequests } from './requests.js'
import { root } from './root.js'
import { scenarios } from './scenarios.js'
import { resetSession, restoreSession, snapshotSession } from './session-state.js'
import { changeSession, createSession, deleteSession, getSession, listSessions } from './sessions.js'

/** Every admin route, in the order of the index page. */
export const ADMIN_ROUTES = [
  root,
  health,
  info,
  feeds,
  scenarios,
  explain,
  openapi,
  listSessions,
  createSession,
  getSession,
  changeSession,
  deleteSession,
  resetSession,
  snapshotSession,
  restoreSession,
  listRequests,
  clearRequests,
  summarizeRequests,
] as const
