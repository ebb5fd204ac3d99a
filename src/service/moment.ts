// A world at one second, as endpoints see it. The stages of an answer that faults can touch are its methods, one place each.
import type { Buckets, Candle } from '../market/candles.js'
import type { Feed } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import type { PricePath, TickPrice } from '../market/path.js'
import { type Rescaling, rescaledPath } from '../market/rescaled.js'
import { priceRange } from '../market/resolve-feeds.js'
import type { Policy } from '../settings/policy.js'
import type { Settings } from '../settings/settings.js'
import { LATEST } from '../settings/time.js'
import type { Tick } from '../signing/encode.js'
import type { Signature, Signer } from '../signing/signer.js'
import type { Clock } from './clock.js'
import type { Rescalings } from './prices.js'

/** An isolated world: everything that its answers depend on, besides the request and its state. */
export interface World {
  /** The name of its session. */
  readonly id: string
  readonly settings: Settings
  readonly clock: Clock
  readonly market: Market
  readonly signer: Signer
  /** Prices that are held, as rescalings of the walk. */
  readonly rescalings: Rescalings
  /** Whether an API key opens the protected endpoints. */
  acceptsKey(key: string): boolean
}

/** A world at one second. */
export interface Moment {
  /** Seconds since the epoch. */
  readonly now: number
  readonly policy: Policy
  /** The feed of an id in any case. */
  feed(id: string): Feed | undefined
  /** Tick stage: the last published tick of a feed, or undefined where it has no price. */
  latest(feed: Feed): Tick | undefined
  /** Tick stage: the highest and lowest tick of the last `minutes`, the last one before where there was none. */
  extremes(feed: Feed, minutes: number): { high: Tick; low: Tick } | undefined
  /** Signature stage: one signature over some ticks, in the form of an endpoint. */
  sign(form: 'svm' | 'evm', ticks: readonly Tick[]): Signature
  /** Series stage: the newest candles of a feed, oldest first. */
  candles(feed: Feed, buckets: Buckets): Candle[]
}

/** The moment of a world at virtual second `now`. */
export function createMoment(world: World, now: number): Moment {
  const { market, signer } = world
  const { policy, signing } = world.settings

  /** Market stage: the path that every stage after it reads. */
  const pathOf = (feed: Feed): PricePath => {
    const rescalings = world.rescalings[feed.id]
    return rescalings ? rescaledPath(market.path(feed), rescalings, feed.step) : market.path(feed)
  }
  /** The last second whose price is published. */
  const horizonOf = (feed: Feed): number => now - feed.lag
  const toTick = ({ id, expo }: Feed, { price, ts }: TickPrice): Tick => ({ feedId: id, price, expo, ts })

  const latest = (feed: Feed): Tick | undefined => {
    const path = pathOf(feed)
    const ts = path.lastTick(horizonOf(feed))
    return ts === undefined ? undefined : toTick(feed, { price: path.at(ts), ts })
  }

  return {
    now,
    policy,
    feed: market.feed,
    latest,
    extremes(feed, minutes) {
      const found = pathOf(feed).extremes(now - 60 * minutes + 1, horizonOf(feed))
      if (found) return { high: toTick(feed, found.high), low: toTick(feed, found.low) }
      const carried = latest(feed)
      return carried && { high: carried, low: carried }
    },
    sign: (form, ticks) => signer.sign(signing.layouts[signing[form]]!, ticks),
    candles: (feed, buckets) => market.candles(feed, pathOf(feed), buckets, horizonOf(feed), policy.candles),
  }
}

/** A tick as large as any that a feed will have, with the latest `ts`: a layout that signs it signs them all. */
export function largestTick(feed: Feed, rescalings: readonly Rescaling[] = []): Tick {
  const factor = Math.max(1, ...rescalings.map(rescaling => rescaling.factor))
  return { feedId: feed.id, price: Math.ceil(priceRange(feed).high * factor), expo: feed.expo, ts: LATEST }
}
