// The interface between endpoints and the market: a session at one second. Each stage that faults can change is one method.
import type { CandleFault, Half, Row, SignatureContext, SignatureFault, Signed, TickFault } from '../faults/fault.js'
import type { Buckets, Candle } from '../market/candles.js'
import type { Feed } from '../market/feeds.js'
import type { TickPrice } from '../market/path.js'
import type { ActiveFault } from '../scenario/scenario.js'
import { bytesOfPrice } from '../settings/layouts.js'
import type { Tick } from '../signing/encode.js'
import { type Signer, testKeyNumber } from '../signing/signer.js'
import { type FaultsByStage, NO_FAULTS, type SelectedFaults } from './apply-faults.js'
import type { MarkApplied } from './market-stage.js'
import type { Runtime } from './runtime.js'
import { messageWork, rowsWork } from './work-limit.js'

/** A session at one second, as endpoints see it. */
export type EndpointContext = ReturnType<typeof createEndpointContext>

/** A price with the second at which it was published. Faults that change a price by copying it keep that. */
interface Published extends Tick {
  readonly publishedAt?: number
}

const publicationOf = ({ ts, publishedAt = ts }: Published): number => publishedAt

/** Whether a price is below another one of its feed, by its value where their exponents differ. */
function isBelow(one: Tick, other: Tick): boolean {
  if (one.expo === other.expo) return one.price < other.price
  const [value, otherValue] = [one, other].map(({ price, expo }) => Number(price) * Number(`1e${expo}`))
  return value! < otherValue!
}

/** The next feed of the same class in the catalogue that is not among some, or undefined when there is none. */
function nextOfClass(feeds: readonly Feed[], after: Feed, except: readonly Feed[]): Feed | undefined {
  const start = feeds.indexOf(after)
  return [...feeds.slice(start), ...feeds.slice(0, start)].find(
    feed => feed.class === after.class && !except.includes(feed),
  )
}

/** Observes the steps of an answer, for `explain`. Caches are not used while one is set. */
export interface Trace {
  onSelect?(selected: SelectedFaults): void
  onTick?(before: Tick, after: Tick): void
  onSign?(form: 'svm' | 'evm', signed: Signed): void
}

/**
 * Creates the context of a session at virtual second `now`.
 * @param faults the active faults
 * @param markApplied receives the index of each fault that changes something
 */
