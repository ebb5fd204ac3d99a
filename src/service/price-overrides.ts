// Price overrides: "BTC is 50,000 now" as a factor on the path of the feed. Also checks that every price can be signed.
import { MAX_PROBLEMS_SHOWN, nearest, type Problem } from '../errors.js'
import { ancestorsOf, type Feed, followersOf } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import { addOverride, followedOverrides, overridesInForce, type PriceOverride } from '../market/overridden.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import { priceRange } from '../market/resolve-feeds.js'
import type { SigningSettings } from '../settings/settings.js'
import { LATEST } from '../settings/time.js'
import { checkLayouts } from '../signing/encode.js'
import type { PricesInput } from './session-settings.js'

/** Maximum number of overrides of a feed: a search for extremes visits all of them. */
export const MAX_OVERRIDES = 5000
const WANT_FEWER = `at most ${MAX_OVERRIDES} price changes of a feed in one session`

/** Overrides by feed id. */
export type PriceOverrides = Readonly<Record<string, readonly PriceOverride[]>>

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
  const ids = market.feeds.map(known => known.id)
  const { feeds } = market
  const rankOf = (feed: Feed | undefined): number => (feed === undefined ? 0 : ancestorsOf(feeds, feed).length)
  const named = new Map<Feed, string>()
  const asked = Object.entries(prices).map(([id, value]) => {
    const { price, alone } = typeof value === 'object' && value !== null ? value : { price: value, alone: false }
    return { id, price, alone, feed: market.feed(id) }
  })
  // A feed comes after the ones that it follows, so that the order of the prices makes no difference.
  for (const { id, price, alone, feed } of asked.toSorted((a, b) => rankOf(a.feed) - rankOf(b.feed))) {
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
    const from = path.lastTick(now - feed.lag)
    if (from === undefined) {
      problems.push({ at, got: price, want: 'a feed that has a price already' })
      continue
    }
    const followed = followedOverrides(feeds, next, feed).findLast(override => override.from <= from)?.factor ?? 1
    const factor = price === null ? 1 : (price * POWERS_OF_TEN[-feed.expo]!) / (path.at(from) * followed)
    const before = next[feed.id] ?? []
    const last = before.at(-1)
    // An override that changes nothing is left out, so that repeating a price costs nothing.
    const isSame = last !== undefined && last.from < from && last.factor === factor && (last.alone ?? false) === alone
    const list = isSame ? before : addOverride(before, { from, factor, ...(alone ? { alone } : {}) })
    next[feed.id] = list
    const affected = [feed, ...(alone ? [] : followersOf(feeds, feed))]
    const want = findProblem(
      affected.map(each => ({ feed: each, inForce: overridesInForce(feeds, next, each) })),
      now,
      price,
    )
    if (want === undefined) continue
    problems.push({ at, got: price, want })
    next[feed.id] = before
  }
  return { overrides: next, problems }
}

/** A feed whose price changes, and its overrides. */
interface Affected {
  readonly feed: Feed
  readonly inForce: readonly PriceOverride[]
}

/** The problem of a price at virtual second `now`, for a feed and those that follow it. */
function findProblem(affected: readonly Affected[], now: number, price: number | null): string | undefined {
  if (affected.some(({ inForce }) => inForce.length > MAX_OVERRIDES)) return WANT_FEWER
  if (price === null) return undefined
  const ranges = affected.map(({ feed, inForce }) => {
    const factor = inForce.findLast(override => override.from <= now - feed.lag)?.factor ?? 1
    return validRange(feed, factor, price)
  })
  const least = Math.max(...ranges.map(([low]) => low))
  const most = Math.min(...ranges.map(([, high]) => high))
  return least <= price && price <= most ? undefined : wantRange(least, most)
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
  const problems = checkList(feed, overrides, at)
  if (problems.length > 0) return problems
  return followersOf(feeds, feed).flatMap((follower): Problem[] => {
    const inForce = overridesInForce(feeds, all, follower)
    if (inForce.length > MAX_OVERRIDES) return [{ at, got: inForce.length, want: WANT_FEWER }]
    const [problem] = checkList(follower, inForce, at)
    return problem === undefined ? [] : [{ ...problem, want: `${problem.want} of ${follower.id}` }]
  })
}

function checkList(feed: Feed, overrides: readonly PriceOverride[], at: string): Problem[] {
  return overrides.flatMap(({ from, factor }, i): Problem[] => {
    const last = overrides[i - 1]
    if (last !== undefined && from <= last.from)
      return [{ at: `${at}[${i}].from`, got: from, want: `a second after ${last.from}` }]
    const [least, most] = validRange(feed, factor, factor)
    return factor === 1 || (least <= factor && factor <= most)
      ? []
      : [{ at: `${at}[${i}].factor`, got: factor, want: wantRange(least, most).replace('a price', 'a factor') }]
  })
}

/** The valid range of a price that multiplies a feed by `factor`: no price below one step, and none beyond the exact integers. */
function validRange(feed: Feed, factor: number, price: number): readonly [least: number, most: number] {
  const { low, high } = priceRange(feed)
  return [(price * feed.step) / (low * factor), (price * Number.MAX_SAFE_INTEGER) / (high * factor)]
}

const wantRange = (least: number, most: number): string =>
  `a price from ${least.toPrecision(3)} to ${most.toPrecision(3)}, which leaves room for the walk`

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
    const inForce = overridesInForce(feeds, overrides, feed)
    const factor = Math.max(1, ...inForce.map(override => override.factor))
    return { feedId: feed.id, price: Math.ceil(priceRange(feed).high * factor), expo: feed.expo, ts: LATEST }
  })
  return checkLayouts(signing, largest)
}
