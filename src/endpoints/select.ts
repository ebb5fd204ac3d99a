// Looks up the requested feeds, and applies the policy for unknown ones.
import type { Feed } from '../market/feeds.js'
import { ServiceError } from '../service/endpoint.js'
import type { EndpointContext } from '../service/endpoint-context.js'
import { cut } from './parameters.js'

/**
 * Looks up each requested id. An unknown feed, or one without a result of `get`, is an error or is omitted, depending on
 * the policy. A feed omitted by a fault is omitted with either policy.
 */
export function select<T>(
  context: EndpointContext,
  ids: readonly string[],
  get: (feed: Feed) => T | undefined,
): { id: string; found: T }[] {
  const selected: { id: string; found: T }[] = []
  const unknown: string[] = []
  const omitted: string[] = []
  for (const [i, id] of ids.entries()) {
    const feed = context.feed(id)
    const found = feed && get(feed)
    if (found === undefined) unknown.push(id)
    else if (context.omits(feed!, i > 0 && i === ids.length - 1)) omitted.push(id)
    else selected.push({ id, found })
  }
  const isRefused = context.policy.unknownFeed === 'reject' && unknown.length > 0
  if (isRefused || selected.length === 0) {
    const missing = unknown.length > 0 ? unknown : omitted
    const names = missing.slice(0, 20).map(id => `"${cut(id)}"`)
    const more = missing.length > names.length ? ` and ${missing.length - names.length} more` : ''
    throw new ServiceError(404, 'unknown_feed', `No price for ${names.join(', ')}${more}: unknown feed.`)
  }
  return selected
}
