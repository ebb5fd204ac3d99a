// The path of a feed: where its ticks are, and how a log price becomes a price.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check } from '../../test/support/seed.js'
import { createFeedPath } from './feed-path.js'
import type { Feed } from './feeds.js'
import { catalogueFeeds } from './feeds-file.js'
import { rampTo } from './levels.js'
import type { PricePath, TickPrice as Tick } from './path.js'
import { transformedPath } from './price-transform.js'
import { createVolume } from './volume.js'
import { createWalk } from './walk.js'
import { repeatedWindows } from './windows.js'

const FEED: Feed = {
  id: 'ACMEUSD',
  number: 1,
  class: 'crypto',
  group: 'crypto',
  base: 3650,
  expo: -8,
  step: 1_000_000,
  heartbeat: 8,
  lag: 3,
  span: 4_194_304,
  drivers: { crypto: 0.54, ACMEUSD: 0.38 },
  volume: 1e6,
}
const LATEST = 4_291_747_199

test('default', () => {
  const path = createFeedPath('42', FEED)
  expect(path.lastTick(1_753_354_105)).toBe(1_753_354_104)
  const price = path.at(1_753_354_104)
  expect(price / 1e8).toBeGreaterThan(1000)
  expect(price / 1e8).toBeLessThan(10_000)
  expect(createFeedPath('42', FEED).at(1_753_354_104)).toBe(price)
})

test('behavior: a price is the base price times the exponential of the log price, in whole steps', () => {
  const cases = fc.record({
    base: fc.constantFrom(118_300, 3650, 1, 0.238, 0.0000138),
    expo: fc.constantFrom(-8, -10),
    step: fc.constantFrom(1, 100, 1_000_000),
    second: fc.integer({ min: 0, max: LATEST }),
  })
  const walk = createWalk({ seed: '42', group: FEED.group, span: FEED.span, drivers: FEED.drivers })
  check([cases], 500, ({ base, expo, step, second }) => {
    const price = createFeedPath('42', { ...FEED, base, expo, step }).at(second)
    expect(price % step).toBe(0)
    expect(Number.isSafeInteger(price)).toBe(true)
    const exact = base * Math.exp(1024 * Math.log1p(walk.at(second) / 1024)) * Number(`1e${-expo}`)
    expect(Math.abs(price - exact)).toBeLessThanOrEqual(step / 2 + exact * 1e-9)
  })
})

test('behavior: the last tick is the last multiple of the heartbeat, none before 1970', () => {
  const { lastTick } = createFeedPath('42', FEED)
  expect([-9, -8, -1].map(lastTick)).toEqual([undefined, undefined, undefined])
  expect([0, 1, 7, 8, 9, 15, 16].map(lastTick)).toEqual([0, 0, 0, 8, 8, 8, 16])
  expect([2_147_483_647, 2_147_483_648, LATEST].map(lastTick)).toEqual([2_147_483_640, 2_147_483_648, 4_291_747_192])
})

test('behavior: extremes are those of the ticks inside the window, wherever it ends', () => {
  const path = createFeedPath('42', FEED)
  const inside = path.extremes(1_753_354_104, 1_753_354_200)
  expect(path.extremes(1_753_354_097, 1_753_354_207)).toEqual(inside)
  expect(path.extremes(1_753_354_096, 1_753_354_207)).toEqual(path.extremes(1_753_354_096, 1_753_354_200))
  const tick = { ts: 1_753_354_104, price: path.at(1_753_354_104) }
  expect(path.extremes(1_753_354_104, 1_753_354_104)).toEqual({ high: tick, low: tick })
})

test('behavior: a window without ticks has no extremes', () => {
  const path = createFeedPath('42', FEED)
  expect(path.extremes(1_753_354_105, 1_753_354_111)).toBeUndefined()
  expect(path.extremes(1_753_354_105, 1_753_354_100)).toBeUndefined()
  expect(path.extremes(-100, -1)).toBeUndefined()
})

test('behavior: a window that starts before 1970 starts in 1970', () => {
  const path = createFeedPath('42', FEED)
  expect(path.extremes(-86_400, 1000)).toEqual(path.extremes(0, 1000))
  const first = { ts: 0, price: path.at(0) }
  expect(path.extremes(-86_400, 7)).toEqual({ high: first, low: first })
})

