// GET /_mock/sessions/{id}/market: the present price of every feed, read without a request to the service.
import * as z from 'zod/mini'
import type { Feed } from '../market/feeds.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import type { MarketStage, Work } from '../service/market-stage.js'
import { MAX_WORK, unlessTooCostly } from '../service/work-limit.js'
import { documented } from '../settings/schema.js'
import { defineAdminRoute, findFeed, invalidQuery, matching, second } from './admin-route.js'
import { stagesOf } from './past-runtime.js'

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
      matching(/^([2-9]|\d\d|1[01]\d|120)$/, WANT_POINTS),
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
    const present = Math.floor(session.nowMs(receivedAt) / 1000)
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
