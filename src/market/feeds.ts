// The type of a feed, the schema of a user's feed definition, and look-ups in a list of feeds: by id, and of those that follow each
// other. resolve-feeds.ts turns definitions into feeds.
import * as z from 'zod/mini'
import { getOrCreate, oncePerObject } from '../caches.js'
import { FEED_CLASSES, type FeedClass } from '../settings/policy.js'
import { integer, number, text } from '../settings/schema.js'
import { FEED_GROUPS, type FeedGroup } from './groups.js'
import type { Series } from './series.js'

/** A complete feed: everything that its prices depend on besides the seed. */
export interface Feed {
  /** The text symbol that replies carry, for example `BTCUSD`; at most 32 ASCII characters. */
  readonly id: string
  /** The number that replies carry instead of the symbol under `policy.batchFeedId: "integer"`. */
  readonly number: number
  readonly class: FeedClass
  /** The feeds with which it has its calm and its wild hours. */
  readonly group: FeedGroup
  /** The price from which the walk wanders, in quote units (USD for most feeds). */
  readonly base: number
  /** Exponent of the published price: value = price · 10^expo. */
  readonly expo: number
  /** The price step in units of 10^expo; every published price is a multiple of it. */
  readonly step: number
  /** Seconds between ticks, a power of two. */
  readonly heartbeat: number
  /** Seconds from a tick to its publication. */
  readonly lag: number
  /** Seconds between independent prices near `base`, a power of two. */
  readonly span: number
  /** Annualised volatility by driver; negative moves against the driver. Feeds that share a driver are correlated. */
  readonly drivers: Readonly<Record<string, number>>
  /**
   * Those that it has from its parent: a derived feed stays near its ratio, because only these count over more than three days.
   * @default drivers
   */
  readonly trend?: Readonly<Record<string, number>>
  /** Mean volume of a day, in USD. */
  readonly volume: number
  /** The growth of the price against that of its parent, a year: what staked tokens earn. */
  readonly yield?: number
  /** The feed that this one follows, for staked and wrapped tokens. */
  readonly parent?: string
  /** The rows that it follows instead of its walk. */
  readonly series?: Series
}

/** The form in which ids are compared, without regard to ASCII case. toUpperCase alone would turn some other letters into ASCII ones. */
export const toFeedKey = (id: string): string => id.replace(/[a-z]+/g, letters => letters.toUpperCase())

const powerOfTwo = (min: number, max: number, want = `a power of two from ${min} to ${max}`) =>
  integer(min, max, want).check(z.refine(value => (value & (value - 1)) === 0, { error: want }))

const DRIVER = /^[A-Za-z0-9_-]{1,32}$/
const drivers = z.record(
  z.string().check(z.regex(DRIVER, { error: 'a driver name of letters, digits, - and _, at most 32' })),
  number(-5, 5, 'an annualised volatility from -5 to 5, for example 0.45'),
)

/** One feed as a user writes it; missing fields come from its parent or its class. */
export const feedDefinitionSchema = z.strictObject({
  id: text(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/,
    'a feed id of letters, digits, . - and _, at most 32, the first a letter or digit, such as "ACMEUSD"',
  ),
  number: z.optional(integer(1, 2_147_483_647)),
  class: z.optional(z.enum(FEED_CLASSES)),
  group: z.optional(z.enum(FEED_GROUPS)),
  base: z.optional(number(1e-12, 1e9, 'a price above 0 and up to a billion, in USD')),
  expo: z.optional(integer(-18, 0)),
  step: z.optional(integer(1, 1e15)),
  heartbeat: z.optional(powerOfTwo(1, 4096)),
  lag: z.optional(integer(0, 60)),
  span: z.optional(powerOfTwo(65_536, 134_217_728)),
  drivers: z.optional(drivers),
  volume: z.optional(number(0, 2e11, 'a daily volume in USD from 0 to 200 billion')),
  parent: z.optional(z.string()),
  ratio: z.optional(number(1e-9, 1e9, 'the price in units of the parent, for example 1.21')),
  yield: z.optional(number(0, 0.1, 'a yearly growth against the parent from 0 to 0.1, for example 0.03')),
  basis: z.optional(number(0, 0.05, 'an annualised volatility against the parent from 0 to 0.05')),
})
/** A definition, checked. */
export type FeedDefinition = z.output<typeof feedDefinitionSchema>

const byKey = oncePerObject((feeds: readonly Feed[]) => new Map(feeds.map(feed => [toFeedKey(feed.id), feed])))

/** Finds the feed of an id, in any case, in a list. */
export const findFeed = (feeds: readonly Feed[], id: string): Feed | undefined => byKey(feeds).get(toFeedKey(id))

/** The feeds that a feed follows: its parent first, then the parent's parent. */
export function ancestorsOf(feeds: readonly Feed[], feed: Feed): Feed[] {
  const found: Feed[] = []
  // A parent is defined before the feeds that follow it, so there is no circle.
  for (let id = feed.parent; id !== undefined; id = found.at(-1)!.parent) found.push(findFeed(feeds, id)!)
  return found
}

/** Followers by the id of the feed that they follow. */
const followersIn = oncePerObject((feeds: readonly Feed[]) => {
  const followers = new Map<string, Feed[]>()
  for (const feed of feeds)
    for (const { id } of ancestorsOf(feeds, feed)) getOrCreate(followers, id, () => []).push(feed)
  return followers
})

/** The feeds that follow a feed, directly or through another one. */
export const followersOf = (feeds: readonly Feed[], { id }: Pick<Feed, 'id'>): readonly Feed[] =>
  followersIn(feeds).get(id) ?? []

/** Some feeds and all that follow them, by id. */
export function withFollowers(feeds: readonly Feed[], ids: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...ids].flatMap(id => [id, ...followersOf(feeds, { id }).map(follower => follower.id)]))
}

/** The feed whose change a feed takes over: itself or its nearest ancestor among those with these ids. */
export function leaderOf(feeds: readonly Feed[], feed: Feed, ids: ReadonlySet<string>): Feed | undefined {
  return [feed, ...ancestorsOf(feeds, feed)].find(({ id }) => ids.has(id))
}