test('args: yield: the price grows by it against a feed without one, and never falls behind', () => {
  const YEAR = 31_557_600
  const [path, grown] = [createFeedPath('42', FEED), createFeedPath('42', { ...FEED, yield: 0.03 })]
  const ratioAt = (second: number): number => grown.at(second) / path.at(second)
  for (const second of [8, 1_200_000_000, 1_753_354_104, LATEST - YEAR - 7]) {
    const year = Math.floor((second + YEAR) / 8) * 8
    expect(ratioAt(year) / ratioAt(second)).toBeGreaterThan(1.029)
    expect(ratioAt(year) / ratioAt(second)).toBeLessThan(1.031)
  }
  for (let day = 1; day < 49_000; day += 7) expect(ratioAt(day * 86_400)).toBeGreaterThan(ratioAt((day - 1) * 86_400))
  expect(Math.abs(ratioAt(1_753_315_200) - 1)).toBeLessThan(1e-5)
})

describe('a market that closes', () => {
  const EURO = catalogueFeeds().find(({ id }) => id === 'EURUSD')!
  const path = createFeedPath('42', EURO)
  /** 2025-07-25T21:00:00Z, a Friday. */
  const CLOSES = 1_753_477_200
  const OPENS = CLOSES + 48 * 3600

  test('default: while it is closed, ticks go on at the last price, and nothing is traded', () => {
    const price = path.at(CLOSES - 1)
    for (let second = CLOSES; second < OPENS; second += 977) {
      expect(path.lastTick(second)).toBe(second)
      expect(path.at(second)).toBe(price)
    }
    const still = { price, ts: CLOSES + 5 }
    expect(path.extremes(CLOSES + 5, OPENS - 1)).toEqual({ high: still, low: still })
    const volume = createVolume('42', EURO)
    expect(volume.between(CLOSES, OPENS)).toBe(0)
    for (const from of [CLOSES - 3600, OPENS]) expect(volume.between(from, from + 3600)).toBeGreaterThan(0)
    expect(volume.between(CLOSES - 3600, OPENS + 3600)).toBe(
      volume.between(CLOSES - 3600, CLOSES) + volume.between(OPENS, OPENS + 3600),
    )
  })

  test('behavior: it opens with a gap of about ten pips', () => {
    const gaps = Array.from({ length: 400 }, (_, i) => {
      const opens = OPENS - i * 604_800
      return Math.abs(path.at(opens) / path.at(opens - 1) - 1) * 1e4
    })
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
    expect(mean).toBeGreaterThan(6)
    expect(mean).toBeLessThan(16)
  })

  test('behavior: highs and lows are those of all ticks, around both ends, also under a fault', () => {
    const any = fc.record({
      heartbeat: fc.constantFrom(1, 8, 128, 4096),
      week: fc.integer({ min: 0, max: 7000 }),
      near: fc.constantFrom(162_000, 334_800),
      before: fc.integer({ min: 0, max: 300 }),
      after: fc.integer({ min: 0, max: 300 }),
      isChanged: fc.boolean(),
    })
    check([any], 300, ({ heartbeat, week, near, before, after, isChanged }) => {
      const feed = { ...EURO, heartbeat }
      const market = createFeedPath('7', feed)
      const from = Math.max(0, Math.ceil((week * 604_800 + near) / heartbeat) - before) * heartbeat
      const to = from + (before + after) * heartbeat
      const windows = repeatedWindows(from, [{ from: 0, until: 100 * heartbeat }])
      const layer: PricePath = isChanged
        ? transformedPath(market, { windows, appliedAt: from, feed }, rampTo(1.01, 90 * heartbeat))
        : market
      let [high, low] = [layer.at(from), layer.at(from)].map(price => ({ price, ts: from })) as [Tick, Tick]
      for (let ts = from; ts <= to; ts += heartbeat) {
        const price = layer.at(ts)
        if (price > high.price) high = { price, ts }
        if (price < low.price) low = { price, ts }
      }
      expect(layer.extremes(from, to)).toEqual({ high, low })
    })
  })
})
