// Which paths are the mock's where it shares an address with an application: the five endpoints, with or without the prefix
// of a session, and the admin.
import { ENDPOINTS } from '../endpoints/index.js'
import { parseTarget } from '../service/request.js'
import { createRouter, type Routed } from '../service/router.js'

const route = createRouter<Routed>(ENDPOINTS)

/** Whether the mock answers a target that is asked of several: `/` and whatever leads nowhere are left to the others. */
export function isMockPath(raw: string): boolean {
  const target = parseTarget(raw)
  const [first, , ...rest] = target.segments
  if (first!.toLowerCase() === '_mock') return true
  const isPrefixed = first === 'session' || first === 'scenario'
  return route(isPrefixed ? { ...target, segments: rest } : target) !== undefined
}
