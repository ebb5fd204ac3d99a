// A world at one second, as endpoints see it. The stages of an answer that faults can touch are its methods, one place each.
import type { Row, SeriesFault, SignatureContext, SignatureFault, Signed, TickFault } from '../faults/fault.js'
import type { Buckets, Candle } from '../market/candles.js'
import type { Feed } from '../market/feeds.js'
import type { Market } from '../market/market.js'
import type { PriceOverride } from '../market/overridden.js'
import type { TickPrice } from '../market/path.js'
import { priceRange } from '../market/resolve-feeds.js'
import type { ActiveFault, ActiveScenario } from '../scenario/active.js'
import type { Policy } from '../settings/policy.js'
import type { Settings } from '../settings/settings.js'
import { LATEST } from '../settings/time.js'
import type { Tick } from '../signing/encode.js'
import type { Signer } from '../signing/signer.js'
import type { Clock } from './clock.js'
import type { MarketStage } from './market-stage.js'
import type { PriceOverrides } from './prices.js'
import type { SelectedFaults } from './select-faults.js'

/** An isolated world: everything that its answers depend on, besides the request and its state. */
export interface SessionContext {
  /** The name of its session. */
  readonly id: string
  readonly settings: Settings
  readonly clock: Clock
  readonly market: Market
  readonly signer: Signer
  /** The public test keys, for faults that sign with another one. */
  testSigner(number: number): Signer
  /** What goes wrong, and since when. */
  readonly scenario: ActiveScenario
  /** The market with its faults and its held prices. */
  readonly stage: MarketStage
  /** Prices that are held, as overrides of the walk. */
  readonly overrides: PriceOverrides
  /** Whether an API key opens the protected endpoints. */
  acceptsKey(key: string): boolean
}

/** A world at one second. */
export interface EndpointContext {
  /** Seconds since the epoch. */
  readonly now: number
  readonly policy: Policy
  /** The feed of an id in any case. */
  feed(id: string): Feed | undefined
  /** Tick stage: whether a feed is left out of an answer. `isLast`: it is the last of several. */
  omits(feed: Feed, isLast: boolean): boolean
  /** Tick stage: the last published tick of a feed, or undefined where it has no price. */
  latest(feed: Feed): Tick | undefined
  /** Tick stage: the highest and lowest tick of the last `minutes`, the last one before where there was none. */
  extremes(feed: Feed, minutes: number): { high: Tick; low: Tick } | undefined
  /** Signature stage: some ticks as they are shown, and one signature, in the form of an endpoint. */
  sign(form: 'svm' | 'evm', ticks: readonly Tick[]): Signed
  /** The newest candles of a feed, oldest first. */
  candles(feed: Feed, buckets: Buckets): Candle[]
  /** Series stage: the candles of a feed as they are shown. */
  rows(feed: Feed, rows: readonly Row[], buckets: Buckets): readonly Row[]
}

/** Who watches an answer come about. */
export interface Trace {
  onTick?(before: Tick, after: Tick): void
  onSign?(form: 'svm' | 'evm', signed: Signed): void
}

const NOTHING_DUE: SelectedFaults['byStage'] = { tick: [], signature: [], series: [], reply: [], wire: [] }

/**
 * The moment of a world at virtual second `now`.
 * @param due the faults at work, none without
 * @param touched is told the indices of the faults that have changed something
 */
export function createEndpointContext(
  world: SessionContext,
  now: number,
  due: SelectedFaults['byStage'] = NOTHING_DUE,
  touched = new Set<number>(),
  trace: Trace = {},
): EndpointContext {
  const { market, stage } = world
  const { policy, signing } = world.settings
  const horizonOf = (feed: Feed): number => stage.horizon(feed, now)
  const toTick = ({ id, expo }: Feed, { price, ts }: TickPrice): Tick => ({ feedId: id, price, expo, ts })
  const inForce = (feed: Feed, second: number): Tick | undefined => {
    const path = stage.path(feed)
    const ts = path.lastTick(second)
    return ts === undefined ? undefined : toTick(feed, { price: path.at(ts), ts })
  }
  const selects = ({ feeds }: ActiveFault, id: string): boolean => feeds === undefined || feeds.has(id)
  /** What a fault makes of something, and the note that it has. */
  const disturb = <T>({ index }: ActiveFault, before: T, after: T): T => {
    if (after !== before) touched.add(index)
    return after
  }

  /** Tick stage. */
  const answered = (feed: Feed, honest: Tick): Tick => {
    const tick = due.tick.reduce((before, active) => {
      if (!selects(active, feed.id)) return before
      const context = {
        options: active.options,
        earlier: (seconds: number) => inForce(feed, honest.ts - seconds),
      }
      return disturb(active, before, (active.fault as TickFault).tick(before, context))
    }, honest)
    trace.onTick?.(honest, tick)
    return tick
  }

  return {
    now,
    policy,
    feed: market.feed,
    omits: (feed, isLast) =>
      due.tick.some(active => {
        const named = active.feeds !== undefined
        const omitted = selects(active, feed.id) && ((active.fault as TickFault).omits?.({ named, isLast }) ?? false)
        return disturb(active, false, omitted)
      }),
    latest(feed) {
      const tick = inForce(feed, horizonOf(feed))
      return tick && answered(feed, tick)
    },
    extremes(feed, minutes) {
      const found = stage.path(feed).extremes(now - 60 * minutes + 1, horizonOf(feed))
      if (found) return { high: answered(feed, toTick(feed, found.high)), low: answered(feed, toTick(feed, found.low)) }
      const carried = this.latest(feed)
      return carried && { high: carried, low: carried }
    },
    sign(form, ticks) {
      const layout = signing.layouts[signing[form]]!
      const honest: Signed = { shown: ticks, covered: ticks, ...world.signer.sign(layout, ticks) }
      const signed = due.signature.reduce((before, active) => {
        if (!ticks.some(({ feedId }) => selects(active, feedId))) return before
        const context: SignatureContext<never> = {
          options: active.options,
          layout,
          testKey: world.settings.signerKeyUnsafe === undefined ? world.settings.signer : undefined,
          sign: (prices, key) => (key === undefined ? world.signer : world.testSigner(key)).sign(layout, prices),
          earlier: ({ feedId, ts }, seconds) => inForce(market.feed(feedId)!, ts - seconds),
          stepOf: feedId => market.feed(feedId)!.step,
          selects: feedId => selects(active, feedId),
        }
        return disturb(active, before, (active.fault as SignatureFault).apply(before, context))
      }, honest)
      trace.onSign?.(form, signed)
      return signed
    },
    candles: (feed, buckets) => market.candles(feed, stage.path(feed), buckets, horizonOf(feed), policy.candles),
    rows: (feed, rows, { width }) =>
      due.series.reduce((before, active) => {
        if (!selects(active, feed.id)) return before
        const after = (active.fault as SeriesFault).rows(before, { options: active.options, width, now })
        const isSame = after.length === before.length && after.every((row, i) => row === before[i])
        return isSame ? before : disturb(active, before, after)
      }, rows),
  }
}

/** A tick as large as any that a feed will have, with the latest `ts`: a layout that signs it signs them all. */
export function largestTick(feed: Feed, overrides: readonly PriceOverride[] = []): Tick {
  const factor = Math.max(1, ...overrides.map(override => override.factor))
  return { feedId: feed.id, price: Math.ceil(priceRange(feed).high * factor), expo: feed.expo, ts: LATEST }
}
