// From requested ids to what an endpoint needs of each feed; unknown feeds are dealt with here, as the policy says.
import type { Feed } from '../market/feeds.js'
import { Refusal } from '../service/endpoint.js'
import type { Moment } from '../service/moment.js'
import { cut } from './parameters.js'

/**
 * Looks every requested id up. A feed that `get` knows nothing of counts as unknown: the request is refused,
 * or the feed is left out.
 */
export function select<T>(
  moment: Moment,
  ids: readonly string[],
  get: (feed: Feed) => T | undefined,
): { id: string; found: T }[] {
  const selected: { id: string; found: T }[] = []
  const unknown: string[] = []
  for (const id of ids) {
    const feed = moment.feed(id)
    const found = feed && get(feed)
    if (found === undefined) unknown.push(id)
    else selected.push({ id, found })
  }
  const refused = moment.policy.unknownFeed === 'reject' ? unknown.length > 0 : selected.length === 0
  if (refused) {
    const names = unknown.slice(0, 20).map(id => `"${cut(id)}"`)
    const more = unknown.length > names.length ? ` and ${unknown.length - names.length} more` : ''
    throw new Refusal(404, 'unknown_feed', `No price for ${names.join(', ')}${more}: unknown feed.`)
  }
  return selected
}
