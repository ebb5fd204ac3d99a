// Paths of the mock at an address that it shares with an application: the five endpoints, also with a session prefix, and the admin.
import { ENDPOINTS } from '../endpoints/index.js'
import { parseTarget } from '../service/request.js'
import { createRouter, type Routed } from '../service/router.js'

const route = createRouter<Routed>(ENDPOINTS)

/** Whether a target belongs to the mock. `/` and unknown paths belong to the application. */
export function isMockPath(raw: string): boolean {
  const target = parseTarget(raw)
  const [first, , ...rest] = target.segments
  if (first!.toLowerCase() === '_mock') return true
  const isPrefixed = first === 'session' || first === 'scenario'
  return route(isPrefixed ? { ...target, segments: rest } : target) !== undefined
}