export function createEndpointContext(
  session: Runtime,
  now: number,
  faults: FaultsByStage = NO_FAULTS,
  markApplied: MarkApplied = () => {},
  trace: Trace = {},
) {
  const { market, stage } = session
  const { policy, signing } = session.settings
  const inForce = (feed: Feed, second: number): Tick | undefined => {
    const path = stage.path(feed)
    const ts = path.lastTick(second)
    return ts === undefined ? undefined : { feedId: feed.id, price: path.at(ts), expo: feed.expo, ts }
  }
  /** The other half of a history's pair: the low of a high with 1, the high of a low with -1. */
  const pairs = new Map<Tick, readonly [other: Tick, sign: number]>()
  /** Another price in place of a tick. In a history, the one in place of the high is not below the one in place of the low. */
  const replaced = (tick: Tick, find: (tick: Tick) => Tick | undefined): Tick | undefined => {
    const [twin, sign = 0] = pairs.get(tick) ?? []
    const own = find(tick)
    const other = twin && find(twin)
    return own && other && (sign > 0 ? isBelow(own, other) : isBelow(other, own)) ? other : own
  }
  const selects = ({ feeds }: ActiveFault, id: string): boolean => feeds === undefined || feeds.has(id)
  const applied = <T>({ index }: ActiveFault, before: T, after: T): T => {
    if (after !== before) markApplied(index)
    return after
  }

  /** Tick stage: a published price after some of its faults. One that they take in place of a newer one is not replaced again. */
  const afterFaults = (
    feed: Feed,
    published: Tick,
    tickFaults: readonly ActiveFault[],
    half?: Half,
    isOlder = false,
  ): Published => {
    let { ts } = published
    const shown = tickFaults.reduce((before, active, i) => {
      if (!selects(active, feed.id)) return before
      const earlier = (seconds: number): Tick | undefined => {
        const found = isOlder ? undefined : inForce(feed, published.ts - seconds)
        ts = found?.ts ?? ts
        return found && afterFaults(feed, found, tickFaults.slice(0, i), half, true)
      }
      const context = { options: active.options, half, earlier }
      return applied(active, before, (active.fault as TickFault).tick(before, context))
    }, published)
    return faults.signature.length > 0 ? { ...shown, publishedAt: ts } : shown
  }
  const toAnswer = (feed: Feed, { price, ts }: TickPrice, half?: Half) => {
    const honest: Tick = { feedId: feed.id, price, expo: feed.expo, ts }
    return { honest, tick: afterFaults(feed, honest, faults.tick, half) }
  }
  const traced = ({ honest, tick }: ReturnType<typeof toAnswer>): Tick => {
    trace.onTick?.(honest, tick)
    return tick
  }
  /** Signature stage: the price of a feed in force at a second, after the tick faults. */
  const shownAt = (feed: Feed, second: number, half?: Half): Tick | undefined => {
    const found = inForce(feed, second)
    return found && afterFaults(feed, found, faults.tick, half, true)
  }

  return {
    /** Seconds since the epoch. */
    now,
    policy,
    /** The feed of an id in any case. */
    feed: market.feed,
    /** Tick stage: whether a feed is left out of an answer. `isLast`: it is the last of several. */
    omits: (feed: Feed, isLast: boolean): boolean =>
      faults.tick.some(active => {
        const named = active.feeds !== undefined
        const omitted = selects(active, feed.id) && ((active.fault as TickFault).omits?.({ named, isLast }) ?? false)
        return applied(active, false, omitted)
      }),
    /** Tick stage: the feed that an answer has besides those that were asked for, and what `get` finds of it. */
    extra<T>(ids: readonly string[], get: (feed: Feed) => T | undefined): { id: string; found: T } | undefined {
      for (const active of faults.tick.filter(({ fault }) => (fault as TickFault).adds)) {
        const asked = ids.flatMap(id => market.feed(id) ?? [])
        const beside = asked.find(({ id }) => selects(active, id))
        const added = beside && nextOfClass(market.feeds, beside, asked)
        const found = added && get(added)
        if (found !== undefined) return applied(active, undefined, { id: added!.id, found })
      }
      return undefined
    },
    /** Tick stage: the last published tick of a feed, or undefined where it has no price. */
    latest(feed: Feed): Tick | undefined {
      const tick = stage.latest(feed, now)
      return tick && traced(toAnswer(feed, tick))
    },
    /** Tick stage: the highest and lowest tick of the last `minutes`, the last one before where there was none. */
    extremes(feed: Feed, minutes: number): { high: Tick; low: Tick } | undefined {
      const found = stage.lookUp(feed.id, () =>
        stage.path(feed).extremes(now - 60 * minutes + 1, stage.horizon(feed, now)),
      )
      const carried = found ? undefined : stage.latest(feed, now)
      const extremes = found ?? (carried && { high: carried, low: carried })
      if (extremes === undefined) return undefined
      const pairOf = (one: TickPrice, other: TickPrice) =>
        [toAnswer(feed, one, 'high'), toAnswer(feed, other, 'low')] as const
      const pair = pairOf(extremes.high, extremes.low)
      // A fault can turn the order around: it changes the sign, or takes older ticks. A changed exponent can put either order upside
      // down; then the first one stays.
      const turned = isBelow(pair[0].tick, pair[1].tick) ? pairOf(extremes.low, extremes.high) : pair
      const [high, low] = (isBelow(turned[0].tick, turned[1].tick) ? pair : turned).map(traced) as [Tick, Tick]
      if (faults.signature.length > 0) pairs.set(high, [low, 1]).set(low, [high, -1])
      return { high, low }
    },
    /** Signature stage: some ticks as they are shown, and one signature, in the form of an endpoint. */
    sign(form: 'svm' | 'evm', ticks: readonly Tick[]): Signed {
      const layout = signing.layouts[signing[form]]!
      // A reply has one signature for each price at most; faults can add a hundred, and so can making it again.
      const signBy = (signer: Signer, prices: readonly Tick[], isOfFault: boolean) => {
        stage.spend(messageWork(bytesOfPrice(layout) * prices.length, isOfFault || stage.isRepeated))
        return signer.sign(layout, prices)
      }
      const sign = pairs.get(ticks[0]!)?.[1]
      const half = sign === undefined ? undefined : sign > 0 ? 'high' : 'low'
      const honest: Signed = { shown: ticks, covered: ticks, ...signBy(session.signer, ticks, false) }
      const signed = faults.signature.reduce((before, active) => {
        if (!ticks.some(({ feedId }) => selects(active, feedId))) return before
        const context: SignatureContext<never> = {
          options: active.options,
          layout,
          testKey: testKeyNumber(session.settings),
          sign: (prices, key) => signBy(key === undefined ? session.signer : session.testSigner(key), prices, true),
          earlier: (tick, seconds) =>
            replaced(tick, one => shownAt(market.feed(one.feedId)!, publicationOf(one) - seconds, half)),
          otherFeed: tick => {
            const { feeds } = market
            const next = feeds[(feeds.indexOf(market.feed(tick.feedId)!) + 1) % feeds.length]!
            return next.id === tick.feedId ? undefined : replaced(tick, one => shownAt(next, publicationOf(one), half))
          },
          stepOf: feedId => market.feed(feedId)!.step,
          selects: feedId => selects(active, feedId),
          half,
          named: active.feeds !== undefined,
        }
        return applied(active, before, (active.fault as SignatureFault).apply(before, context))
      }, honest)
      trace.onSign?.(form, signed)
      return signed
    },
    /** The newest candles of a feed, oldest first; each step looks up one that is not cached. */
    candles: (feed: Feed, buckets: Buckets): Generator<unknown, Candle[]> =>
      market.candles(
        feed,
        stage.path(feed),
        buckets,
        stage.horizon(feed, now),
        policy.candles,
        stage.volume(feed),
        stage.lookUp,
      ),
    /** Series stage: the interval of a chart, by that of the request. */
    interval: (feed: Feed, asked: string): string =>
      faults.series.reduce((before, active) => {
        const { interval } = active.fault as CandleFault
        return interval && selects(active, feed.id) ? applied(active, before, interval(before, active.options)) : before
      }, asked),
    /** Series stage: the candles of a feed as they are shown. */
    rows: (feed: Feed, rows: readonly Row[], { width }: Buckets): readonly Row[] =>
      faults.series.reduce((before, active) => {
        if (!selects(active, feed.id)) return before
        stage.spend(rowsWork(before.length))
        const after = (active.fault as CandleFault).rows(before, { options: active.options, width, now })
        const isSame = after.length === before.length && after.every((row, i) => row === before[i])
        return isSame ? before : applied(active, before, after)
      }, rows),
  }
}
