// The market and the signer without a server: look-ups, extremes, candles and signatures, for the slowest feed by name.
import { sha256 } from '@noble/hashes/sha2.js'
import * as secp from '@noble/secp256k1'
import { candleAt, finish } from '../src/market/candles.js'
import { createFeedPath } from '../src/market/feed-path.js'
import type { Feed } from '../src/market/feeds.js'
import { catalogueFeeds } from '../src/market/feeds-file.js'
import { createMarket } from '../src/market/market.js'
import type { PricePath } from '../src/market/path.js'
import { createVolume, type Volume } from '../src/market/volume.js'
import { LAYOUTS } from '../src/settings/layouts.js'
import { createSigner, testKey } from '../src/signing/signer.js'
import { anchoredPath, anchoredVolume } from './anchored.js'
import { microseconds, print, type Row } from './measure.js'

const NOW = 1_753_354_105
const DAY = 86_400
const YEAR = 31_536_000

const feeds = catalogueFeeds()
const market = createMarket('42', feeds)
const bitcoin = market.feed('BTCUSD')!

function slowest(measure: (feed: Feed) => number): { feed: Feed; value: number } {
  return feeds
    .map(feed => ({ feed, value: measure(feed) }))
    .reduce((worst, one) => (one.value > worst.value ? one : worst))
}

function lookUp(feed: Feed, calls = 20_000): number {
  const path = market.path(feed)
  let state = 1
  return microseconds(calls, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return path.at(state - (state % feed.heartbeat))
  })
}

function highLow(feed: Feed, seconds: number): number {
  const path = market.path(feed)
  return microseconds(60, i => path.extremes(NOW - seconds - i * 977, NOW - i * 977))
}

/** Milliseconds for 300 candles, first with empty caches, then with full ones. */
function candles(feed: Feed, width: number): { cold: number; warm: number } {
  const buckets = { width, offset: 0 }
  const fresh = Array.from({ length: 6 }, () => createMarket('42', feeds))
  const ask = (i: number) => finish(fresh[i]!.candles(feed, fresh[i]!.path(feed), buckets, NOW, 300))
  for (const [i] of fresh.entries()) fresh[i]!.path(feed)
  const cold = microseconds(1, ask, 5) / 1000
  return { cold, warm: microseconds(20, () => ask(0)) / 1000 }
}

const WIDTHS = { '1s': 1, '1m': 60, '7m': 420, '1h': 3600, '24h': DAY, '1w': 604_800, '9w': 5_443_200 }

/** The paths and volumes of a market that wanders, or does not. */
interface Kind {
  readonly path: (seed: string, feed: Feed) => PricePath
  readonly volume: (seed: string, feed: Feed) => Volume
}
const KINDS: readonly Kind[] = [
  { path: createFeedPath, volume: createVolume },
  { path: anchoredPath, volume: anchoredVolume },
]
const ROUNDS = 9
/** Rounds before them, in which code is compiled. */
const FIRST_ROUNDS = 6

/** How often one kind takes the time of the other: the median of rounds in turn, because other programs slow both. */
function ratio(calls: number, prepare: (kind: Kind) => (i: number) => unknown): number {
  const [ours, other] = KINDS.map(kind => prepare(kind)) as [(i: number) => unknown, (i: number) => unknown]
  const ratios = Array.from({ length: FIRST_ROUNDS + ROUNDS }, (_, round) => {
    const ask = (run: (i: number) => unknown) => microseconds(calls, i => run(round * calls + i), 1)
    return ask(ours) / ask(other)
  }).slice(FIRST_ROUNDS)
  return ratios.sort((a, b) => a - b)[ROUNDS >> 1]!
}

