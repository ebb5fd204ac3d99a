// The market stage: the path of each feed with price overrides and market faults. All endpoints read prices here.
import { forgetAnswers, getOrCreate } from '../caches.js'
import type { HeldBack, MarketContext, MarketFault } from '../faults/fault.js'
import { type Feed, leaderOf } from '../market/feeds.js'
import { type Market, PATH_BYTES } from '../market/market.js'
import { overriddenPath, overridesInForce, type PriceOverrides } from '../market/overridden.js'
import { type PricePath, type TickPrice, untracked } from '../market/path.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import { changeVolume, type Silence, type Surge, type Volume } from '../market/volume.js'
import { earlierWindows } from '../market/windows.js'
import type { ActiveFault, ActiveScenario } from '../scenario/scenario.js'
import {
  createWorkMeter,
  meteredPath,
  meteredSurge,
  meteredVolume,
  meteredWindows,
  viewWork,
  type WorkMeter,
} from './work-limit.js'

/** The market of a session. */
export type MarketStage = ReturnType<typeof createMarketStage>

/** The work of one request, which can be done in several parts. */
export interface Work {
  /** Units so far. */
  units: number
  /** The long look-ups so far, if they are kept for a later part. */
  readonly known?: Map<string, LookUp>
}

/** The long look-ups of a request, which a host can make one by one before the answer. */
export interface LookUps {
  /** Makes the next one. Returns false once all are made. */
  makeNext(): boolean
  /** Their results hold for this stage at this second. */
  readonly stage: MarketStage
  readonly now: number
  readonly known: NonNullable<Work['known']>
}

/** Makes the look-ups of a request and then its step: at once, or in turns with other requests. */
export type RunInTurns = <T, Made extends Pick<LookUps, 'makeNext'>>(
  /** Requests of one session keep their order. */
  session: object,
  lookUps: (() => Made | undefined) | undefined,
  step: (made?: Made) => T,
) => T | Promise<T>

/** Makes no look-ups before the step, which then makes its own. */
export const atOnce: RunInTurns = (_session, _lookUps, step) => step()

interface LookUp {
  readonly value: unknown
  /** The indices of the faults that changed it. */
  readonly applied: readonly number[]
  readonly units: number
}

/** Records the index of a fault that has changed an answer. */
export type MarkApplied = (index: number) => void

/** A fault on one feed. */
interface Layer {
  readonly index: number
  readonly fault: MarketFault
  readonly context: MarketContext<never>
}

interface View {
  /** Undefined for the path and the volume of the market itself. */
  readonly path: PricePath | undefined
  readonly volume: Volume | undefined
  /** The path below each fault, by the index of the fault. */
  readonly below: ReadonlyMap<number, PricePath>
  /** The change of the latest price at a second of the horizon, if a fault makes one. */
  heldBack(second: number): (HeldBack & Pick<Layer, 'context'>) | undefined
  /** An estimate of what it holds. */
  readonly bytes: number
  /** Units of making it. */
  readonly work: number
}

/** Bytes of a view, of each fault and of each override in it, measured. */
const VIEW_BYTES = 500
const LAYER_BYTES = 2_800
const OVERRIDE_BYTES = 50

const NONE: readonly number[] = []

/**
 * Creates the market stage of a session: the walk, price overrides, then market faults in the order of the scenario.
 * @param repeated counts the work of all stages that make the same answer again with fewer faults
 */
