// unknown-feeds: the ids that were asked for and that no feed has.
import { countOf, nearest, shorten } from '../../errors.js'
import { type AskedRequest, type Check, finding } from './check.js'

/** Number of ids in the text, and characters of each. */
const MAX_SHOWN = 10
const MAX_LENGTH = 40

/** A wrong id can be overlooked for long: some replies leave its feed out. */
export const unknownFeeds: Check = {
  id: 'unknown-feeds',
  title: 'Feeds that were asked for exist',
  find({ requests, session: { runtime } }) {
    const { feeds, feed } = runtime.market
    const unknown = new Set<string>()
    const shownBy = requests.filter(request => {
      const ids = idsOf(request).filter(id => feed(id) === undefined)
      for (const id of ids) unknown.add(id)
      return ids.length > 0
    })
    if (requests.every(request => idsOf(request).length === 0)) return finding('not-seen', 'No feed was asked for.')
    if (shownBy.length === 0) return finding('ok', 'Every feed that was asked for exists.')
    const known = feeds.map(({ id }) => id)
    const list = [...unknown].slice(0, MAX_SHOWN).map(id => {
      const closest = nearest(id, known)
      const short = shorten(id, MAX_LENGTH)
      return closest === undefined ? `"${short}"` : `"${short}" (nearest: ${closest})`
    })
    const more = unknown.size > MAX_SHOWN ? ` and ${unknown.size - MAX_SHOWN} more` : ''
    const text = `${countOf(shownBy.length, 'request')} asked for ${countOf(unknown.size, 'feed')} that ${unknown.size === 1 ? 'does' : 'do'} not exist: ${list.join(', ')}${more}.`
    return finding('failed', text, shownBy)
  },
}

function idsOf({ feedParameters, targetLength }: AskedRequest): string[] {
  const ids = feedParameters.flatMap(value => value.split(','))
  // The last id of a truncated target may be incomplete.
  return (targetLength === undefined ? ids : ids.slice(0, -1)).filter(id => id !== '')
}
