// One market: the feeds of a catalogue under a seed, with paths and volumes created on first use. Its only state are caches of
// pure functions, so sessions with the same seed and feeds can share one.
import { createBoundedCache, createCachePool, getOrCreate } from '../caches.js'
import { type Buckets, bucketStarts, type Candle, candleAt } from './candles.js'
import { createFeedPath } from './feed-path.js'
import { type Feed, findFeed } from './feeds.js'
import type { PricePath } from './path.js'
import { createVolume, type Volume } from './volume.js'

/** The feeds under a seed, with their prices, volumes and candles. */
export type Market = Readonly<ReturnType<typeof createMarket>>

/** The number of closed candles cached for all markets that share a cache: about 220 bytes each. */
const MAX_CACHED_CANDLES = 15_000
/** Maximum number of bytes of the paths, and of what sessions build on them, of all markets that share a cache. */
const MAX_PATH_BYTES = 12_000_000
/** Bytes of the path and the volume of a feed, measured; its clock is that of its group. */
export const PATH_BYTES = 17_000

/** Creates the caches of some markets. */
export const createMarketMemory = () => ({
  /** Closed candles by seed, feed and buckets. */
  candles: createBoundedCache<string, Map<number, Candle>>(MAX_CACHED_CANDLES),
  paths: createCachePool(MAX_PATH_BYTES),
})

/** Creates the market of a list of feeds under a seed. */
export function createMarket(seed: string, feeds: readonly Feed[], memory = createMarketMemory()) {
  const closed = memory.candles
  const known = memory.paths.createCache<Feed, { readonly path: PricePath; readonly volume: Volume }>(() => PATH_BYTES)
  const lookUp = (feed: Feed) =>
    getOrCreate(known, feed, () => {
      const { series } = feed
      return series === undefined
        ? { path: createFeedPath(seed, feed), volume: createVolume(seed, feed) }
        : { path: series.createPath(series), volume: series.createVolume(series) }
    })
  const path = (feed: Feed): PricePath => lookUp(feed).path
  const volume = (feed: Feed): Volume => lookUp(feed).volume

  return {
    seed,
    /** In the order of the catalogue. */
    feeds,
    /** Its caches, which it may share with others. */
    memory,
    /** The feed of an id in any case. */
    feed: (id: string): Feed | undefined => findFeed(feeds, id),
    /** The path of a feed, without faults and overrides. */
    path,
    volume,
    /**
     * The newest candles of a feed at a horizon (seconds), on a path of it, oldest first. Each step looks up one that is not cached.
     * @param traded by default the feed's own volume
     * @param lookUp looks up a candle, by a key for its interval and its start; by default at once
     */
    *candles(
      feed: Feed,
      ofPath: PricePath,
      buckets: Buckets,
      horizon: number,
      count: number,
      traded = volume(feed),
      lookUp = (_key: string, run: () => Candle | undefined) => run(),
    ): Generator<unknown, Candle[]> {
      const rows = feed.series === undefined ? '' : `${feed.series.hash}+${feed.series.shift}`
      const key = `${buckets.width} ${buckets.offset} ${feed.id} ${rows} ${seed}`
      // Only candles of the plain path are cached: a path with faults belongs to one session.
      const cached = ofPath === path(feed) ? closed.get(key) : undefined
      const seen = new Map<number, Candle>()
      const candles: Candle[] = []
      for (const start of bucketStarts(buckets, horizon, count)) {
        // The clock may have gone back, so a cached candle can be open again.
        const isClosed = start + buckets.width - 1 <= horizon
        let candle = isClosed ? cached?.get(start) : undefined
        if (candle === undefined) {
          candle = lookUp(`${buckets.width} ${start}`, () => candleAt(ofPath, traded, start, buckets.width, horizon))
          yield
        }
        if (candle === undefined) continue
        candles.push(candle)
        if (isClosed) seen.set(start, candle)
      }
      if (ofPath === path(feed)) closed.set(key, seen, 1 + seen.size)
      return candles
    },
  }
}
