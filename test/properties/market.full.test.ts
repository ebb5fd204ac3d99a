// The market behaves like one: figures of many series beside those of real markets, which docs/market.md shows.
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { SECONDS_PER_YEAR } from '../../src/market/cascade.js'
import { createFeedPath } from '../../src/market/feed-path.js'
import type { Feed } from '../../src/market/feeds.js'
import { catalogueFeeds } from '../../src/market/feeds-file.js'
import { scatter } from '../../src/market/random.js'
import { priceRange } from '../../src/market/resolve-feeds.js'
import { createVolume } from '../../src/market/volume.js'
import { createWalk } from '../../src/market/walk.js'
import { autocorrelation, correlation, deviation, kurtosis } from '../support/market-statistics.js'

const FEEDS = catalogueFeeds()
const find = (id: string): Feed => FEEDS.find(feed => feed.id === id)!
const LATEST = 4_291_747_199
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]
/** 2025-07-24T00:00:00Z, a Thursday. */
const NOW = 1_753_315_200
const YEARS = (years: number, width: number): number => Math.floor((years * SECONDS_PER_YEAR) / width)

/** Steps of the log price, the last one ending now. */
function steps(id: string, width: number, count: number): Float64Array {
  const walk = createWalk({ seed: '42', ...find(id) })
  let before = walk.at(NOW - count * width)
  return Float64Array.from({ length: count }, (_, i) => {
    const after = walk.at(NOW - (count - 1 - i) * width)
    const step = after - before
    before = after
    return step
  })
}
function volumes(id: string, width: number, count: number): Float64Array {
  const volume = createVolume('42', find(id))
  return Float64Array.from({ length: count }, (_, i) => {
    const start = NOW - (count - i) * width
    return volume.between(start, start + width)
  })
}
const absolute = (values: Float64Array): Float64Array => values.map(Math.abs)

/** The rows of the page: the fact, real markets, and this market. */
const rows = new Map<string, readonly string[]>()
const row = (fact: string, real: string, ours: readonly number[], digits = 2): void => {
  rows.set(fact, [real, ours.map(value => value.toFixed(digits)).join(' / ')])
}

describe('bitcoin', () => {
  const minutes = steps('BTCUSD', MINUTE, YEARS(1, MINUTE))
  const hours = steps('BTCUSD', HOUR, YEARS(5, HOUR))
  const days = steps('BTCUSD', DAY, YEARS(49, DAY))

  test('behavior: wild steps are far more frequent than in a normal distribution, at every width', () => {
    const found = [minutes, hours, days].map(kurtosis)
    row('BTC, kurtosis of steps of 1m / 1h / 1d', '50–150 / 20–30 / 10.9 [1] to 14.7 [2]', found, 1)
    expect(found[0]).toBeGreaterThanOrEqual(20)
    expect(found[1]).toBeGreaterThanOrEqual(8)
    expect(found[2]).toBeGreaterThanOrEqual(5)
  })

  test('behavior: wild minutes follow wild minutes, and the directions of neighbours are unrelated', () => {
    const sizes = absolute(minutes)
    const found = [1, 10, 60, 1440].map(lag => autocorrelation(sizes, lag))
    row('BTC, autocorrelation of the size of 1m steps, lag 1 / 10 / 60 / 1440', '.35 / .25 / .18 / .12 [3]', found)
    expect(found[0]).toBeGreaterThanOrEqual(0.25)
    expect(found[1]).toBeGreaterThanOrEqual(0.15)
    expect(found[2]).toBeGreaterThanOrEqual(0.08)
    const signed = [1, 2, 5, 10].map(lag => autocorrelation(minutes, lag))
    row('BTC, autocorrelation of 1m steps, lag 1 / 2 / 5 / 10', 'about 0', signed, 3)
    for (const value of signed) expect(Math.abs(value)).toBeLessThan(0.02)
  })

  test('behavior: more is traded when prices move more, and in related feeds at the same time', () => {
    const found = correlation(absolute(minutes), volumes('BTCUSD', MINUTE, minutes.length))
    row('BTC, correlation of the size of 1m steps and volume', '.5–.65', [found])
    expect(found).toBeGreaterThan(0.45)
    expect(found).toBeLessThan(0.7)
    const [btc, eth] = ['BTCUSD', 'ETHUSD'].map(id => volumes(id, HOUR, hours.length).map(Math.log))
    const shared = correlation(btc!, eth!)
    row('BTC and ETH, correlation of the logarithm of 1h volume', '.7–.9', [shared])
    expect(shared).toBeGreaterThanOrEqual(0.5)
  })

  test('behavior: hours of the day differ', () => {
    const found = hourRatio(hours)
    row('BTC, wildest hour of the day over the calmest', '1.5 [4]', [found])
    expect(found).toBeGreaterThanOrEqual(1.3)
  })
})

/** The deviation of the wildest hour of the day over that of the calmest: the series ends at midnight. */
function hourRatio(hours: Float64Array): number {
  const first = hours.length % 24
  const by = Array.from({ length: 24 }, (_, hour) => deviation(hours, i => (i - first + 24) % 24 === hour))
  return Math.max(...by) / Math.min(...by)
}

