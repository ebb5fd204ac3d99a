// The search of extremes against a look at every tick, with any windows, roundings and growths, and with the worst displacements.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { highestWay, LOG_PRICES, type Way } from '../../test/support/reach.js'
import { check } from '../../test/support/seed.js'
import { nodeAt } from '../../test/support/tree.js'
import { createCascade, SECONDS_PER_YEAR, SPLITS } from './cascade.js'
import { createExtremesSearch } from './extremes.js'
import { createFeedPath } from './feed-path.js'
import { catalogueFeeds } from './feeds-file.js'
import { FEED_GROUPS, type FeedGroup } from './groups.js'
import { createPricing } from './pricing.js'
import { scatter } from './random.js'
import { createReach } from './reach.js'
import { createWalk, type Walk } from './walk.js'
import { NODE } from './years.js'

const LATEST = 4_291_747_199

/** The earliest extremes of all ticks, by looking at each. */
function everyTick(at: (second: number) => number, from: number, to: number, heartbeat: number) {
  let high = { price: at(from), ts: from }
  let low = high
  for (let ts = from; ts <= to; ts += heartbeat) {
    const price = at(ts)
    if (price > high.price) high = { price, ts }
    if (price < low.price) low = { price, ts }
  }
  return { high, low }
}

const before = (second: number) => fc.integer({ min: second - 3000, max: second })

/** A window of at most `ticks` ticks, in the units of its heartbeat. */
const windows = (ticks: number) =>
  fc
    .record({
      tickLevel: fc.integer({ min: 0, max: 7 }),
      start: fc.oneof(
        fc.integer({ min: 0, max: LATEST }),
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 2_147_483_000, max: 2_147_484_000 }),
        fc.integer({ min: LATEST - 5000, max: LATEST }),
        // Across the ends of blocks and of large nodes.
        fc.integer({ min: -13, max: 18 }).chain(k => before(418 * 2 ** 22 + k * 2 ** 27)),
        fc.integer({ min: 1, max: 8000 }).chain(k => before(k * 2 ** 19)),
      ),
      ticks: fc.oneof(fc.integer({ min: 1, max: ticks }), fc.integer({ min: 1, max: 20 })),
    })
    .map(({ tickLevel, start, ticks }) => {
      const heartbeat = 2 ** tickLevel
      const from = Math.floor(start / heartbeat) * heartbeat
      const last = Math.floor(LATEST / heartbeat) * heartbeat
      return { tickLevel, heartbeat, from, to: Math.min(last, from + (ticks - 1) * heartbeat) }
    })

const group = fc.constantFrom(...FEED_GROUPS)
const walkOf = (span: number, drivers: Record<string, number> = { one: 0.5 }, seed = '42'): Walk =>
  createWalk({ seed, group: 'crypto', span, drivers })

test('behavior: it finds the same extremes as a look at every tick', () => {
  const span = fc.constantFrom(65_536, 262_144, 4_194_304, 134_217_728)
  // Nine are more than the search has room for.
  const nine = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`driver ${i}`, 0.05 + i / 50]))
  const drivers = fc.constantFrom({ one: 0.5 }, { one: 0.4, two: -0.3 }, { one: 0.55, two: 0.4, three: 0.25 }, nine)
  check(
    [windows(3000), span, drivers, group, fc.integer({ min: 0, max: 9 })],
    [100, 400],
    (window, length, shares, of, seed) => {
      const { tickLevel, heartbeat, from, to } = window
      const options = { seed: String(seed), group: of, span: length, drivers: shares }
      const [walk, fresh] = [createWalk(options), createWalk(options)]
      expect(createExtremesSearch(walk, tickLevel, LOG_PRICES)(from, to)).toEqual(
        everyTick(fresh.at, from, to, heartbeat),
      )
    },
  )
})

test('behavior: of ticks with the same rounded price it finds the earliest', () => {
  // Few steps in a price, so that many ticks have the same; with growth, at either end of time.
  const pricings = fc.constantFrom(
    ...[7, 30, 500, 7000].map(base => ({ base, expo: 0, step: base > 7 ? 2 : 1 })),
    { base: 300, expo: 0, step: 1, yield: 0.03 },
    { base: 7000, expo: 0, step: 1, yield: 0.1 },
  )
  check(
    [windows(2000), pricings, fc.integer({ min: 0, max: 9 })],
    [100, 400],
    ({ tickLevel, heartbeat, from, to }, of, seed) => {
      const walk = walkOf(4_194_304, { one: 0.5 }, String(seed))
      const pricing = createPricing(of)
      const expected = everyTick(second => pricing.toPrice(walk.at(second), second), from, to, heartbeat)
      expect(createExtremesSearch(walk, tickLevel, pricing)(from, to)).toEqual(expected)
    },
  )
})

