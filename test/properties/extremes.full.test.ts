// Highs and lows of windows against every tick of them: across the ends of nodes and blocks, where log prices are bent, with growth,
// for derived feeds, and below faults and overrides.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alongCrash, createCrash } from '../../src/market/crash.js'
import { createFeedPath } from '../../src/market/feed-path.js'
import type { Feed } from '../../src/market/feeds.js'
import { parseFeeds } from '../../src/market/feeds-file.js'
import { rampTo, scaledBy } from '../../src/market/levels.js'
import { overriddenPath } from '../../src/market/overridden.js'
import type { PricePath } from '../../src/market/path.js'
import { transformedPath } from '../../src/market/price-transform.js'
import { repeatedWindows } from '../../src/market/windows.js'
import { withoutTicks } from '../../src/market/without-ticks.js'
import { everyTick } from '../support/paths.js'
import { check, IS_FULL_RUN } from '../support/seed.js'
import { LATEST } from './markets.js'

const WILD = { expo: -4, heartbeat: 4096, span: 134_217_728 } as const
const FEEDS = parseFeeds(
  {
    extends: 'default',
    feeds: [
      // Its log price is bent nearly always.
      { ...WILD, id: 'WILD', base: 100_000, drivers: { crypto: 3, WILD: 3 } },
      { ...WILD, id: 'TAME', group: 'fx', base: 100_000, drivers: { TAME: 0.2 } },
      { id: 'STWILD', parent: 'WILD', heartbeat: 4096, expo: -4, yield: 0.02, basis: 0.05 },
      { id: 'NEAR', base: 30, span: 1_048_576, drivers: { NEAR: 0.9 } },
      { id: 'SHORT', base: 30, span: 131_072, drivers: { SHORT: 0.9 } },
    ],
  },
  'feeds',
)
const find = (id: string): Feed => FEEDS.find(feed => feed.id === id)!
const FINE = ['BTCUSD', 'EURUSD', 'WSTETHUSD', 'USDCUSD', 'WETHUSD', 'NEAR', 'SHORT'].map(find)
const COARSE = [
  ...['WILD', 'TAME', 'STWILD'].map(find),
  ...['BTCUSD', 'PEPEUSD', 'WSTETHUSD', 'XAUUSD', 'USDCUSD', 'NEAR'].map(id => ({ ...find(id), heartbeat: 4096 })),
]

/** Seconds where something begins: nodes of each level, blocks, and any. */
const place = fc.oneof(
  fc.integer({ min: 1, max: 65_000 }).map(k => k * 2 ** 16),
  fc.integer({ min: 1, max: 8180 }).map(k => k * 2 ** 19),
  fc.integer({ min: -13, max: 18 }).map(k => 418 * 2 ** 22 + k * 2 ** 27),
  fc.integer({ min: 0, max: LATEST }),
)
const anyWindow = fc
  .record({
    feed: fc.oneof(fc.constantFrom(...FINE), fc.constantFrom(...COARSE)),
    seed: fc.integer({ min: 0, max: 99 }).map(String),
    at: place,
    before: fc.integer({ min: 0, max: 4000 }),
    after: fc.integer({ min: 1, max: 4000 }),
  })
  .map(({ feed, seed, at, before, after }) => {
    const { heartbeat } = feed
    const from = Math.max(0, Math.floor(at / heartbeat) - before) * heartbeat
    return { feed, seed, from, to: Math.min(LATEST, from + (before + after) * heartbeat) }
  })

test('behavior: they are those of every tick', () => {
  check([anyWindow], [60, 1500], ({ feed, seed, from, to }) => {
    expect(createFeedPath(seed, feed).extremes(from, to)).toEqual(everyTick(createFeedPath(seed, feed), from, to))
  })
})

const layer = fc.record({
  kind: fc.constantFrom('override', 'ramp', 'drift', 'crash', 'hole', 'carry'),
  start: fc.integer({ min: -1000, max: 6000 }),
  length: fc.integer({ min: 1, max: 4000 }),
  pause: fc.integer({ min: 0, max: 500 }),
  isRepeated: fc.boolean(),
  factor: fc.constantFrom(0.3, 0.97, 1.01, 3),
})

test('behavior: below faults and overrides too', () => {
  check(
    [anyWindow, fc.array(layer, { minLength: 1, maxLength: 3 })],
    [40, 1000],
    ({ feed, seed, from, to }, layers) => {
      const unit = feed.heartbeat
      const create = (market = createFeedPath(seed, feed)): PricePath =>
        layers.reduce<PricePath>(
          (below, { kind, start, length, pause, isRepeated, factor }) => {
            const first = Math.max(0, from + start * unit)
            if (kind === 'override') {
              const overrides = [
                { from: first, factor },
                { from: first + length * unit, factor: 1.3 },
              ]
              return overriddenPath(below, overrides, feed)
            }
            const every = isRepeated ? (length + pause) * unit : undefined
            const windows = repeatedWindows(first, [{ from: 0, until: length * unit }], every, 20)
            const context = { windows, appliedAt: first, feed }
            if (kind === 'hole' || kind === 'carry') return withoutTicks(below, windows, kind)
            if (kind === 'ramp') return transformedPath(below, context, rampTo(factor, 30 * unit))
            if (kind === 'drift')
              return transformedPath(
                below,
                context,
                scaledBy(passed => 1 + (factor * passed) / unit / 1000),
              )
            const crash = createCrash({
              depth: 1 - Math.min(factor, 0.8),
              fall: 60 * unit,
              bottom: 20 * unit,
              recovery: 100 * unit,
              rebound: 0.5,
              seed: 7,
            })
            return transformedPath(
              below,
              context,
              alongCrash(() => () => crash, below, market),
            )
          },
          createFeedPath(seed, feed),
        )
      expect(create().extremes(from, to)).toEqual(everyTick(create(), from, to))
    },
  )
})

test('behavior: all of time is searched', () => {
  for (const feed of COARSE)
    for (const seed of IS_FULL_RUN ? ['42', '1'] : ['42'])
      expect(createFeedPath(seed, feed).extremes(0, LATEST)).toEqual(everyTick(createFeedPath(seed, feed), 0, LATEST))
})
