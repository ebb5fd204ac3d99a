// Stacked layers with repeated windows against a look at every tick, and the latest tick of windows against all of them.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ticksOf } from '../../test/support/paths.js'
import { check } from '../../test/support/seed.js'
import { alongCrash, createCrash } from './crash.js'
import { createFeedPath } from './feed-path.js'
import { parseFeeds } from './feeds-file.js'
import { alongLevels, rampTo, scaledBy } from './levels.js'
import type { PricePath } from './path.js'
import { transformedPath } from './price-transform.js'
import { earlierWindows, repeatedWindows } from './windows.js'
import { withoutTicks } from './without-ticks.js'

const START = 1_753_354_105
const feedOf = (heartbeat: number) =>
  parseFeeds(
    { extends: 'none', feeds: [{ id: 'ACMEUSD', base: 100, drivers: { a: 2 }, heartbeat, step: 1_000_000, lag: 0 }] },
    'feeds',
  )[0]!

const FEEDS = new Map([1, 4, 16].map(heartbeat => [heartbeat, feedOf(heartbeat)]))

const times = fc
  .record({
    start: fc.integer({ min: -300, max: 300 }),
    length: fc.integer({ min: 1, max: 200 }),
    pause: fc.integer({ min: 0, max: 100 }),
    isRepeated: fc.boolean(),
  })
  .map(({ start, length, pause, isRepeated }) =>
    repeatedWindows(START + start, [{ from: 0, until: length }], isRepeated ? length + pause : undefined, 50),
  )
const layer = fc.record({
  windows: times,
  kind: fc.constantFrom('carry', 'hole', 'ramp', 'drift', 'flat', 'levels', 'crash'),
  factor: fc.constantFrom(0.3, 0.8, 1.01, 3),
})

test('behavior: the extremes of stacked layers are those of all ticks', () => {
  check(
    [
      fc.array(layer, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...FEEDS.keys()),
      fc.integer({ min: -200, max: 400 }),
      fc.integer({ min: 1, max: 1500 }),
    ],
    [300, 2000],
    (layers, heartbeat, offset, length) => {
      const feed = FEEDS.get(heartbeat)!
      const market = createFeedPath('7', feed)
      const path = layers.reduce<PricePath>((below, { windows, kind, factor }) => {
        const context = { windows, appliedAt: START, feed }
        if (kind === 'carry' || kind === 'hole') return withoutTicks(below, windows, kind)
        if (kind === 'ramp') return transformedPath(below, context, rampTo(factor, factor > 1 ? 0 : 30))
        if (kind === 'drift')
          return transformedPath(
            below,
            context,
            scaledBy(passed => 1 + factor * passed),
          )
        if (kind === 'crash') {
          const times = { fall: 60, bottom: 20, recovery: 100, rebound: 0.5, seed: 7 }
          const crash = createCrash({ depth: 1 - Math.min(factor, 0.8), ...times })
          return transformedPath(
            below,
            context,
            alongCrash(() => () => crash, below, market),
          )
        }
        const levels = kind === 'flat' ? [] : [20, 40].map(at => ({ at, price: 1e10 * factor * at }))
        return transformedPath(below, context, alongLevels(below, levels))
      }, market)
      const [from, to] = [START + offset, START + offset + length]
      const ticks = ticksOf(path, from, to)
      const prices = ticks.map(({ price }) => price)
      const [least, most] = [Math.min(...prices), Math.max(...prices)]
      const exact = path.extremes(from, to)
      for (const found of [exact, path.extremes(from, to, true)]) {
        if (found === undefined) expect(prices).toEqual([])
        else if (found.low.price !== least || found.high.price !== most)
          expect([found.low.price, found.high.price]).toEqual([least, most])
        for (const { price, ts } of found ? [found.high, found.low] : []) {
          if (ts < from || ts > to || path.nextTick(ts) !== ts) expect.fail(`no tick of the window: ${ts}`)
          if (path.at(ts) !== price) expect.fail(`another price at ${ts}: ${price}`)
          // The earliest of the ticks with that price.
          if (found === exact && ts !== ticks[prices.indexOf(price)]!.ts) expect.fail(`not the earliest: ${ts}`)
        }
      }
    },
  )
})

test('args: heartbeat: no tick of a window is later than its latest, and one reaches it', () => {
  check(
    [
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom(1, 2, 8, 32),
      fc.integer({ min: 0, max: 3 }),
    ],
    (start, length, pause, heartbeat, lag) => {
      const windows = earlierWindows(repeatedWindows(start, [{ from: 0, until: length }], length + pause), lag)
      let latest = -1
      for (const { from, until } of windows.between(-lag, 32 * 100 + 200))
        for (let tick = Math.ceil(from / heartbeat) * heartbeat; tick < until; tick += heartbeat)
          latest = Math.max(latest, tick - from)
      expect(Math.max(-1, windows.latestTick(heartbeat))).toBe(latest)
    },
  )
})