export function createMarketStage(
  market: Market,
  scenario: ActiveScenario,
  overrides: PriceOverrides,
  repeated?: WorkMeter,
) {
  const faults = scenario.faults.filter(({ fault }) => 'path' in fault)
  /** The faults of the look-ups in progress. Paths are shared by all requests, so they cannot hold a set of their own. */
  let applied = new Set<number>()
  /** The feeds whose views have been counted in them. */
  let viewed = new Set<Feed>()
  const markApplied: MarkApplied = index => void applied.add(index)
  const isRepeated = repeated !== undefined
  const changes = Object.values(overrides).map(({ length }) => length)
  const meter = repeated ?? createWorkMeter(scenario.faults.length, Math.max(0, ...changes))
  const views = market.memory.paths.createCache<Feed, View>(({ bytes }) => bytes)

  const makeView = (feed: Feed): View => {
    const selected = faults.filter(({ reach }) => reach === undefined || reach.has(feed.id))
    const inForce = overridesInForce(market.feeds, overrides, feed)
    // Overrides are a layer as well: what they ask counts.
    const counted = meteredPath(market.path(feed), selected.length + (inForce.length > 0 ? 1 : 0), meter)
    const layers = selected.map((active): Layer => {
      const { index, fault } = active
      const first = selected.find(other => other.fault === fault)
      return {
        index,
        fault: fault as MarketFault,
        context: contextOf(active, feed, first === active ? counted : undefined),
      }
    })
    const work = viewWork(layers.length, inForce.length)
    if (layers.length === 0 && inForce.length === 0)
      return {
        path: undefined,
        volume: undefined,
        below: new Map(),
        heldBack: () => undefined,
        bytes: VIEW_BYTES,
        work,
      }
    const calm = inForce.length > 0 ? overriddenPath(counted, inForce, feed) : counted
    const below = new Map<number, PricePath>()
    const path = layers.reduce((path, { index, fault, context }) => {
      below.set(index, path)
      return fault.path(path, context)
    }, calm as PricePath)
    return {
      path,
      below,
      work,
      bytes: VIEW_BYTES + PATH_BYTES + layers.length * LAYER_BYTES + inForce.length * OVERRIDE_BYTES,
      volume: volumeUnder(market.volume(feed), layers),
      heldBack(second) {
        let oldest: ReturnType<View['heldBack']>
        for (const { fault, context } of layers) {
          const own = fault.holdBack?.(second, context)
          if (own !== undefined && own.ts < (oldest?.ts ?? Number.POSITIVE_INFINITY)) oldest = { ...own, context }
        }
        // A feed without a price now has no older one either.
        return oldest && untracked(path).lastTick(second) !== undefined ? oldest : undefined
      },
    }
  }
  function contextOf(
    { index, options, windows, feeds }: ActiveFault,
    feed: Feed,
    ofMarket: PricePath | undefined,
  ): MarketContext<never> {
    const leader = feeds === undefined ? feed : leaderOf(market.feeds, feed, feeds)!
    const appliedAt = scenario.appliedAt - feed.lag
    return {
      options,
      feed,
      seed: market.seed,
      market: ofMarket,
      // Windows are in seconds of answers. A tick answered at `now` is from `now - lag`, so windows move back by the lag.
      windows: meteredWindows(earlierWindows(windows, feed.lag), meter),
      appliedAt,
      leader:
        leader === feed
          ? undefined
          : {
              feed: leader,
              path: untracked(viewOf(leader).below.get(index)!),
              offset: feed.lag - leader.lag,
              appliedAt,
              ratio: (feed.base * POWERS_OF_TEN[-feed.expo]!) / (leader.base * POWERS_OF_TEN[-leader.expo]!),
            },
      markApplied: () => markApplied(index),
    }
  }
  function volumeUnder(volume: Volume, layers: readonly Layer[]): Volume {
    const surges = layers.flatMap(({ fault, context }): Surge[] =>
      fault.surge === undefined ? [] : [{ ...context, tradedBy: meteredSurge(fault.surge(context), meter) }],
    )
    const silences = layers.flatMap(({ fault, context }): Silence[] =>
      fault.silence === undefined ? [] : [{ ...context, windows: fault.silence(context) }],
    )
    const isChanged = surges.length > 0 || silences.length > 0
    return isChanged ? changeVolume(meteredVolume(volume, meter), surges, silences) : volume
  }
  const viewOf = (feed: Feed): View => getOrCreate(views, feed, () => makeView(feed))
  /** The view of a feed that is asked for. It counts also if it was made before, so that the same request takes the same work. */
  const viewAsked = (feed: Feed): View => {
    const view = viewOf(feed)
    if (isRepeated && !viewed.has(feed)) {
      viewed.add(feed)
      meter.spend(view.work)
    }
    return view
  }

  let known: Work['known']
  /**
   * Runs one of the long look-ups of a request, or returns its result if it was made before.
   * @param key unique within the request
   */
  const lookUp = <T>(key: string, run: () => T): T => {
    forgetAnswers()
    try {
      return known === undefined ? run() : lookUpOnce(known, key, run)
    } finally {
      // Its answers may be those of an earlier part, so what follows cannot use them.
      forgetAnswers()
    }
  }
  const lookUpOnce = <T>(made: NonNullable<Work['known']>, key: string, run: () => T): T => {
    const before = made.get(key)
    if (before !== undefined) {
      for (const index of before.applied) applied.add(index)
      meter.spend(before.units)
      return before.value as T
    }
    const all = applied
    const { spent } = meter
    applied = new Set()
    const value = run()
    made.set(key, { value, applied: [...applied], units: meter.spent - spent })
    for (const index of applied) all.add(index)
    applied = all
    return value
  }

  const isCounted = isRepeated || scenario.faults.length > 0 || Object.keys(overrides).length > 0
  const isPlain = faults.length === 0 && Object.keys(overrides).length === 0
  const stage = {
    /** The path of a feed, as all endpoints read it. */
    path: isPlain ? market.path : (feed: Feed): PricePath => viewAsked(feed).path ?? market.path(feed),
    /** The traded volume of a feed, as candles show it. */
    volume: isPlain ? market.volume : (feed: Feed): Volume => viewAsked(feed).volume ?? market.volume(feed),
    /** The last second whose price is published at second `now`. */
    horizon(feed: Feed, now: number): number {
      const second = now - feed.lag
      const held = isPlain ? undefined : viewAsked(feed).heldBack(second)
      if (held === undefined || held.horizon === second) return second
      held.context.markApplied()
      return held.horizon
    },
    /** The latest price at second `now`, with the `ts` that answers show; undefined where there is none. */
    latest(feed: Feed, now: number): TickPrice | undefined {
      const second = now - feed.lag
      const path = stage.path(feed)
      const held = isPlain ? undefined : viewAsked(feed).heldBack(second)
      const tick = path.lastTick(held?.horizon ?? second)
      const own = held === undefined ? tick : untracked(path).lastTick(second)
      if (held !== undefined && (own !== tick || own !== held.ts)) held.context.markApplied()
      return tick === undefined ? undefined : { price: path.at(tick), ts: held?.ts ?? tick }
    },
    /**
     * Counts other work of a request.
     * @throws PriceFeedMockError SCENARIO_TOO_COSTLY beyond the limit
     */
    spend: meter.spend,
    /** Whether it makes an answer again with fewer faults: then all that is made for it counts. */
    isRepeated,
    /**
     * Runs look-ups of one request, and returns their result with the indices of the faults that changed it.
     * @param work the work of the request so far, to which theirs is added
     * @throws PriceFeedMockError SCENARIO_TOO_COSTLY if the faults make them too costly
     */
    track<T>(lookUps: (markApplied: MarkApplied) => T, work?: Work) {
      if (!isCounted && work?.known === undefined) return { result: lookUps(markApplied), applied: NONE }
      applied = new Set()
      viewed = new Set()
      known = work?.known
      forgetAnswers()
      if (isCounted) meter.start(work?.units ?? 0)
      try {
        const result = lookUps(markApplied)
        return { result, applied: [...applied] }
      } finally {
        if (work !== undefined) work.units = meter.spent
        meter.stop()
        known = undefined
      }
    },
    lookUp,
  }
  return stage
}
