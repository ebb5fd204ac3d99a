// From requested ids to what an endpoint needs of each feed; unknown feeds are dealt with here, as the policy says.
import type { Feed } from '../market/feeds.js'
import { ServiceError } from '../service/endpoint.js'
import type { EndpointContext } from '../service/endpoint-context.js'
import { cut } from './parameters.js'

/**
 * Looks every requested id up. A feed that `get` knows nothing of counts as unknown: the request is refused,
 * or the feed is left out. A feed that a fault leaves out is left out whatever the policy says.
 */
export function select<T>(
  moment: EndpointContext,
  ids: readonly string[],
  get: (feed: Feed) => T | undefined,
): { id: string; found: T }[] {
  const selected: { id: string; found: T }[] = []
  const unknown: string[] = []
  const omitted: string[] = []
  for (const [i, id] of ids.entries()) {
    const feed = moment.feed(id)
    const found = feed && get(feed)
    if (found === undefined) unknown.push(id)
    else if (moment.omits(feed!, i > 0 && i === ids.length - 1)) omitted.push(id)
    else selected.push({ id, found })
  }
  const isRefused = moment.policy.unknownFeed === 'reject' && unknown.length > 0
  if (isRefused || selected.length === 0) {
    const missing = unknown.length > 0 ? unknown : omitted
    const names = missing.slice(0, 20).map(id => `"${cut(id)}"`)
    const more = missing.length > names.length ? ` and ${missing.length - names.length} more` : ''
    throw new ServiceError(404, 'unknown_feed', `No price for ${names.join(', ')}${more}: unknown feed.`)
  }
  return selected
}
