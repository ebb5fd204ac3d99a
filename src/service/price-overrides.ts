// Price overrides: "BTC is 50,000 now" as a factor on the path of the feed. Also checks that every price can be signed.
import { isObject, MAX_PROBLEMS_SHOWN, nearest, type Problem } from '../errors.js'
import { ancestorsOf, type Feed, followersOf } from '../market/feeds.js'
import { priceFromTo } from '../market/levels.js'
import type { Market } from '../market/market.js'
import {
  addOverride,
  followedOverrides,
  overridesInForce,
  ownOverrides,
  type PriceOverride,
  type PriceOverrides,
} from '../market/overridden.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import { priceRange } from '../market/resolve-feeds.js'
import type { SigningSettings } from '../settings/settings.js'
import { LATEST } from '../settings/time.js'
import { checkLayouts } from '../signing/encode.js'
import type { PricesInput } from './session-settings.js'

/** Maximum number of overrides of a feed: a search for extremes visits all of them. */
export const MAX_OVERRIDES = 5000
const WANT_FEWER = `at most ${MAX_OVERRIDES} price changes of a feed in one session`

/**
 * Adds overrides from virtual second `now` on, or lists all problems. Derived feeds follow by the same factor.
 * @param prices in quote units by feed id in any case; null removes the override of a feed
 */
export function overridePrices(
  market: Market,
  overrides: PriceOverrides,
  prices: PricesInput,
  now: number,
): { overrides: PriceOverrides; problems: Problem[] } {
  // Without a prototype: a feed may be called `constructor`.
  const next: Record<string, readonly PriceOverride[]> = Object.assign(Object.create(null), overrides)
  const problems: Problem[] = []
  const { feeds } = market
  const ids = feeds.map(known => known.id)
  const rankOf = (feed: Feed | undefined): number => (feed === undefined ? 0 : ancestorsOf(feeds, feed).length)
  const named = new Map<Feed, string>()
  const changes: Change[] = []
  const asked = Object.entries(prices).map(([id, value]) => {
    const { price, alone = false } = isObject(value) ? value : { price: value }
    return { id, price, alone, feed: market.feed(id) }
  })
  // A feed comes after the ones that it follows, so that the order of the prices makes no difference.
  for (const { id, price, alone, feed } of asked.sort((a, b) => rankOf(a.feed) - rankOf(b.feed))) {
    const at = `prices.${id}`
    if (feed === undefined) {
      const closest = problems.length < MAX_PROBLEMS_SHOWN ? nearest(id, ids) : undefined
      problems.push({ at, got: id, want: 'the id of a feed', closest })
      continue
    }
    if (named.has(feed)) {
      problems.push({ at, got: id, want: `each feed once: prices.${named.get(feed)} is the same one` })
      continue
    }
    named.set(feed, id)
    const path = market.path(feed)
    const from = now - feed.lag
    const tick = path.lastTick(from)
    if (tick === undefined) {
      problems.push({ at, got: price, want: 'a feed that has a price already' })
      continue
    }
    const followed = followedOverrides(feeds, next, feed).findLast(override => override.from <= from)?.factor ?? 1
    const factor = price === null ? 1 : (computable(price) * POWERS_OF_TEN[-feed.expo]!) / (path.at(tick) * followed)
    const before = next[feed.id] ?? []
    const last = before.at(-1)
    // An override that changes nothing is left out, so that repeating a price costs nothing.
    const isSame = last?.factor === factor && last.from < from && (last.alone ?? false) === alone
    if (!isSame) next[feed.id] = addOverride(before, { from, factor, ...(alone ? { alone } : {}) })
    changes.push({ at, price, alone, feed, from })
  }
  // With all of them in force: one price can make room for another.
  for (const change of changes) {
    const want = findProblem(feeds, next, change)
    if (want !== undefined) problems.push({ at: change.at, got: change.price, want })
  }
  return { overrides: problems.length === 0 ? next : overrides, problems }
}

/** A price that changes, and the second of its feed from which on. */
interface Change {
  readonly at: string
  readonly price: number | null
  readonly feed: Feed
  readonly from: number
  /** Whether derived feeds stay where they are. */
  readonly alone: boolean
}

/** A price, or one that is as far beyond those of any feed and has a factor: with the largest numbers there would be none. */
const computable = (price: number): number => Math.min(price + 1e-99, 1e99)

