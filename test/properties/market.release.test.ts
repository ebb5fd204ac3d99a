// The market behaves like one: figures of many series beside those of real markets, which docs/market.md shows.
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { SECONDS_PER_YEAR } from '../../src/market/cascade.js'
import { createFeedPath } from '../../src/market/feed-path.js'
import type { Feed } from '../../src/market/feeds.js'
import { catalogueFeeds } from '../../src/market/feeds-file.js'
import { createBend, maxLogOf } from '../../src/market/pricing.js'
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

const walkOf = (id: string): ((second: number) => number) => createWalk({ seed: '42', ...find(id) }).at
/** The logarithm of published prices. */
const publishedOf = (id: string): ((second: number) => number) => {
  const { at } = createFeedPath('42', find(id))
  return second => Math.log(at(second))
}

/** Steps of the log price, the last one ending now. */
function steps(id: string, width: number, count: number, at = walkOf(id)): Float64Array {
  let before = at(NOW - count * width)
  return Float64Array.from({ length: count }, (_, i) => {
    const after = at(NOW - (count - 1 - i) * width)
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

  test('behavior: many seconds are without trade, but not those of the largest moves', () => {
    const count = 100_000
    const [sizes, traded] = [absolute(steps('BTCUSD', 1, count)), volumes('BTCUSD', 1, count)]
    const empty = traded.filter(volume => volume === 0).length / count
    row('BTC, part of the seconds without trade', 'many', [empty])
    expect(empty).toBeGreaterThan(0.15)
    expect(empty).toBeLessThan(0.5)
    const large = sizes.toSorted().at(-count / 1000)!
    const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length
    const found = mean(traded.filter((_, i) => sizes[i]! >= large)) / mean(traded)
    row('BTC, volume of the largest thousandth of 1s moves over the mean', 'large', [found], 1)
    expect(found).toBeGreaterThan(2)
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

/** Days from 1970 to 2105, of several seeds. */
describe('years', () => {
  const SEEDS = ['42', '1', '2']
  const FIRST = 30 * DAY
  const COUNT = 49_400
  const logOf = (seed: string, id: string): ((second: number) => number) => {
    const feed = find(id)
    const { at } = createWalk({ seed, ...feed })
    const { bend } = createBend(maxLogOf(feed))
    return second => bend(at(second))
  }
  const stepsOf = (log: (second: number) => number, first: number, width: number, count: number): Float64Array => {
    const logs = Float64Array.from({ length: count + 1 }, (_, i) => log(first + i * width))
    return logs.subarray(1).map((after, i) => after - logs[i]!)
  }
  const bitcoin = SEEDS.map(seed => {
    const log = logOf(seed, 'BTCUSD')
    return { seed, log, days: stepsOf(log, FIRST, DAY, COUNT) }
  })
  const average = <T>(items: readonly T[], of: (item: T) => number): number =>
    items.reduce((sum, item) => sum + of(item), 0) / items.length

  test('behavior: prices wander: variance grows with time up to years', () => {
    const ratio = (days: number) =>
      average(bitcoin, ({ log, days: steps }) => {
        let sum = 0
        for (let i = 0; i + days <= COUNT; i++) sum += (log(FIRST + (i + days) * DAY) - log(FIRST + i * DAY)) ** 2
        return sum / (COUNT - days + 1) / days / deviation(steps) ** 2
      })
    const found = [7, 30, 90, 365].map(ratio)
    row('BTC, variance of 7 / 30 / 90 / 365 days over that of as many single ones', 'about 1', found)
    expect(found[2]).toBeGreaterThanOrEqual(0.85)
    expect(found[3]).toBeGreaterThanOrEqual(0.75)
    const long = average(bitcoin, ({ log }) => autocorrelation(stepsOf(log, 0, 2 ** 22, 1022), 1))
    row('BTC, autocorrelation of steps of 48.5 days', 'about 0', [long])
    expect(Math.abs(long)).toBeLessThan(0.15)
  })

  test('behavior: years have drawdowns of every size', () => {
    const falls = bitcoin
      .flatMap(({ log }) =>
        Array.from({ length: 135 }, (_, year) => {
          let [high, fall] = [Number.NEGATIVE_INFINITY, 0]
          for (let i = year * 365; i < year * 365 + 365; i++) {
            const price = log(FIRST + i * DAY)
            high = Math.max(high, price)
            fall = Math.max(fall, 1 - Math.exp(price - high))
          }
          return fall
        }),
      )
      .sort((a, b) => a - b)
    const found = [0.1, 0.5, 0.9].map(part => falls[Math.round(part * (falls.length - 1))]!)
    row('BTC, largest drawdown of a year, 10 % / median / 90 % of years', '.2 / .5 / .8', found)
    expect(found[0]).toBeGreaterThanOrEqual(0.27)
    expect(Math.abs(found[1]! - 0.5)).toBeLessThanOrEqual(0.05)
    expect(found[2]).toBeLessThanOrEqual(0.72)
  })

  test('behavior: calm and wild days last', () => {
    const found = [1, 10, 30, 100].map(lag => average(bitcoin, ({ days }) => autocorrelation(absolute(days), lag)))
    row('BTC, autocorrelation of the size of days, lag 1 / 10 / 30 / 100', '.25 / .15 / .10 / .05', found)
    for (const [i, least] of [0.17, 0.08, 0.04].entries()) expect(found[i]).toBeGreaterThanOrEqual(least)
  })

  test('behavior: no power of two is a border of volatility', () => {
    const size = (log: (second: number) => number, first: number, length: number): number =>
      Math.log(deviation(stepsOf(log, first, length / 64, 64)))
    const across = (level: number, shift: number) =>
      average(bitcoin, ({ log }) => {
        const length = 2 ** (level - 3)
        const count = 1000
        const stride = Math.floor((2 ** 32 - 2 ** 24) / count / 2 ** level)
        const places = Float64Array.from({ length: count }, (_, i) => (2 + i * stride) * 2 ** level + shift * length)
        return correlation(
          places.map(at => size(log, at - length, length)),
          places.map(at => size(log, at, length)),
        )
      })
    const [borders, elsewhere] = [0, 3].map(shift => [18, 20, 22].map(level => across(level, shift))) as [
      number[],
      number[],
    ]
    row('BTC, correlation of log volatility across multiples of 2^18 / 2^20 / 2^22 s', 'as elsewhere', borders)
    row('BTC, the same elsewhere', '', elsewhere)
    for (const [i, found] of borders.entries()) expect(Math.abs(found - elsewhere[i]!)).toBeLessThan(0.15)
  })

  test('behavior: days fall further than they rise, and wild ones follow a fall', () => {
    const skew = (steps: Float64Array): number => average([...steps], step => step ** 3) / deviation(steps) ** 3
    const found = [
      average(bitcoin, ({ days }) => skew(days)),
      average(bitcoin, ({ log }) => skew(stepsOf(log, FIRST, 7 * DAY, Math.floor(COUNT / 7)))),
    ]
    row('BTC, skew of days / weeks', '−.5 to −1 / about 0 [6]', found)
    expect(found[0]).toBeLessThanOrEqual(-0.3)
    expect(found[0]).toBeGreaterThanOrEqual(-1)
    expect(Math.abs(found[1]!)).toBeLessThan(0.3)
    const leverage = average(bitcoin, ({ days }) =>
      correlation(days.subarray(0, COUNT - 1), absolute(days.subarray(1))),
    )
    row('BTC, correlation of a day and the size of the next', '−.02 to −.1 [5]', [leverage], 3)
    expect(leverage).toBeLessThan(0)
    expect(leverage).toBeGreaterThan(-0.1)
  })

  test('behavior: bitcoin feels the dollar', () => {
    const found = ['EURUSD', 'XAUUSD'].map(id =>
      average(bitcoin, ({ seed, days }) => correlation(days, stepsOf(logOf(seed, id), FIRST, DAY, COUNT))),
    )
    row('BTC, correlation of days with EUR / XAU', '.1–.2 / .1', found)
    for (const value of found) {
      expect(value).toBeGreaterThanOrEqual(0.05)
      expect(value).toBeLessThanOrEqual(0.25)
    }
  })

  test('behavior: stablecoins tremble rarely and strongly, and together', () => {
    const days = SEEDS.map(seed => ['USDCUSD', 'USDTUSD'].map(id => stepsOf(logOf(seed, id), FIRST, DAY, COUNT)))
    const found = [average(days, ([one]) => kurtosis(one!)), average(days, ([one, other]) => correlation(one!, other!))]
    row('USDC, kurtosis of days, and their correlation with USDT', '> 10 / .2', found)
    expect(found[0]).toBeGreaterThan(10)
    expect(Math.abs(found[1]! - 0.2)).toBeLessThan(0.05)
  })
})

describe('currencies', () => {
  const published = publishedOf('EURUSD')
  const hours = steps('EURUSD', HOUR, 52 * 5 * 168, published)

  test('behavior: they have tails, sessions and weekends', () => {
    const found = [steps('EURUSD', MINUTE, YEARS(1, MINUTE), published), steps('EURUSD', DAY, YEARS(49, DAY))].map(
      kurtosis,
    )
    row('EUR, kurtosis of steps of 1m / 1d', '20–40 / 5.0', found, 1)
    expect(found[0]).toBeGreaterThanOrEqual(10)
    expect(found[1]).toBeGreaterThanOrEqual(4)
    const week = (i: number): number => (i + 168) % 168
    // The series ends on a Thursday at midnight: Friday 21:00 is hour 45 of its weeks, Sunday 21:00 hour 93.
    expect(hours.filter((step, i) => week(i) >= 45 && week(i) < 92 && step !== 0)).toHaveLength(0)
    const gaps = absolute(hours.filter((_, i) => week(i) === 92))
    const ratio = hourRatio(hours)
    row('EUR, wildest hour of the day over the calmest', '2–3', [ratio])
    expect(ratio).toBeGreaterThanOrEqual(2)
    const gap = (1e4 * gaps.reduce((sum, step) => sum + step, 0)) / gaps.length
    row('EUR, gap of a weekend in basis points, the mean', '10', [gap], 1)
    expect(gap).toBeGreaterThan(6)
    expect(gap).toBeLessThan(16)
  })

  test('behavior: a weaker dollar lifts the euro and gold together', () => {
    const found = correlation(hours, steps('XAUUSD', HOUR, hours.length, publishedOf('XAUUSD')))
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
  'behavior: the volatility of %s is the configured one at every scale up to 48 days or its span',
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
