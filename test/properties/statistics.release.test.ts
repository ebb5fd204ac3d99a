// The walks match the configuration of their feeds: volatility at every scale, correlation by shared drivers, pegs and ratios.
import { afterAll, expect, test } from 'vitest'
import { SECONDS_PER_YEAR } from '../../src/market/cascade.js'
import { createExtremesSearch } from '../../src/market/extremes.js'
import { createFeedPath } from '../../src/market/feed-path.js'
import type { Feed } from '../../src/market/feeds.js'
import { catalogueFeeds } from '../../src/market/feeds-file.js'
import { scatter } from '../../src/market/random.js'
import { createWalk, type Walk } from '../../src/market/walk.js'
import { FEED_CLASSES } from '../../src/settings/policy.js'
import { LOG_PRICES } from '../support/reach.js'

const FEEDS = catalogueFeeds()
const find = (id: string): Feed => FEEDS.find(feed => feed.id === id)!
const SEEDS = ['1', '2', '3', '4', '5', '6', '7', '8']
/** Seconds of the mock's time: 1970 to the end of 2105. */
const TIME = 4_291_747_200
/** Steps measured at each scale and seed, where time has as many. */
const STEPS = 4000

const walkOf = (seed: string, feed: Feed): Walk => createWalk({ seed, ...feed })
/** The configured volatility of a feed: independent drivers add by their squares. */
const configured = ({ drivers }: Feed): number =>
  Math.sqrt(Object.values(drivers).reduce((sum, vol) => sum + vol * vol, 0))

/** Seconds that are scattered over time, all of them multiples of `grid` and `scale` seconds before its end. */
function seconds(scale: number, grid: number): number[] {
  const places = Math.floor((TIME - 1 - scale) / grid)
  if (places <= STEPS) return Array.from({ length: places }, (_, i) => i * grid)
  return Array.from({ length: STEPS }, (_, i) => ((scatter(i) >>> 0) % places) * grid)
}

/** The annualised volatility of steps of `scale` seconds, over all seeds. */
function realised(feed: Feed, scale: number, grid: number): number {
  let sum = 0
  let count = 0
  for (const seed of SEEDS) {
    const walk = walkOf(seed, feed)
    for (const second of seconds(scale, grid)) {
      sum += (walk.at(second + scale) - walk.at(second)) ** 2
      count++
    }
  }
  return Math.sqrt(((sum / count) * SECONDS_PER_YEAR) / scale)
}

const table: string[] = []
afterAll(() => console.log(table.join('\n')))

const scalesOf = ({ span }: Feed): number[] => [1, 16, 256, 4096, 65_536, 1_048_576].filter(scale => scale < span)

test.each(FEED_CLASSES)(
  'behavior: the volatility of %s is the configured one at every scale to 48 days or its span',
  name => {
    const feed = FEEDS.find(({ class: of }) => of === name)!
    const want = configured(feed)
    // Steps between neighbouring nodes of a level, and steps that begin anywhere. Beyond its span a walk stops wandering, and
    // steps of nearly that length that begin between two anchors already feel it: by construction 0.91 of the volatility.
    const nodes = [...scalesOf(feed), Math.min(feed.span, 4_194_304)].map(
      scale => [scale, realised(feed, scale, scale) / want] as const,
    )
    const anywhere = scalesOf(feed)
      .filter(scale => scale <= feed.span / 4)
      .map(scale => [scale, realised(feed, scale, 1) / want] as const)
    const line = (ratios: typeof nodes) => ratios.map(([scale, ratio]) => `${scale}s ${ratio.toFixed(3)}`).join('  ')
    table.push(`${name.padEnd(8)}${feed.id.padEnd(9)}vol ${want.toFixed(3)}  nodes     ${line(nodes)}`)
    table.push(`${' '.repeat(28)}anywhere  ${line(anywhere)}`)
    for (const [scale, ratio] of [...nodes, ...anywhere]) expect(Math.abs(ratio - 1), `${scale} s`).toBeLessThan(0.05)
  },
)

/** The correlation that shared drivers configure. */
function configuredCorrelation(a: Feed, b: Feed): number {
  const shared = Object.keys(a.drivers).reduce((sum, name) => sum + a.drivers[name]! * (b.drivers[name] ?? 0), 0)
  return shared / (configured(a) * configured(b))
}

