// What a feed is, and how definitions become feeds: defaults, derived feeds, numbers, and every problem at once.
// The catalogue, a user's file and invented feeds all pass through here.
import * as z from 'zod/mini'
import { nearest, type Problem } from '../errors.js'
import { FEED_CLASSES, type FeedClass } from '../settings/feed-classes.js'
import { integer, number, text } from '../settings/schema.js'
import { exponential, POWERS_OF_TEN } from './exponential.js'
import { farthestLog } from './walk.js'

/** A feed, complete: everything that its prices depend on besides the seed. */
export interface Feed {
  /** The text symbol that replies carry, for example `BTCUSD`; at most 32 ASCII characters. */
  readonly id: string
  /** The number that `policy.batchFeedId: "integer"` answers instead of the symbol. */
  readonly number: number
  readonly class: FeedClass
  /** The price that the walk stays near, in quote units (USD for most feeds). */
  readonly base: number
  /** Exponent of the published price: value = price · 10^expo. */
  readonly expo: number
  /** The price step, in units of 10^expo: every published price is a multiple of it. */
  readonly step: number
  /** Seconds between ticks, a power of two. */
  readonly heartbeat: number
  /** Seconds from a tick to its publication. */
  readonly lag: number
  /** Seconds beyond which the price stops wandering, a power of two. */
  readonly span: number
  /** Annualised volatility by driver; negative moves against the driver. Feeds that share a driver are correlated. */
  readonly drivers: Readonly<Record<string, number>>
  /** Mean volume of a day, in USD. */
  readonly volume: number
  /** The feed that this one follows, for staked and wrapped tokens. */
  readonly parent?: string
}

/** The form in which ids are compared: any case of ASCII letters. (Some other letters become ASCII ones in upper case.) */
export function toFeedKey(id: string): string {
  return id.replace(/[a-z]+/g, letters => letters.toUpperCase())
}

const DAYS_48 = 4_194_304
const DAYS_3 = 262_144

/** What a definition of a class may leave out. */
const CLASS_DEFAULTS: Record<FeedClass, { span: number; heartbeat: number; lag: number; volume: number }> = {
  crypto: { span: DAYS_48, heartbeat: 1, lag: 1, volume: 50e6 },
  meme: { span: DAYS_48, heartbeat: 2, lag: 1, volume: 100e6 },
  staked: { span: DAYS_48, heartbeat: 4, lag: 2, volume: 20e6 },
  wrapped: { span: DAYS_48, heartbeat: 2, lag: 2, volume: 20e6 },
  stable: { span: DAYS_3, heartbeat: 8, lag: 2, volume: 500e6 },
  fx: { span: DAYS_48, heartbeat: 4, lag: 0, volume: 1e9 },
  metal: { span: DAYS_48, heartbeat: 4, lag: 0, volume: 500e6 },
}

const powerOfTwo = (min: number, max: number) =>
  integer(min, max, `a power of two from ${min} to ${max}`).check(
    z.refine(value => Number.isInteger(value) && (value & (value - 1)) === 0, {
      error: `a power of two from ${min} to ${max}`,
    }),
  )

const DRIVER = /^[A-Za-z0-9_-]{1,32}$/
const drivers = z.record(
  z.string().check(z.regex(DRIVER, { error: 'a driver name of letters, digits, - and _, at most 32' })),
  number(-5, 5, 'an annualised volatility from -5 to 5, for example 0.45'),
)