describe('every feed', () => {
  const feeds = catalogueFeeds()

  test('behavior: it finds the price and the second of a look at every tick, anywhere and across roots', () => {
    const paths = new Map(feeds.map(feed => [feed.id, createFeedPath('42', feed)]))
    const window = fc.record({
      feed: fc.constantFrom(...feeds),
      at: fc.integer({ min: 0, max: LATEST - 400_000 }),
      isAcross: fc.boolean(),
      ticks: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 400, max: 6000 })),
    })
    check([window], [500, 2000], ({ feed, at, isAcross, ticks }) => {
      const { heartbeat } = feed
      const length = ticks * heartbeat
      const start = isAcross ? Math.floor((at + 2 ** 19) / 2 ** 19) * 2 ** 19 - Math.floor(length / 2) : at
      const from = Math.ceil(start / heartbeat) * heartbeat
      const path = paths.get(feed.id)!
      expect(path.extremes(from, from + length - 1)).toEqual(everyTick(path.at, from, from + length - 1, heartbeat))
    })
  })
})

test('args: from and to: an extreme on the first or the last tick is found, also on an anchor', () => {
  const walk = walkOf(65_536)
  const search = createExtremesSearch(walk, 0, LOG_PRICES)
  const ends = new Set<number>()
  for (let anchor = 65_536; anchor < 400 * 65_536; anchor += 65_536)
    for (const [from, to] of [
      [anchor - 300, anchor],
      [anchor, anchor + 300],
    ] as const) {
      const found = search(from, to)
      expect(found).toEqual(everyTick(walk.at, from, to, 1))
      for (const { ts } of [found.high, found.low]) if (ts === anchor) ends.add(to - ts)
    }
  expect(ends).toEqual(new Set([0, 300]))
})

test('args: tickLevel: with a heartbeat as long as the span, ticks are anchors', () => {
  const walk = walkOf(65_536)
  const found = createExtremesSearch(walk, 16, LOG_PRICES)(0, 100 * 65_536)
  expect(found).toEqual(everyTick(walk.at, 0, 100 * 65_536, 65_536))
})

/** The roots, by number: one whose middle is a hair below the peak, and the one that rises. */
const OTHER = 2
const RISING = 4
/** Enough for the search to look at no tick of the rising root before it searches. */
const rootsOf = (level: number): number => Math.max(8, 2 ** (13 - level))

/** A walk of flat roots, but for one that rises from its ends 0 and `slope` along a way that rises as far as any. */
function risingWalk(group: FeedGroup, level: number, slope: number, way: Way, sign: number) {
  const span = 2 ** level
  const { lowerSplit } = createCascade('42', group)
  const even = lowerSplit(1, 0)
  const height = way.rise + slope
  const noises = new Map<number, number>()
  const splits = new Map<number, number>()
  let [peak, start] = [0, RISING * span]
  for (const { level, share, isLeft } of way.steps) {
    peak = start + 2 ** (level - 1)
    noises.set(scatter(peak), 1)
    splits.set(peak, splitOf(lowerSplit, level, share))
    if (!isLeft) start = peak
  }
  const other = OTHER * span + span / 2
  noises.set(scatter(other), (0.999 * height) / Math.sqrt(0.75))
  const walk: Omit<Walk, 'at'> = {
    rootLevel: level,
    load(start) {
      // A year of trading time for each root, so that its deviation is 1.
      const years = start / span
      NODE.set([start === (RISING + 1) * span ? sign * slope : 0, years * SECONDS_PER_YEAR])
      NODE.set([start === RISING * span ? sign * slope : 0, (years + 1) * SECONDS_PER_YEAR], 2)
    },
    noise: scattered => sign * (noises.get(scattered) ?? 0),
    split: (_, middle) => splits.get(middle) ?? even,
    reach: createReach(1),
  }
  return { walk: { ...walk, at: (second: number) => nodeAt(walk, second, 0).a }, peak, height, other }
}

/** The split of a level with a share of the left half. */
function splitOf(lowerSplit: (level: number, scattered: number) => number, level: number, share: number): number {
  for (let scattered = 0; ; scattered++) {
    const split = lowerSplit(level, scattered * 0x1000193)
    if (Math.abs(SPLITS[split]! - share) < 1e-12) return split
  }
}

test.each([3, 5, 8, 10, 12])('behavior: a peak is found that the bounds of level %i just allow', level => {
  for (const group of ['crypto', 'fx'] as const)
    for (const slope of [0, 0.5, 1.5, 3, 5, 10]) {
      const way = highestWay(group, level, slope)
      if (way.rise < 0.01) continue
      for (const sign of [1, -1]) {
        const { walk, peak, height, other } = risingWalk(group, level, slope, way, sign)
        const { high, low } = createExtremesSearch(walk, 0, LOG_PRICES)(other, rootsOf(level) * 2 ** level)
        const found = sign === 1 ? high : { price: -low.price, ts: low.ts }
        expect(found.price).toBeCloseTo(height, 9)
        expect(found.ts).toBe(peak)
      }
    }
})
