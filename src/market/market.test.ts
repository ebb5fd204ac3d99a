// A market finds its feeds in any case, and its cache never changes an answer.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { candleAt, finish } from './candles.js'
import type { Feed } from './feeds.js'
import { catalogueFeeds } from './feeds-file.js'
import { createMarket } from './market.js'
import type { PricePath } from './path.js'

const FEEDS: readonly Feed[] = catalogueFeeds()
const MINUTE = { width: 60, offset: 0 }
const NOW = 1_753_354_105

test('default', () => {
  const market = createMarket('42', FEEDS)
  expect(market.seed).toBe('42')
  expect(market.feeds).toBe(FEEDS)
  const feed = market.feed('BTCUSD')!
  const candles = finish(market.candles(feed, market.path(feed), MINUTE, NOW, 300))
  expect(candles).toHaveLength(300)
  expect(candles.map(({ start }) => start)).toEqual(candles.map((_, i) => 1_753_354_080 - (299 - i) * 60))
})

test('behavior: a feed is found in any case', () => {
  const market = createMarket('42', FEEDS)
  for (const id of ['BTCUSD', 'btcusd', 'BtcUsd']) expect(market.feed(id)?.id).toBe('BTCUSD')
  for (const id of ['', 'BTCUS', 'BTCUSDT', 'BTCUSD ', '__proto__', 'constructor'])
    expect(market.feed(id)).toBeUndefined()
})

test('behavior: the path of a feed is created once', () => {
  const market = createMarket('42', FEEDS)
  const feed = market.feed('BTCUSD')!
  expect(market.path(feed)).toBe(market.path(feed))
  expect(market.volume(feed)).toBe(market.volume(feed))
})

test('behavior: two feeds or two seeds have two paths', () => {
  const [a, b] = [createMarket('42', FEEDS), createMarket('43', FEEDS)]
  const weth = a.feed('WETHUSD')!
  expect(a.path(a.feed('BTCUSD')!).at(NOW)).not.toBe(b.path(b.feed('BTCUSD')!).at(NOW))
  expect(a.path(weth).at(NOW)).not.toBe(a.path(a.feed('ETHUSD')!).at(NOW))
})

test('behavior: cached candles equal those of a fresh market, also when time goes back', () => {
  const request = fc.record({
    id: fc.constantFrom('BTCUSD', 'USDTUSD'),
    width: fc.constantFrom(1, 60, 3600),
    offset: fc.constantFrom(0, 345_600),
    horizon: fc.integer({ min: NOW - 4000, max: NOW + 4000 }),
    count: fc.integer({ min: 1, max: 5 }),
  })
  check([fc.array(request, { minLength: 2, maxLength: 10 })], [20, 50], requests => {
    const market = createMarket('42', FEEDS)
    for (const { id, width, offset, horizon, count } of requests) {
      const feed = market.feed(id)!
      const candles = finish(market.candles(feed, market.path(feed), { width, offset }, horizon, count))
      const fresh = createMarket('42', FEEDS)
      expect(candles).toHaveLength(count)
      expect(candles).toEqual(
        candles.map(({ start }) => candleAt(fresh.path(feed), fresh.volume(feed), start, width, horizon)),
      )
    }
  })
})

test('behavior: a candle is cached from its last second on, not from the one before', () => {
  const market = createMarket('42', FEEDS)
  const feed = market.feed('BTCUSD')!
  const newest = (horizon: number) => finish(market.candles(feed, market.path(feed), MINUTE, horizon, 1))[0]!
  const almost = newest(1_753_354_138)
  expect(newest(1_753_354_139)).toEqual(candleAt(market.path(feed), market.volume(feed), almost.start, 60, 1e10))
  expect(newest(1_753_354_139)).not.toEqual(almost)
})

test('behavior: candles of another path do not affect those of the feed', () => {
  const market = createMarket('42', FEEDS)
  const feed = market.feed('BTCUSD')!
  const before = finish(market.candles(feed, market.path(feed), MINUTE, NOW, 5))
  const still: PricePath = { ...market.path(feed), at: () => 7, extremes: () => undefined }
  const disturbed = finish(market.candles(feed, still, MINUTE, NOW, 5))
  expect(disturbed.map(({ open, high, low, close }) => [open, high, low, close])).toEqual(Array(5).fill([7, 7, 7, 7]))
  expect(finish(market.candles(feed, market.path(feed), MINUTE, NOW, 5))).toEqual(before)
})

test('behavior: candles without a price are left out', () => {
  const market = createMarket('42', FEEDS)
  const feed = market.feed('BTCUSD')!
  const path = market.path(feed)
  const late: PricePath = {
    ...path,
    lastTick: second => (second < NOW - 130 ? undefined : path.lastTick(second)),
    holes: (from, to) => (from < NOW - 130 ? [{ from, until: Math.min(to + 1, NOW - 130) }] : []),
  }
  expect(finish(market.candles(feed, late, MINUTE, NOW, 300)).map(({ start }) => start)).toEqual([
    // The price comes in the middle of the first.
    1_753_353_960, 1_753_354_020, 1_753_354_080,
  ])
})