/** One feed as a user writes it; what is left out comes from its class, or from its parent. */
export const feedDefinitionSchema = z.strictObject({
  id: text(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/,
    'a feed id of letters, digits, . - and _, at most 32, such as "ACMEUSD"',
  ),
  number: z.optional(integer(1, 2_147_483_647)),
  class: z.optional(z.enum(FEED_CLASSES)),
  base: z.optional(number(1e-12, 1e9, 'a price above 0, in USD')),
  expo: z.optional(integer(-18, 0)),
  step: z.optional(integer(1, 1e15)),
  heartbeat: z.optional(powerOfTwo(1, 4096)),
  lag: z.optional(integer(0, 60)),
  span: z.optional(powerOfTwo(65_536, 67_108_864)),
  drivers: z.optional(drivers),
  volume: z.optional(number(0, 2e11, 'a daily volume in USD from 0 to 200 billion')),
  parent: z.optional(z.string()),
  ratio: z.optional(number(1e-9, 1e9, 'the price in units of the parent, for example 1.21')),
  basis: z.optional(number(0, 0.05, 'an annualised volatility against the parent from 0 to 0.05')),
})
export type FeedDefinition = z.output<typeof feedDefinitionSchema>

/** The volatility of a derived feed against its parent, small enough to stay within 2 % of the ratio. */
const DEFAULT_BASIS = 0.004

/**
 * The number of a feed that names none: a hash of its id, above the numbers of the catalogue and of invented feeds.
 * It depends on the id alone, so that adding a feed never changes the number of another.
 */
function numberOf(id: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < id.length; i++) h = Math.imul(h ^ id.charCodeAt(i), 0x01000193)
  return 1_000_000 + ((h >>> 0) % 1_000_000_000)
}

/**
 * Makes feeds of definitions, in the order given. `known` are feeds that the definitions may follow and must not repeat.
 * Everything wrong is reported, by position; only a list without problems gives feeds that can be used. A place may be empty.
 * @param broken keys of feeds that are reported already: what follows them is not to blame
 */
export function resolveFeeds(
  definitions: readonly (FeedDefinition | undefined)[],
  known: readonly Feed[] = [],
  broken: ReadonlySet<string> = new Set(),
): { feeds: Feed[]; problems: Problem[] } {
  const taken: Taken = { byId: new Map(), byNumber: new Map(), byDriver: new Map() }
  for (const feed of known) take(taken, feed)
  const feeds: Feed[] = []
  const problems: Problem[] = []
  const unusable = new Set(broken)
  for (const [index, definition] of definitions.entries()) {
    if (definition === undefined) continue
    const parentKey = definition.parent === undefined ? undefined : toFeedKey(definition.parent)
    const parent = parentKey === undefined ? undefined : taken.byId.get(parentKey)
    if (parentKey !== undefined && parent === undefined && unusable.has(parentKey)) {
      unusable.add(toFeedKey(definition.id))
      continue
    }
    const found =
      parent || definition.parent === undefined ? checkParts(definition) : [parentMissing(definition, taken)]
    if (found.length === 0) {
      const feed = completeFeed(definition, parent)
      found.push(...checkAgainst(taken, feed))
      take(taken, feed)
      feeds.push(feed)
    } else {
      unusable.add(toFeedKey(definition.id))
    }
    problems.push(...found.map(problem => ({ ...problem, at: `feeds[${index}].${problem.at}` })))
  }
  return { feeds, problems }
}

/** What feeds have claimed: ids by their keys, numbers, and the drivers whose span is settled. */
interface Taken {
  readonly byId: Map<string, Feed>
  readonly byNumber: Map<number, Feed>
  readonly byDriver: Map<string, Feed>
}

function take({ byId, byNumber, byDriver }: Taken, feed: Feed): void {
  byId.set(toFeedKey(feed.id), feed)
  byNumber.set(feed.number, feed)
  for (const name of Object.keys(feed.drivers)) if (!byDriver.has(name)) byDriver.set(name, feed)
}

function parentMissing({ parent }: FeedDefinition, { byId }: Taken): Problem {
  const ids = [...byId.values()].map(feed => feed.id)
  return { at: 'parent', got: parent, want: 'a feed defined before this one', closest: nearest(parent!, ids) }
}

