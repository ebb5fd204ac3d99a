// The catalogue is valid, contains the feeds of public consumers, and its prices have the expected size.
import { expect, test } from 'vitest'
import { FEED_CLASSES } from '../settings/policy.js'
import { CATALOGUE } from './catalogue.js'
import { createFeedPath } from './feed-path.js'
import type { Feed } from './feeds.js'
import { growthFactor, growthOf } from './pricing.js'
import { resolveFeeds } from './resolve-feeds.js'

const { feeds, problems } = resolveFeeds(CATALOGUE)
const find = (id: string): Feed => feeds.find(feed => feed.id === id)!
const pathOf = (id: string) => createFeedPath('42', find(id))

const STABLE = ['USDTUSD', 'USDCUSD', 'DAIUSD', 'USDEUSD']
const LIKE_ETH = ['ETHUSD', 'WSTETHUSD', 'WEETHUSD', 'STETHUSD']
const LIKE_BTC = ['BTCUSD', 'WBTCUSD', 'LBTCUSD']

/** Instants from 1970 to 2105, most of them a prime apart so that they fall anywhere in a day. */
const INSTANTS = Array.from({ length: 3000 }, (_, i) => Math.min(i * 1_430_593, 4_291_747_199))

const isNear = (second: number): boolean => second > Date.UTC(2000, 0) / 1000 && second < Date.UTC(2050, 0) / 1000

/** The ticks of a feed at many instants, in quote units. */
function pricesOf(id: string, instants = INSTANTS): number[] {
  const { expo } = find(id)
  const path = pathOf(id)
  return instants.map(second => path.at(path.lastTick(second)!) / Number(`1e${-expo}`))
}

test('default', () => {
  expect(problems).toEqual([])
  expect(feeds.length).toBeGreaterThanOrEqual(50)
  expect(feeds.map(({ id }) => id)).toEqual(CATALOGUE.map(({ id }) => id))
  expect(find('BTCUSD')).toMatchObject({ number: 1, class: 'crypto', expo: -8, heartbeat: 1, lag: 1 })
})

test('behavior: it contains every id that public consumers use', () => {
  const ids = feeds.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining([...STABLE, ...LIKE_ETH, ...LIKE_BTC, 'SOLUSD']))
  expect(new Set(ids.map(id => id.toUpperCase())).size).toBe(ids.length)
})

test('behavior: every feed has a unique number that is given, not hashed', () => {
  expect(new Set(feeds.map(feed => feed.number)).size).toBe(feeds.length)
  for (const { number } of CATALOGUE) expect(number).toBeLessThan(100_000)
})

test('behavior: it has every class, several heartbeats and several lags', () => {
  expect(new Set(feeds.map(feed => feed.class))).toEqual(new Set(FEED_CLASSES))
  const heartbeats = new Set(feeds.map(feed => feed.heartbeat))
  const lags = new Set(feeds.map(feed => feed.lag))
  expect(heartbeats.size).toBeGreaterThanOrEqual(4)
  expect(lags.size).toBeGreaterThanOrEqual(4)
  expect(Math.max(...lags)).toBeLessThanOrEqual(3)
  // A feed must not be silent for the shortest window of history, a minute.
  expect(Math.max(...heartbeats)).toBeLessThan(60)
})

test('behavior: ids are upper case and fit into 32 bytes', () => {
  for (const { id } of feeds) expect(id).toMatch(/^[A-Z0-9]{5,32}$/)
})

test('behavior: one unit is not visible in a price', () => {
  for (const { id, base, expo, step } of feeds) {
    expect(Number(`1e${expo}`) / base, id).toBeLessThan(1e-5)
    expect((step * Number(`1e${expo}`)) / base, id).toBeLessThan(1e-3)
  }
})

test('behavior: volatilities are of the usual size of their class', () => {
  const usual = {
    crypto: [0.5, 1.5],
    meme: [0.9, 1.6],
    staked: [0.5, 1.5],
    wrapped: [0.5, 1.5],
    stable: [0.003, 0.008],
    fx: [0.02, 0.15],
    metal: [0.1, 0.4],
  } as const
  for (const feed of feeds) {
    const volatility = Math.hypot(...Object.values(feed.drivers))
    const [min, max] = usual[feed.class]
    expect(volatility > min && volatility < max, `${feed.id} ${volatility}`).toBe(true)
  }
})

test.each(STABLE)('behavior: %s is near 1 from 1970 to 2105', id => {
  const prices = pricesOf(id)
  expect(Math.min(...prices)).toBeGreaterThan(0.995)
  expect(Math.max(...prices)).toBeLessThan(1.005)
  expect(new Set(prices).size).toBeGreaterThan(INSTANTS.length / 2)
})

test.each(LIKE_ETH)('behavior: %s is above 1 from 1970 to 2105, and above 100 in this half of the century', id => {
  const prices = pricesOf(id)
  expect(Math.min(...prices)).toBeGreaterThan(1)
  expect(Math.min(...pricesOf(id, INSTANTS.filter(isNear)))).toBeGreaterThan(100)
  expect(Math.max(...prices)).toBeLessThan(1_000_000)
})

test.each(LIKE_BTC)('behavior: %s is above 1000 from 1970 to 2105', id => {
  const prices = pricesOf(id)
  expect(Math.min(...prices)).toBeGreaterThan(1000)
  expect(Math.max(...prices)).toBeLessThan(10_000_000)
})

test('behavior: every price is a positive integer that a double holds exactly', () => {
  for (const feed of feeds) {
    const path = createFeedPath('42', feed)
    const prices = INSTANTS.slice(0, 300).map(second => path.at(path.lastTick(second)!))
    expect(
      prices.filter(price => !(Number.isSafeInteger(price) && price > 0)),
      feed.id,
    ).toEqual([])
  }
})

test('behavior: derived feeds follow a feed of the catalogue within 2 %, at a ratio that grows by their yield', () => {
  for (const feed of feeds.filter(({ parent }) => parent !== undefined)) {
    const parent = find(feed.parent!)
    const [path, ofParent] = [createFeedPath('42', feed), createFeedPath('42', parent)]
    const deviations = INSTANTS.map(instant => {
      const second = Math.floor(instant / 64) * 64
      const ratio = (feed.base / parent.base) * growthFactor(growthOf(feed), second)
      return Math.abs(path.at(second) / ofParent.at(second) / ratio - 1)
    })
    expect(Math.max(...deviations), feed.id).toBeLessThan(0.02)
  }
})
