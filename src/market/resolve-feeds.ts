// From definitions to feeds: defaults, derived feeds, numbers, and every problem at once. The catalogue, a user's file and
// synthetic feeds all use it.
import { MAX_PROBLEMS_SHOWN, nearest, type Problem } from '../errors.js'
import type { FeedClass } from '../settings/policy.js'
import { LATEST } from '../settings/time.js'
import { type Feed, type FeedDefinition, toFeedKey } from './feeds.js'
import { GROUP_OF_CLASS } from './groups.js'
import { exponential, growthFactor, growthOf, maxLogOf, POWERS_OF_TEN } from './pricing.js'
import { hashText } from './random.js'

/** Four years: the longest span, and the default one. */
export const WANDER_SPAN = 134_217_728
const HOURS_18 = 65_536

const CLASS_DEFAULTS: Record<FeedClass, { span: number; heartbeat: number; lag: number; volume: number }> = {
  crypto: { span: WANDER_SPAN, heartbeat: 1, lag: 1, volume: 50e6 },
  meme: { span: WANDER_SPAN, heartbeat: 2, lag: 1, volume: 100e6 },
  staked: { span: WANDER_SPAN, heartbeat: 4, lag: 2, volume: 20e6 },
  wrapped: { span: WANDER_SPAN, heartbeat: 2, lag: 2, volume: 20e6 },
  stable: { span: HOURS_18, heartbeat: 8, lag: 2, volume: 500e6 },
  fx: { span: WANDER_SPAN, heartbeat: 4, lag: 0, volume: 1e9 },
  metal: { span: WANDER_SPAN, heartbeat: 4, lag: 0, volume: 500e6 },
}

/** The volatility of a derived feed against its parent, small enough to stay within 2 % of the ratio. */
const DEFAULT_BASIS = 0.004

/**
 * The default number of a feed: a hash of its id, above the numbers of the catalogue and of synthetic feeds. It depends on the id
 * alone, so that adding a feed never changes the number of another.
 */
const numberOf = (id: string): number => 1_000_000 + (hashText(id) % 1_000_000_000)

/**
 * Resolves definitions to feeds, in the given order. Every problem is reported with its position; the feeds are usable only when
 * there are no problems.
 * @param definitions undefined for one that did not parse
 * @param known feeds that definitions may use as parents and must not repeat
 * @param broken keys of feeds that did not parse: definitions that follow them are not reported
 * @param maxSpan the longest span of a feed without one of its own
 */