/** Whether a definition says neither too little nor too much, with a parent and without. */
function checkParts(definition: FeedDefinition): Problem[] {
  const derived = definition.parent !== undefined
  const needed = derived ? [] : (['base', 'drivers'] as const)
  const barred = derived ? (['base', 'drivers', 'span'] as const) : (['ratio', 'basis'] as const)
  const noDriver = definition.drivers && Object.keys(definition.drivers).length === 0
  return [
    ...needed
      .filter(key => definition[key] === undefined)
      .map(key => ({ at: key, got: undefined, want: `${key}, or a parent to follow` })),
    ...barred
      .filter(key => definition[key] !== undefined)
      .map(key => ({
        at: key,
        got: definition[key],
        want: derived ? `no ${key} beside a parent: it is the parent's` : `a parent beside it, or no ${key}`,
      })),
    ...(noDriver ? [{ at: 'drivers', got: {}, want: 'at least one driver' }] : []),
  ]
}

function checkAgainst({ byId, byNumber, byDriver }: Taken, feed: Feed): Problem[] {
  const problems: Problem[] = []
  const sameId = byId.get(toFeedKey(feed.id))
  if (sameId) problems.push({ at: 'id', got: feed.id, want: `an id that is not taken (${sameId.id} is, in any case)` })
  const parent = feed.parent === undefined ? undefined : byId.get(toFeedKey(feed.parent))
  if (parent && Object.hasOwn(parent.drivers, feed.id))
    problems.push({
      at: 'id',
      got: feed.id,
      want: `an id that is not a driver of ${parent.id}: the basis is a driver by that name`,
    })
  const sameNumber = byNumber.get(feed.number)
  if (sameNumber)
    problems.push({ at: 'number', got: feed.number, want: `a number that is not taken (by ${sameNumber.id})` })
  for (const name of Object.keys(feed.drivers)) {
    const other = byDriver.get(name)
    if (other && other.span !== feed.span)
      problems.push({
        at: 'span',
        got: feed.span,
        want: `${other.span}, the span of the driver "${name}" in ${other.id}`,
      })
  }
  const { low, high } = priceRange(feed)
  if (low < feed.step)
    problems.push({
      at: 'step',
      got: feed.step,
      want: `a step below the lowest price, ${Math.floor(low)}, in units of 10^${feed.expo}`,
    })
  if (high > Number.MAX_SAFE_INTEGER)
    problems.push({ at: 'expo', got: feed.expo, want: `an exponent that keeps the highest price, ${high}, below 2^53` })
  return problems
}

/** The lowest and the highest price that a feed can ever have, in units of 10^expo, before rounding. */
export function priceRange(feed: Pick<Feed, 'base' | 'expo' | 'span' | 'drivers'>): { low: number; high: number } {
  const base = feed.base * POWERS_OF_TEN[-feed.expo]!
  const farthest = farthestLog(feed)
  return { low: base * exponential(-farthest), high: base * exponential(farthest) }
}

function completeFeed(definition: FeedDefinition, parent: Feed | undefined): Feed {
  const { id } = definition
  const feedClass = definition.class ?? parent?.class ?? 'crypto'
  const defaults = CLASS_DEFAULTS[feedClass]
  const base = parent ? parent.base * (definition.ratio ?? 1) : definition.base!
  const expo = definition.expo ?? defaultExpo(base)
  return {
    id,
    number: definition.number ?? numberOf(id),
    class: feedClass,
    base,
    expo,
    step: definition.step ?? 1,
    heartbeat: definition.heartbeat ?? defaults.heartbeat,
    lag: definition.lag ?? defaults.lag,
    span: parent?.span ?? definition.span ?? defaults.span,
    drivers: parent ? { ...parent.drivers, [id]: definition.basis ?? DEFAULT_BASIS } : definition.drivers!,
    volume: definition.volume ?? defaults.volume,
    ...(parent ? { parent: parent.id } : {}),
  }
}

/** −8, as every published sample has it, unless the price is so small that one unit would show in it. */
function defaultExpo(base: number): number {
  return base >= 0.01 ? -8 : base >= 0.0001 ? -10 : -12
}
