// Derived feeds: staked and wrapped tokens, which follow the feed that their definition names as parent.
import type { Feed } from './feeds.js'
import { findFeed } from './market.js'

/** The feeds that a feed follows: its parent first, then the parent's parent. */
export function ancestorsOf(feeds: readonly Feed[], feed: Feed): Feed[] {
  const found: Feed[] = []
  // A parent is defined before the feeds that follow it, so there is no circle.
  for (let id = feed.parent; id !== undefined; id = found.at(-1)!.parent) found.push(findFeed(feeds, id)!)
  return found
}

/** Followers by the id of the feed that they follow, built once per list. */
const indexes = new WeakMap<readonly Feed[], ReadonlyMap<string, readonly Feed[]>>()

function indexOf(feeds: readonly Feed[]): ReadonlyMap<string, readonly Feed[]> {
  let index = indexes.get(feeds)
  if (index === undefined) {
    const followers = new Map<string, Feed[]>()
    for (const feed of feeds)
      for (const { id } of ancestorsOf(feeds, feed)) {
        const known = followers.get(id)
        if (known === undefined) followers.set(id, [feed])
        else known.push(feed)
      }
    indexes.set(feeds, (index = followers))
  }
  return index
}

/** The feeds that follow a feed, directly or through another one. */
export const followersOf = (feeds: readonly Feed[], { id }: Pick<Feed, 'id'>): readonly Feed[] =>
  indexOf(feeds).get(id) ?? []

/** Some feeds and all that follow them, by id. */
export function withFollowers(feeds: readonly Feed[], ids: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...ids].flatMap(id => [id, ...followersOf(feeds, { id }).map(follower => follower.id)]))
}

/** The feed whose change a feed takes over: itself or its nearest ancestor among those with these ids. */
export function leaderOf(feeds: readonly Feed[], feed: Feed, ids: ReadonlySet<string>): Feed | undefined {
  return [feed, ...ancestorsOf(feeds, feed)].find(({ id }) => ids.has(id))
}
