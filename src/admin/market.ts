// The admin routes of prices, read without a request to the service: the present one of every feed, and those of one feed in any time,
// past or to come, with and without faults and set prices.
import * as z from 'zod/mini'
import { candleAt } from '../market/candles.js'
import type { Feed } from '../market/feeds.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import { createMarketStage, type MarketStage, type Work } from '../service/market-stage.js'
import { MAX_WORK, unlessTooCostly } from '../service/work-limit.js'
import { documented } from '../settings/schema.js'
import { defineAdminRoute, findFeed, invalidQuery, matching, second, secondOf, seconds } from './admin-route.js'
import { changesOf, stagesOf } from './past-runtime.js'

/** Maximum number of points of a line, and of all lines in one reply. */
const MAX_POINTS = 120
const MAX_ALL_POINTS = 10_000
const WANT_POINTS = `a number of points from 2 to ${MAX_POINTS}; for many feeds fewer`
/** The time that `before` and `points` reach back, in seconds. */
const HOUR = 3600

const price = () => z.nullable(z.number())

/** GET /_mock/sessions/{id}/market */
export const showMarket = defineAdminRoute({
  name: 'showMarket',
  summary: 'Show the prices of a session after its market faults. Nothing is counted, signed or journalled',
  path: '/_mock/sessions/{id}/market',
  query: z.strictObject({
    feeds: documented(z.optional(z.string()), 'Comma-separated list of feed IDs. Default: all feeds.'),
    points: documented(
      matching(/^([2-9]|[1-9]\d|1[01]\d|120)$/, WANT_POINTS),
      `Number of evenly spaced prices of the last hour to return for each feed: 2 to ${MAX_POINTS}. Default: none.`,
    ),
    at: documented(
      second(),
      'Second of the virtual time whose prices are shown: as they were with the scenario and set prices of then, or as they are planned. Default: now.',
    ),
  }),
  example: '?feeds=BTCUSD,ETHUSD&points=10',
  reply: z.object({
    now: z.int(),
    feeds: z.array(
      z.object({
        id: z.string(),
        price: documented(
          price(),
          'The latest price in quote units; null where there is none, or where the faults make it too costly.',
        ),
        ts: z.nullable(z.int()),
        before: documented(price(), 'The price one hour ago.'),
        points: documented(z.optional(z.array(price())), 'Prices of the last hour, oldest first.'),
      }),
    ),
  }),
  async answer({ sessions, receivedAt, run }, { path, query }) {
    const session = await sessions.get(path.id)
    const { market } = session.runtime
    const present = secondOf(session, receivedAt)
    const now = query.at ?? present
    const stage = stagesOf(session, present)(now)
    const feeds =
      query.feeds === undefined
        ? market.feeds
        : [...new Set(query.feeds.split(',').filter(id => id !== ''))].map(id => findFeed('feeds', id, market))
    const count = Number(query.points ?? 0)
    if (count * feeds.length > MAX_ALL_POINTS) throw invalidQuery({ at: 'points', got: count, want: WANT_POINTS })
    let left = MAX_WORK
    const shown: ReturnType<typeof showFeed>[] = []
    /** Shows the next feed. Returns false once all are shown. */
    const showNext = (): boolean => {
      const feed = feeds[shown.length]
      if (feed === undefined) return false
      // An equal part of what is left for each, so that one feed that is too costly does not hide the others.
      const before = MAX_WORK - left / (feeds.length - shown.length)
      const work: Work = { units: before }
      const one = unlessTooCostly(() => showFeed(feed, stage, now, count, work))
      left -= work.units - before
      shown.push(one ?? { id: feed.id, price: null, ts: null, before: null, points: undefined })
      return true
    }
    return run(
      { session },
      () => ({ makeNext: showNext }),
      () => {
        while (showNext());
        return { now, feeds: shown }
      },
    )
  },
})

function showFeed(feed: Feed, stage: MarketStage, now: number, count: number, work: Work) {
  return stage.track(() => {
    const at = (second: number) => {
      const tick = second < 0 ? undefined : stage.latest(feed, second)
      return tick && { ts: tick.ts, price: tick.price / POWERS_OF_TEN[-feed.expo]! }
    }
    const latest = at(now)
    const step = HOUR / (count - 1)
    return {
      id: feed.id,
      price: latest?.price ?? null,
      ts: latest?.ts ?? null,
      before: at(now - HOUR)?.price ?? null,
      points:
        count === 0
          ? undefined
          : Array.from({ length: count }, (_, i) => at(now - Math.round((count - 1 - i) * step))?.price ?? null),
    }
  }, work).result
}

/** Maximum number of candles of one layer. */
const MAX_CANDLES = 400
/** Prices of a candle whose feed is held back: its course is in no path. */
const SAMPLES = 12

const candleSchema = z.object({
  time: documented(z.int(), 'The first second of the virtual time in which it was served.'),
  open: z.number(),
  high: z.number(),
  low: z.number(),
  close: z.number(),
  volume: z.number(),
})
type Shown = z.output<typeof candleSchema>