describe('currencies', () => {
  const hours = steps('EURUSD', HOUR, 52 * 5 * 168)

  test('behavior: they have tails, sessions and weekends', () => {
    const found = [steps('EURUSD', MINUTE, YEARS(1, MINUTE)), steps('EURUSD', DAY, YEARS(49, DAY))].map(kurtosis)
    row('EUR, kurtosis of steps of 1m / 1d', '20–40 / 5.0', found, 1)
    expect(found[0]).toBeGreaterThanOrEqual(10)
    expect(found[1]).toBeGreaterThanOrEqual(4)
    const week = (i: number): number => (i + 168) % 168
    // The series ends on a Thursday at midnight: Friday 21:00 is hour 45 of its weeks, Sunday 21:00 hour 93.
    const isWeekend = (i: number): boolean => week(i) >= 45 && week(i) < 93
    const ratio = hourRatio(hours)
    row('EUR, wildest hour of the day over the calmest', '2–3', [ratio])
    expect(ratio).toBeGreaterThanOrEqual(2)
    const weekend = deviation(hours, isWeekend) / deviation(hours, i => !isWeekend(i))
    row('EUR, volatility of the weekend over that of the week', 'closed', [weekend])
    expect(weekend).toBeLessThanOrEqual(0.15)
    expect(weekend).toBeGreaterThan(0.05)
  })

  test('behavior: a weaker dollar lifts the euro and gold together', () => {
    const found = correlation(hours, steps('XAUUSD', HOUR, hours.length))
    row('EUR and XAU, correlation of 1h steps', 'about .4', [found])
    expect(Math.abs(found - 0.4)).toBeLessThan(0.05)
  })
})

describe('pegs and ratios', () => {
  test('behavior: USDC is within 2 bp of its peg, and never beyond 0.5 %', () => {
    const path = createFeedPath('42', find('USDCUSD'))
    const bp = Float64Array.from({ length: YEARS(1, MINUTE) }, (_, i) => (path.at(NOW - i * MINUTE) / 1e8 - 1) * 1e4)
    const { high, low } = path.extremes(0, LATEST)!
    row('USDC, standard deviation in basis points', '1–3', [deviation(bp)])
    expect(deviation(bp)).toBeLessThanOrEqual(2)
    expect(high.price).toBeLessThan(1.005e8)
    expect(low.price).toBeGreaterThan(0.995e8)
  })

  test('behavior: WSTETH grows against STETH by about 3 % a year, and falls over no day', () => {
    const [wrapped, staked] = ['WSTETHUSD', 'STETHUSD'].map(id => createFeedPath('42', find(id)))
    const ratio = (second: number): number => wrapped!.at(second) / staked!.at(second)
    const year = 365 * DAY
    for (let at = year; at <= LATEST; at += 7 * DAY) {
      expect(ratio(at)).toBeGreaterThan(ratio(at - DAY))
      expect(ratio(at) / ratio(at - year)).toBeGreaterThan(1.029)
      expect(ratio(at) / ratio(at - year)).toBeLessThan(1.031)
    }
    row('WSTETH over STETH, growth in a year in percent', '2.7–3', [(ratio(NOW) / ratio(NOW - year) - 1) * 100])
  })
})

test('behavior: no feed leaves its range from 1970 to 2105', () => {
  for (const feed of FEEDS) {
    const { high, low } = createFeedPath('42', feed).extremes(0, LATEST)!
    const range = priceRange(feed)
    expect(low.price, feed.id).toBeGreaterThanOrEqual(range.low - feed.step)
    expect(high.price, feed.id).toBeLessThanOrEqual(range.high + feed.step)
  }
})

test.each(['BTCUSD', 'EURUSD', 'USDCUSD'])(
  'behavior: the volatility of %s is the configured one at every scale up to its span',
  id => {
    const feed = find(id)
    const want = Math.hypot(...Object.values(feed.drivers))
    const walks = Array.from({ length: 30 }, (_, seed) => createWalk({ ...feed, seed: String(seed) }))
    const scales = [1, 16, 256, 4096, 65_536, 1_048_576, 4_194_304].filter(scale => scale <= feed.span)
    const found = scales.map(scale => {
      const places = Math.floor(LATEST / scale)
      const count = Math.min(places, 30_000)
      let sum = 0
      for (const [w, walk] of walks.entries())
        for (let i = 0; i < count; i++) {
          const second = (count === places ? i : (scatter(i * 64 + w) >>> 0) % places) * scale
          sum += (walk.at(second + scale) - walk.at(second)) ** 2
        }
      return Math.sqrt((sum / count / walks.length) * (SECONDS_PER_YEAR / scale)) / want
    })
    row(`${id}, realised over configured volatility, ${scales[0]} s to ${scales.at(-1)} s`, '1', found, 3)
    for (const [i, ratio] of found.entries()) expect(Math.abs(ratio - 1), `${scales[i]} s`).toBeLessThan(0.01)
  },
)

const PAGE = new URL('../../docs/market.md', import.meta.url)

afterAll(() => {
  const lines = [...rows].map(([fact, [real, ours]]) => `| ${fact} | ${real} | ${ours} |`)
  console.log(lines.join('\n'))
})

test('behavior: docs/market.md shows these figures', async () => {
  const lines = [...rows].map(([fact, [real, ours]]) => `| ${fact} | ${real} | ${ours} |`)
  const table = `<!-- written: market -->\n\n| | real | here |\n| --- | --- | --- |\n${lines.join('\n')}\n\n<!-- end -->`
  const page = readFileSync(PAGE, 'utf8')
  await expect(page.replace(/<!-- written: market -->[\s\S]*<!-- end -->/, table)).toMatchFileSnapshot(PAGE.pathname)
})
