// GET /charting/feeds-data: OHLCV candles of one feed (interface 4.1). Needs no API key, and answers every failure with 404.
import * as z from 'zod/mini'
import { finish } from '../market/candles.js'
import { type Feed, toFeedKey } from '../market/feeds.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import { defineEndpoint } from '../service/endpoint.js'
import type { EndpointContext } from '../service/endpoint-context.js'
import { chartFeed, chartFeedIds, chartInterval, chartNotFound, chartType, toBuckets } from './parameters.js'
import { candleSchema } from './replies.js'

/** `time` in milliseconds, prices in quote units, `volume` in USD; oldest first. */
export const candles = defineEndpoint({
  name: 'candles',
  summary: 'OHLCV candles of one feed',
  description: '`time` in milliseconds, prices in quote units, `volume` in USD; oldest first.',
  path: '/charting/feeds-data',
  aliases: ['/trading-view/feeds-data'],
  base: 'history',
  protected: false,
  parameters: { feedids: chartFeedIds, feed: chartFeed, type: chartType, interval: chartInterval },
  reply: z.object({ data: z.object({ queryType: z.string(), interval: z.string(), result: z.array(candleSchema) }) }),
  answer(context: EndpointContext, { feedids, feed: id, type, interval: asked }) {
    const feed = chartedFeed(context, feedids, id)
    const unit = POWERS_OF_TEN[-feed.expo]!
    const interval = context.interval(feed, asked)
    const buckets = toBuckets(interval)
    const rows = finish(context.candles(feed, buckets)).map(({ start, open, high, low, close, avg, volume }) => ({
      time: start * 1000,
      open: open / unit,
      high: high / unit,
      low: low / unit,
      close: close / unit,
      avg: avg / unit,
      volume: volume / (feed.series?.volumeUnits ?? 100),
    }))
    // Faults can replace numbers with null.
    const result = context.rows(feed, rows, buckets) as typeof rows
    return { data: { queryType: String(type), interval, result } }
  },
  *lookUps(context, { feedids, feed: id, interval }) {
    const feed = chartedFeed(context, feedids, id)
    yield* context.candles(feed, toBuckets(context.interval(feed, interval)))
  },
})

/** The feed of a chart, which has to be listed as well. */
function chartedFeed(context: EndpointContext, feedids: readonly string[], id: string): Feed {
  const feed = context.feed(id)
  if (feed === undefined) throw chartNotFound(`There is no feed "${id.slice(0, 40)}".`)
  if (!feedids.some(listed => toFeedKey(listed) === toFeedKey(id)))
    throw chartNotFound(`"feedids" does not list the feed "${feed.id}".`)
  return feed
}