function realisedCorrelation(a: Feed, b: Feed, scale: number): number {
  let [aa, bb, ab] = [0, 0, 0]
  for (const seed of SEEDS) {
    const [one, other] = [walkOf(seed, a), walkOf(seed, b)]
    for (const second of seconds(scale, 1)) {
      const x = one.at(second + scale) - one.at(second)
      const y = other.at(second + scale) - other.at(second)
      aa += x * x
      bb += y * y
      ab += x * y
    }
  }
  return ab / Math.sqrt(aa * bb)
}

test.each([
  ['BTCUSD', 'ETHUSD'],
  ['DOGEUSD', 'SHIBUSD'],
  ['STETHUSD', 'ETHUSD'],
  ['EURUSD', 'USDJPY'],
  ['XAUUSD', 'EURUSD'],
  ['BTCUSD', 'XAUUSD'],
])('behavior: %s and %s are correlated as their shared drivers say', (one, other) => {
  const [a, b] = [find(one), find(other)]
  const want = configuredCorrelation(a, b)
  const got = [60, 3600].map(scale => realisedCorrelation(a, b, scale))
  table.push(
    `${one} ~ ${other}: configured ${want.toFixed(3)}, at 60 s and 3600 s ${got.map(x => x.toFixed(3)).join(', ')}`,
  )
  // Over n independent steps a correlation deviates by (1 − ρ²)/√n: five times that. A few wild steps count for most of the others.
  const tolerance = (5 * (1 - want * want)) / Math.sqrt((SEEDS.length * STEPS) / 12)
  for (const correlation of got) expect(Math.abs(correlation - want)).toBeLessThan(tolerance)
})

test('behavior: BTC and ETH are correlated as 0.56 · 0.76 of the driver they share', () => {
  expect(configuredCorrelation(find('BTCUSD'), find('ETHUSD'))).toBeCloseTo(
    (0.56 * 0.76) / Math.sqrt((0.56 ** 2 + 0.31 ** 2) * (0.76 ** 2 + 0.53 ** 2)),
    12,
  )
})

/** Blocks are counted from here. */
const REFERENCE = 418 * 2 ** 22

test('behavior: no walk drifts: its mean over all of time is its base', () => {
  for (const feed of ['BTCUSD', 'USDTUSD', 'EURUSD'].map(find)) {
    let sum = 0
    let count = 0
    for (const seed of SEEDS) {
      const walk = walkOf(seed, feed)
      for (let second = REFERENCE % feed.span; second < TIME; second += feed.span) {
        sum += walk.at(second)
        count++
      }
    }
    // The end of a block has the variance of half of one.
    const deviation = configured(feed) * Math.sqrt(feed.span / 2 / SECONDS_PER_YEAR)
    expect(Math.abs(sum / Math.sqrt(count)) / deviation).toBeLessThan(5)
  }
})

test.each(FEEDS.filter(feed => feed.class === 'stable').map(({ id }) => id))(
  'behavior: %s is within 0.5 %% of 1 at every tick from 1970 to 2105',
  id => {
    const { expo, ...feed } = find(id)
    for (const seed of SEEDS.slice(0, 4)) {
      const { high, low } = createFeedPath(seed, { ...feed, expo }).extremes(0, TIME - 1)!
      const unit = Number(`1e${-expo}`)
      expect(high.price / unit).toBeLessThan(1.005)
      expect(low.price / unit).toBeGreaterThan(0.995)
      expect(high.price).toBeGreaterThan(low.price)
    }
  },
)

test.each([
  ['STETHUSD', 'ETHUSD'],
  ['WBTCUSD', 'BTCUSD'],
])('behavior: %s follows %s within 2 %% of its ratio', (id, parentId) => {
  const [feed, parent] = [find(id), find(parentId)]
  for (const seed of SEEDS) {
    const [path, ofParent] = [createFeedPath(seed, feed), createFeedPath(seed, parent)]
    const ratios = seconds(0, 64).map(second => (path.at(second) / ofParent.at(second)) * (parent.base / feed.base))
    expect(Math.max(...ratios)).toBeLessThan(1.02)
    expect(Math.min(...ratios)).toBeGreaterThan(0.98)
    expect(Math.max(...ratios)).toBeGreaterThan(1.0001)
  }
  // The log prices differ by the walk of the basis alone, so its extremes are the worst of all time.
  const basis = createWalk({ ...feed, seed: '1', drivers: { [id]: feed.drivers[id]! }, trend: {} })
  const { high, low } = createExtremesSearch(basis, 0, LOG_PRICES)(0, TIME - 1)
  expect(Math.max(high.price, -low.price)).toBeLessThan(0.02)
  const at = 1_753_354_105
  expect(walkOf('1', feed).at(at) - walkOf('1', parent).at(at)).toBeCloseTo(basis.at(at), 12)
})