export function resolveFeeds(
  definitions: readonly (FeedDefinition | undefined)[],
  known: readonly Feed[] = [],
  broken: ReadonlySet<string> = new Set(),
  maxSpan = WANDER_SPAN,
): { feeds: Feed[]; problems: Problem[] } {
  const taken: Taken = { byId: new Map(), byNumber: new Map(), byDriver: new Map() }
  for (const feed of known) take(taken, feed)
  const feeds: Feed[] = []
  const problems: Problem[] = []
  const unusable = new Set(broken)
  for (const [index, definition] of definitions.entries()) {
    if (definition === undefined) continue
    const parentKey = toFeedKey(definition.parent ?? '')
    const parent = taken.byId.get(parentKey)
    if (definition.parent && unusable.has(parentKey) && parent === undefined) {
      unusable.add(toFeedKey(definition.id))
      continue
    }
    const found =
      parent || definition.parent === undefined
        ? checkParts(definition)
        : [parentMissing(definition, taken, problems.length < MAX_PROBLEMS_SHOWN)]
    if (found.length === 0) {
      const feed = completeFeed(definition, parent, taken, maxSpan)
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

/** The ids, numbers and drivers of feeds so far; a driver has the span and the group of the first feed that uses it. */
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

/** @param isNear whether the nearest feed is looked for, which is slow */
function parentMissing({ parent }: FeedDefinition, { byId }: Taken, isNear: boolean): Problem {
  const ids = isNear ? [...byId.values()].map(feed => feed.id) : []
  return { at: 'parent', got: parent, want: 'a feed defined before this one', closest: nearest(parent!, ids) }
}

/** Checks that a definition has the required fields and no excluded ones, with a parent or without. */
function checkParts(definition: FeedDefinition): Problem[] {
  const derived = definition.parent !== undefined
  const required = derived ? [] : (['base', 'drivers'] as const)
  const excluded = derived ? (['base', 'drivers', 'span', 'group'] as const) : (['ratio', 'basis', 'yield'] as const)
  const noDriver = definition.drivers && Object.keys(definition.drivers).length === 0
  return [
    ...required
      .filter(key => definition[key] === undefined)
      .map(key => ({ at: key, got: undefined, want: `${key}, or a parent to follow` })),
    ...excluded
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
  const report = (at: string, got: unknown, want: string): void => void problems.push({ at, got, want })
  const sameId = byId.get(toFeedKey(feed.id))
  if (sameId) report('id', feed.id, `an id that is not taken (${sameId.id} is, in any case)`)
  const parent = byId.get(toFeedKey(feed.parent ?? ''))
  if (parent && Object.hasOwn(parent.drivers, feed.id))
    report('id', feed.id, `an id that is not a driver of ${parent.id}: the basis is a driver by that name`)
  const sameNumber = byNumber.get(feed.number)
  if (sameNumber) report('number', feed.number, `a number that is not taken (by ${sameNumber.id})`)
  for (const name of Object.keys(feed.drivers)) {
    const other = byDriver.get(name)
    if (other && other.span !== feed.span)
      report('span', feed.span, `${other.span}, the span of the driver "${name}" in ${other.id}`)
    if (other && other.group !== feed.group)
      report('group', feed.group, `"${other.group}", the group of the driver "${name}" in ${other.id}`)
  }
  const { low, high } = priceRange(feed)
  if (low < 1)
    report(
      'expo',
      feed.expo,
      `an exponent in which the lowest price, ${Number(low.toPrecision(3))} × 10^${feed.expo}, is at least 1`,
    )
  else if (low < feed.step)
    report('step', feed.step, `a step below the lowest price, ${Math.floor(low)}, in units of 10^${feed.expo}`)
  if (high > Number.MAX_SAFE_INTEGER)
    report('expo', feed.expo, `an exponent that keeps the highest price, ${high}, below 2^53`)
  return problems
}

/** The lowest and the highest possible price of a feed, in units of 10^expo, before rounding. */
export function priceRange(feed: Feed): { low: number; high: number } {
  if (feed.series !== undefined) return { low: feed.series.low, high: feed.series.high }
  const base = feed.base * POWERS_OF_TEN[-feed.expo]!
  const maxLog = maxLogOf(feed)
  const growth = growthOf(feed)
  return {
    low: base * exponential(-maxLog) * growthFactor(growth, 0),
    high: base * exponential(maxLog) * growthFactor(growth, LATEST),
  }
}

function completeFeed(
  definition: FeedDefinition,
  parent: Feed | undefined,
  { byDriver }: Taken,
  maxSpan: number,
): Feed {
  const { id } = definition
  const feedClass = definition.class ?? parent?.class ?? 'crypto'
  const defaults = CLASS_DEFAULTS[feedClass]
  const base = parent ? parent.base * (definition.ratio ?? 1) : definition.base!
  const expo = definition.expo ?? defaultExpo(base)
  // Feeds that move by a driver have its wild hours: a feed without a group takes that of its first known driver.
  const driver = Object.keys(definition.drivers ?? {}).find(name => byDriver.has(name))
  const ofDriver = byDriver.get(driver!)?.group
  const growth = (parent?.yield ?? 0) + (definition.yield ?? 0)
  return {
    id,
    number: definition.number ?? numberOf(id),
    class: feedClass,
    group: parent?.group ?? definition.group ?? ofDriver ?? GROUP_OF_CLASS[feedClass],
    base,
    expo,
    step: definition.step ?? 1,
    heartbeat: definition.heartbeat ?? defaults.heartbeat,
    lag: definition.lag ?? defaults.lag,
    span: parent?.span ?? definition.span ?? Math.min(defaults.span, maxSpan),
    drivers: parent ? { ...parent.drivers, [id]: definition.basis ?? DEFAULT_BASIS } : definition.drivers!,
    ...(parent ? { trend: parent.trend ?? parent.drivers } : {}),
    volume: definition.volume ?? defaults.volume,
    ...(growth > 0 ? { yield: growth } : {}),
    ...(parent ? { parent: parent.id } : {}),
  }
}

/** −8, as in every published sample, or less for a price so small that a step of 10^−8 would be visible in it. */
const defaultExpo = (base: number): number => (base >= 0.01 ? -8 : base >= 0.0001 ? -10 : -12)