/** GET /_mock/sessions/{id}/candles */
export const showCandles = defineAdminRoute({
  name: 'showCandles',
  summary: 'Show the prices that a feed serves in any time, past or future, and those of the market without faults',
  path: '/_mock/sessions/{id}/candles',
  query: z.strictObject({
    feed: z.string({ error: 'the id of a feed' }),
    from: documented(second(), 'Second of the virtual time in the first candle. Default: 100 candles before now.'),
    to: documented(second(), 'Second in the last candle; it may lie in the future. Default: now.'),
    step: documented(seconds(), `Seconds of a candle; at most ${MAX_CANDLES} candles in one reply. Default: 60.`),
  }),
  example: '?feed=BTCUSD&step=60',
  reply: z.object({
    now: z.int(),
    served: documented(
      z.nullable(z.array(candleSchema)),
      'As replies have them, each time with its scenario and set prices, as far as the session remembers. Times without a price are left out. null where faults make it too costly.',
    ),
    own: documented(
      z.optional(z.array(candleSchema)),
      'The market without faults and set prices. Absent where there are none.',
    ),
  }),
  async answer({ sessions, receivedAt, run }, { path, query }) {
    const session = await sessions.get(path.id)
    const now = secondOf(session, receivedAt)
    const step = Number(query.step ?? 60)
    const to = query.to ?? Math.max(now, query.from ?? 0)
    const from = query.from ?? Math.max(0, to - 100 * step)
    if (to < from) throw invalidQuery({ at: 'to', got: to, want: 'a second that is not before `from`' })
    const { market, scenario, overrides } = session.runtime
    const feed = findFeed('feed', query.feed, market)
    const first = Math.floor(from / step)
    const count = Math.floor(to / step) - first + 1
    if (count > MAX_CANDLES)
      throw invalidQuery({
        at: 'step',
        got: step,
        want: `at least ${Math.ceil((to - from) / (MAX_CANDLES - 1))} for this time`,
      })
    const starts = Array.from({ length: count }, (_, i) => (first + i) * step)
    const served = createLayer(feed, step, starts, stagesOf(session, now), changesOf(session, now))
    const isChanged = scenario.faults.length + Object.keys(overrides).length + session.record.setup.past.length > 0
    const plain = createMarketStage(market, { ...scenario, faults: [] }, {})
    const own = isChanged ? createLayer(feed, step, starts, () => plain) : undefined
    return run(
      { session },
      () => ({ makeNext: () => served.makeNext() || own?.makeNext() === true }),
      () => ({ now, served: served.finish(), own: own && own.finish()! }),
    )
  },
})

/** Candles of one feed, which are made one by one. */
function createLayer(
  feed: Feed,
  step: number,
  starts: readonly number[],
  stageAt: (second: number) => MarketStage,
  changes: readonly number[] = [],
) {
  const made: Shown[] = []
  const work = { units: 0 }
  let next = 0
  let isTooCostly = false
  /** Returns false once all are made. */
  const makeNext = (): boolean => {
    const start = starts[next++]
    if (start === undefined) return false
    const end = start + step
    // A candle in which the session has changed has a part of each state.
    const froms = [start, ...changes.filter(at => at > start && at < end)]
    const parts = unlessTooCostly(() =>
      froms.flatMap((from, i) => {
        const stage = stageAt(from)
        const to = (froms[i + 1] ?? end) - 1
        return stage.track(() => toCandle(feed, stage, Math.max(from, feed.lag), to), work).result ?? []
      }),
    )
    if (parts === undefined) isTooCostly = true
    else if (parts.length > 0) made.push({ ...parts.reduce(joined), time: start })
    return parts !== undefined
  }
  const finish = (): Shown[] | null => {
    while (makeNext());
    return isTooCostly ? null : made
  }
  return { makeNext, finish }
}

const joined = (a: Omit<Shown, 'time'>, b: Omit<Shown, 'time'>): Omit<Shown, 'time'> => ({
  open: a.open,
  high: Math.max(a.high, b.high),
  low: Math.min(a.low, b.low),
  close: b.close,
  volume: a.volume + b.volume,
})

/** The prices that are in force from one second to another, both included; undefined where there is none. */
function toCandle(feed: Feed, stage: MarketStage, from: number, to: number): Omit<Shown, 'time'> | undefined {
  if (to < from) return undefined
  const unit = POWERS_OF_TEN[-feed.expo]!
  const { lag } = feed
  const isHeldBack = [from, to].some(second => stage.horizon(feed, second) !== second - lag)
  if (!isHeldBack) {
    const found = candleAt(stage.path(feed), stage.volume(feed), from - lag, to - from + 1, to - lag)
    if (found === undefined) return undefined
    const { open, high, low, close, volume } = found
    const units = feed.series?.volumeUnits ?? 100
    return { open: open / unit, high: high / unit, low: low / unit, close: close / unit, volume: volume / units }
  }
  const count = Math.min(SAMPLES, to - from + 1)
  const seconds = Array.from({ length: count }, (_, i) => from + Math.round((i * (to - from)) / Math.max(1, count - 1)))
  const prices = seconds.flatMap(second => stage.latest(feed, second)?.price ?? []).map(price => price / unit)
  if (prices.length === 0) return undefined
  const [open, close] = [prices[0]!, prices.at(-1)!]
  return { open, high: Math.max(...prices), low: Math.min(...prices), close, volume: 0 }
}