/** The problem of a changed price, for its feed and those that follow it. */
function findProblem(
  feeds: readonly Feed[],
  overrides: PriceOverrides,
  { feed, from, price, alone }: Change,
): string | undefined {
  // Also those that do not follow it: the override that it replaces may have been followed.
  const affected = [feed, ...followersOf(feeds, feed)].map(each => ({
    feed: each,
    inForce: overridesInForce(feeds, overrides, each),
  }))
  const { length } = ownOverrides(overrides, feed.id)
  if (length > MAX_OVERRIDES || affected.some(({ inForce }) => inForce.length > MAX_OVERRIDES)) return WANT_FEWER
  // Those from then on; earlier ones were checked by earlier changes.
  const factors = affected.flatMap(({ feed: each, inForce }) => {
    const first = inForce.findLastIndex(one => one.from + each.lag <= from + feed.lag)
    return inForce.slice(Math.max(0, first)).map(({ factor }) => ({ feed: each, factor }))
  })
  const unfit = factors.find(one => !isFit(one.feed, one.factor))
  if (unfit === undefined) return undefined
  const ranges = factors
    .filter(one => !alone || one.feed === feed)
    .map(one => validRange(one.feed, one.factor, computable(price ?? 0)))
  const least = Math.max(...ranges.map(([low]) => low))
  const most = Math.min(...ranges.map(([, high]) => high))
  if (price !== null && least < most && (price < least || price > most)) return wantRange(least, most)
  return `a change that leaves room for the walk of ${unfit.feed.id} under all prices that are set: change them together`
}

/** Problems of the overrides of a feed in a snapshot, with those of the feeds that follow it. */
export function checkOverrides(
  feeds: readonly Feed[],
  all: PriceOverrides,
  feed: Feed,
  overrides: readonly PriceOverride[],
): Problem[] {
  const at = `overrides.${feed.id}`
  if (overrides.length > MAX_OVERRIDES) return [{ at, got: overrides.length, want: WANT_FEWER }]
  const unordered = overrides.findIndex(({ from }, i) => from < (overrides[i - 1]?.from ?? 0))
  if (unordered > 0) {
    const { from } = overrides[unordered]!
    return [{ at: `${at}[${unordered}].from`, got: from, want: `a second from ${overrides[unordered - 1]!.from}` }]
  }
  const followers = followersOf(feeds, feed).filter(({ id }) => ownOverrides(all, id).length === 0)
  return [feed, ...followers].flatMap((each): Problem[] => {
    const inForce = overridesInForce(feeds, all, each)
    if (inForce.length > MAX_OVERRIDES) return [{ at, got: inForce.length, want: WANT_FEWER }]
    const unfit = inForce.find(({ factor }) => !isFit(each, factor))
    if (unfit === undefined) return []
    const own = overrides.findLastIndex(({ from }) => from + feed.lag < unfit.from + each.lag + each.heartbeat)
    const want = wantRange(...validRange(each, unfit.factor, unfit.factor)).replace('a price', 'a factor')
    const ofWhich =
      each === feed && unfit.factor === overrides[own]?.factor ? '' : ` of ${each.id}, with all that it follows`
    return [{ at: own < 0 ? at : `${at}[${own}].factor`, got: unfit.factor, want: want + ofWhich }]
  })
}

/** Whether all prices of a feed can be signed under a factor. */
function isFit(feed: Feed, factor: number): boolean {
  const [least, most] = validRange(feed, factor, factor)
  return factor === 1 || (least <= factor && factor <= most)
}

/** The valid range of a price that multiplies a feed by `factor`: no price below one step, and none beyond the exact integers. */
function validRange(feed: Feed, factor: number, price: number): readonly [least: number, most: number] {
  const { low, high } = priceRange(feed)
  return [(price * feed.step) / (low * factor), (price * Number.MAX_SAFE_INTEGER) / (high * factor)]
}

const wantRange = (least: number, most: number): string => `${priceFromTo(least, most)}, which leaves room for the walk`

/** Problems of the chosen layouts with the largest price, and the latest `ts`, that each feed can have. */
export function checkSignable(
  feeds: readonly Feed[],
  signing: SigningSettings,
  overrides: PriceOverrides = {},
): readonly Problem[] {
  if (Object.keys(overrides).length > 0) return checkLargest(feeds, signing, overrides)
  // Most sessions sign alike and have no overrides, and each one that is restored is checked.
  const key = JSON.stringify(signing)
  const known = checked.get(feeds)
  if (known?.key === key) return known.problems
  const problems = checkLargest(feeds, signing, overrides)
  if (key.length <= MAX_KEY_LENGTH) checked.set(feeds, { key, problems })
  return problems
}

/** The latest check without overrides. */
const checked = new WeakMap<readonly Feed[], { readonly key: string; readonly problems: readonly Problem[] }>()
const MAX_KEY_LENGTH = 10_000

function checkLargest(feeds: readonly Feed[], signing: SigningSettings, overrides: PriceOverrides): Problem[] {
  const largest = feeds.map(feed => {
    const factor = Math.max(1, ...overridesInForce(feeds, overrides, feed).map(({ factor }) => factor))
    return { feedId: feed.id, price: Math.ceil(priceRange(feed).high * factor), expo: feed.expo, ts: LATEST }
  })
  return checkLayouts(signing, largest)
}
