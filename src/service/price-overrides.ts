// Price overrides: "BTC is 50,000 now" as a factor on the path of the feed. Also checks that every price can be signed.
import { MAX_PROBLEMS_SHOWN, nearest, type Problem } from '../errors.js'
import { POWERS_OF_TEN } from '../market/exponential.js'
import type { Feed } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import { addOverride, type PriceOverride } from '../market/overridden.js'
import { priceRange } from '../market/resolve-feeds.js'
import type { SigningSettings } from '../settings/settings.js'
import { LATEST } from '../settings/time.js'
import { checkLayouts } from '../signing/check-layouts.js'

/** Maximum number of overrides of a feed: a search for extremes visits all of them. */
const MAX_OVERRIDES = 5000
const WANT_FEWER = `at most ${MAX_OVERRIDES} price changes of a feed in one session`

/** Overrides by feed id. */
export type PriceOverrides = Readonly<Record<string, readonly PriceOverride[]>>

/**
 * Adds overrides from virtual second `now` on, or lists all problems.
 * @param prices in quote units by feed id in any case; null removes the override of a feed
 */
export function overridePrices(
  market: Market,
  overrides: PriceOverrides,
  prices: Readonly<Record<string, number | null>>,
  now: number,
): { overrides: PriceOverrides; problems: Problem[] } {
  const next: Record<string, readonly PriceOverride[]> = { ...overrides }
  const problems: Problem[] = []
  const ids = market.feeds.map(known => known.id)
  for (const [id, price] of Object.entries(prices)) {
    const at = `prices.${id}`
    const feed = market.feed(id)
    if (feed === undefined) {
      const closest = problems.length < MAX_PROBLEMS_SHOWN ? nearest(id, ids) : undefined
      problems.push({ at, got: id, want: 'the id of a feed', closest })
      continue
    }
    const path = market.path(feed)
    const from = path.lastTick(now - feed.lag)
    if (from === undefined) {
      problems.push({ at, got: price, want: 'a feed that has a price already' })
      continue
    }
    const factor = price === null ? 1 : (price * POWERS_OF_TEN[-feed.expo]!) / path.at(from)
    const want = price === null ? undefined : rangeProblem(feed, factor, price)
    const before = next[feed.id] ?? []
    const last = before.at(-1)
    // An override that changes nothing is left out, so that repeating a price costs nothing.
    const isSame = last !== undefined && last.from < from && last.factor === factor
    const list = isSame ? before : addOverride(before, { from, factor })
    if (want !== undefined) problems.push({ at, got: price, want })
    else if (list.length > MAX_OVERRIDES) problems.push({ at, got: price, want: WANT_FEWER })
    else next[feed.id] = list
  }
  return { overrides: next, problems }
}

/** Problems of the overrides of a feed in a snapshot. */
export function checkOverrides(feed: Feed, overrides: readonly PriceOverride[]): Problem[] {
  const at = `overrides.${feed.id}`
  if (overrides.length > MAX_OVERRIDES) return [{ at, got: overrides.length, want: WANT_FEWER }]
  return overrides.flatMap(({ from, factor }, i): Problem[] => {
    const last = overrides[i - 1]
    if (last !== undefined && from <= last.from)
      return [{ at: `${at}[${i}].from`, got: from, want: `a second after ${last.from}` }]
    const want = factor === 1 ? undefined : rangeProblem(feed, factor, factor)
    return want === undefined
      ? []
      : [{ at: `${at}[${i}].factor`, got: factor, want: want.replace('a price', 'a factor') }]
  })
}

/** The valid range of a price, if the feed times `factor` could fall below one step or exceed the exact integers. */
function rangeProblem(feed: Feed, factor: number, price: number): string | undefined {
  const { low, high } = priceRange(feed)
  if (low * factor >= feed.step && high * factor <= Number.MAX_SAFE_INTEGER) return undefined
  const least = (price * feed.step) / (low * factor)
  const most = (price * Number.MAX_SAFE_INTEGER) / (high * factor)
  return `a price from ${least.toPrecision(3)} to ${most.toPrecision(3)}, which leaves room for the walk`
}

/** Problems of the chosen layouts with the largest price, and the latest `ts`, that each feed can have. */
export function checkSignable(
  feeds: readonly Feed[],
  signing: SigningSettings,
  overrides: PriceOverrides = {},
): Problem[] {
  const largest = feeds.map(feed => {
    const factor = Math.max(1, ...(overrides[feed.id] ?? []).map(override => override.factor))
    return { feedId: feed.id, price: Math.ceil(priceRange(feed).high * factor), expo: feed.expo, ts: LATEST }
  })
  return checkLayouts(signing, largest)
}