/** The cost of wandering, against a market that does not. Several feeds each: code that only one closure runs is compiled for that one. */
function compare(): Row[] {
  const some = feeds.filter((_, i) => i % 4 === 0)
  const lookUps = (kind: Kind, run: number, secondOf: (i: number) => number) => {
    const paths = some
      .filter(({ drivers, heartbeat }) => Object.keys(drivers).length === 2 && heartbeat === 1)
      .map(feed => kind.path('42', feed))
    return (i: number) => paths[Math.floor(i / run) % paths.length]!.at(secondOf(i))
  }
  const extremes = (kind: Kind) => {
    const paths = some.map(feed => kind.path('42', feed))
    return (i: number) => {
      const end = YEAR + ((Math.imul(i, 0x9e3779b1) >>> 0) % 4_250_000_000)
      return paths[i % paths.length]!.extremes(end - YEAR, end)
    }
  }
  const candlesOf = (width: number) => (kind: Kind) => {
    const all = some.map(feed => [kind.path('42', feed), kind.volume('42', feed)] as const)
    return (i: number) => {
      const [path, volume] = all[Math.floor(i / 300) % all.length]!
      return candleAt(path, volume, Math.floor((NOW - i * width) / width) * width, width, NOW)
    }
  }
  const widest = Math.max(...[60, 3600, DAY, 604_800].map(width => ratio(300, candlesOf(width))))
  const anywhere = ratio(20_000, kind => lookUps(kind, 1, i => Math.imul(i, 0x9e3779b1) >>> 0))
  const next = ratio(100_000, kind => lookUps(kind, 1000, i => NOW + i))
  return [
    { name: 'look-up anywhere, two drivers', value: anywhere, unit: '×', goal: 1.3 },
    { name: 'look-up of the next second', value: next, unit: '×', goal: 1.1 },
    { name: 'high and low of any year, all kinds of feeds', value: ratio(160, extremes), unit: '×', goal: 1.4 },
    { name: '300 candles of 1m to 1w, the worst', value: widest, unit: '×', goal: 1.2 },
  ]
}

/** Prints the figures of the market and the signer. */
export function benchMarket(): void {
  const rows: Row[] = []
  const look = slowest(feed => lookUp(feed))
  rows.push({ name: 'look-up, slowest feed', value: look.value, unit: 'µs', goal: 1.8, note: look.feed.id })
  rows.push({ name: 'look-up, BTCUSD', value: lookUp(bitcoin), unit: 'µs', goal: 1.2 })

  const year = slowest(feed => highLow(feed, YEAR))
  const perDay = (feed: Feed) => highLow(feed, YEAR) / highLow(feed, DAY)
  rows.push({
    name: 'high and low of a year, slowest feed',
    value: year.value,
    unit: 'µs',
    goal: 1000,
    note: year.feed.id,
  })
  rows.push({ name: '  as a multiple of a day', value: perDay(year.feed), unit: '×', goal: 8, note: year.feed.id })
  rows.push({ name: 'high and low of a year, BTCUSD', value: highLow(bitcoin, YEAR), unit: 'µs', goal: 400 })
  rows.push({ name: '  as a multiple of a day', value: perDay(bitcoin), unit: '×', goal: 8 })

  for (const [name, width] of Object.entries(WIDTHS)) {
    const worst = slowest(feed => candles(feed, width).cold)
    rows.push({
      name: `300 candles of ${name}, cold, slowest feed`,
      value: worst.value,
      unit: 'ms',
      goal: 60,
      note: worst.feed.id,
    })
  }
  rows.push({ name: '300 candles of 24h, warm', value: candles(bitcoin, DAY).warm, unit: 'ms', goal: 0.2 })
  print('Market', rows)
  print('Market, as a multiple of one that does not wander', compare())

  const key = testKey(0)
  const digest = (i: number) => sha256(Uint8Array.of(i, i >> 8, i >> 16))
  const bare = microseconds(200, i => secp.sign(digest(i), key, { prehash: false, format: 'recovered' }))
  const signer = createSigner(key)
  const tick = (i: number) => ({ feedId: 'BTCUSD', price: 11_830_872_000_000 + i, expo: -8, ts: NOW })
  const signed = microseconds(200, i => signer.sign(LAYOUTS.svm, [tick(i)]))
  const again = microseconds(20_000, () => signer.sign(LAYOUTS.svm, [tick(0)]))
  print('Signing', [
    { name: 'a bare noble sign (the reference)', value: bare, unit: 'µs' },
    { name: 'one signed price', value: signed, unit: 'µs' },
    { name: '  as a multiple of the reference', value: signed / bare, unit: '×', goal: 1.15 },
    { name: 'the same price again', value: again, unit: 'µs' },
  ])
}
