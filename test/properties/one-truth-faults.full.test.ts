// One truth under faults of the market: history and candles are made of just the ticks that `latest` serves, second by second.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { MarketFault } from '../../src/faults/fault.js'
import { MARKET_FAULTS } from '../../src/faults/market/index.js'
import { createMock } from '../../src/index.js'
import { type Candle, finish } from '../../src/market/candles.js'
import { createFeedPath } from '../../src/market/feed-path.js'
import type { Feed, FeedDefinition } from '../../src/market/feeds.js'
import { catalogueFeeds } from '../../src/market/feeds-file.js'
import { alongLevels, rampTo, scaledBy } from '../../src/market/levels.js'
import type { PricePath } from '../../src/market/path.js'
import { type PriceTransform, type TransformedPath, transformedPath } from '../../src/market/price-transform.js'
import { resolveFeeds } from '../../src/market/resolve-feeds.js'
import { repeatedWindows, type Window, type Windows } from '../../src/market/windows.js'
import { withoutTicks } from '../../src/market/without-ticks.js'
import { createEndpointContext } from '../../src/service/endpoint-context.js'
import type { Duration } from '../../src/settings/time.js'
import { type Chart, replyOf } from '../support/ask.js'
import { everyTick } from '../support/paths.js'
import { check } from '../support/seed.js'
import { optionsOf } from './fault-options.js'
import { NOW } from './markets.js'

/** Seconds of the scenario that are looked at, from its application on. */
const RANGE = 330
/** Seconds before it. */
const BEFORE = 130

type Planned = { readonly fault: string } & Readonly<Record<string, unknown>>

const seconds = (min: number, max: number) => fc.integer({ min, max }).map(value => `${value}s` as const)
const times = fc
  .record(
    {
      from: fc.integer({ min: 0, max: 95 }),
      for: fc.integer({ min: 1, max: 90 }),
      pause: fc.integer({ min: 0, max: 60 }),
    },
    { requiredKeys: ['from'] },
  )
  .map(({ from, for: length, pause }) => ({
    from: `${from}s`,
    ...(length === undefined ? {} : { for: `${length}s` }),
    ...(length === undefined || pause === undefined ? {} : { repeat: `${length + pause}s` }),
  }))
/** The coarsest of the feeds below: options that fit it fit them all. */
const COARSE = resolveFeeds([{ id: 'ACMEUSD', base: 100, drivers: { a: 0.5 }, step: 1_000_000 }]).feeds[0]!
const faultOf = (name: string) => MARKET_FAULTS.find(fault => fault.name === name)! as unknown as MarketFault
const planned = (name: string): fc.Arbitrary<Planned> =>
  fc
    .record({ times, options: optionsOf(faultOf(name), COARSE) })
    .map(({ times, options }) => ({ fault: name, ...times, options }))
const loop = fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, seconds(150, 250))
const feed: fc.Arbitrary<FeedDefinition> = fc.record({
  id: fc.constant('ACMEUSD'),
  base: fc.constant(100),
  drivers: fc.constantFrom<Record<string, number>[]>({ a: 0.5 }, { a: 3 }, { a: 0.4, b: -0.3 }),
  heartbeat: fc.constantFrom(1, 2, 4, 8),
  lag: fc.integer({ min: 0, max: 5 }),
  // The coarser the step, the more ticks share their price.
  step: fc.constantFrom(1, 1000, 1_000_000),
  volume: fc.constant(50e6),
})

interface Case {
  readonly definition: FeedDefinition
  readonly faults: readonly Planned[]
  readonly loop: Duration | undefined
}

/** A context and what its `latest` serves at each second: a tick, or nothing. */
function collect({ definition, faults, loop }: Case) {
  const feeds = { extends: 'none', feeds: [definition] } as const
  const scenario = { faults: faults as never, ...(loop === undefined ? {} : { loop }) }
  const mock = createMock({ seed: '7', clock: { at: NOW, frozen: true }, feeds, policy: { candles: 40 }, scenario })
  const { runtime } = mock.sessions.default
  const feed = runtime.market.feeds[0]!
  const momentAt = (now: number) => createEndpointContext(runtime, now)
  /** The tick in force, by the second up to which prices were published when it was served. */
  const inForce = new Map<number, number | undefined>()
  const prices = new Map<number, number>()
  const first = NOW - BEFORE - feed.lag
  const hasAge = faults.some(({ options }) => 'age' in (options as object))
  const served = [...Array(BEFORE + RANGE).keys()].map(offset => {
    const now = NOW - BEFORE + offset
    const tick = momentAt(now).latest(feed)
    const horizon = runtime.stage.horizon(feed, now)
    // With an age, the price of a tick is shown with a `ts` of its own.
    const ts = hasAge ? runtime.stage.path(feed).lastTick(horizon) : tick?.ts
    same(tick === undefined, ts === undefined, `a tick at ${now - NOW}`)
    // Neither is a tick ever served at another price, nor is another one ever in force.
    const known = ts === undefined ? undefined : prices.get(ts)
    if (known !== undefined) same(tick!.price, known, `the price of ${ts! - NOW} at ${now - NOW}`)
    if (inForce.has(horizon)) same(ts, inForce.get(horizon), `the tick in force at ${horizon - NOW}`)
    inForce.set(horizon, ts)
    if (ts !== undefined) prices.set(ts, Number(tick!.price))
    return { now, horizon, tick }
  })
  const traded: number[] = []
  const volume = runtime.stage.volume(feed)
  const volumeAt = (second: number): number => (traded[second - first] ??= volume.between(second, second + 1))
  return { feed, momentAt, served, inForce, prices, first, volumeAt }
}

type Collected = ReturnType<typeof collect>

/** An expectation for millions: one that has nothing to say unless it fails. */
function same(got: unknown, want: unknown, what: string): void {
  if (!Object.is(got, want)) expect.fail(`${what}: got ${got}, want ${want}`)
}

/**
 * A candle computed second by second; undefined where the collected answers cannot decide it. Unpublished ticks change nothing, so
 * the price continues there; no answer shows whether there was a gap.
 */
function bruteCandle({ inForce, prices, volumeAt }: Collected, start: number, end: number, hasGaps: boolean) {
  if (!inForce.has(start)) return undefined
  let last = inForce.get(start)
  const all: number[] = []
  let volume = 0
  for (let second = start; second <= end; second++) {
    if (inForce.has(second)) last = inForce.get(second)
    else if (hasGaps) return undefined
    if (last === undefined) continue
    all.push(prices.get(last)!)
    volume += volumeAt(second)
  }
  if (all.length === 0) return 'no candle'
  const [high, low] = [Math.max(...all), Math.min(...all)]
  return toText({ start, open: all[0]!, high, low, close: all.at(-1)!, volume })
}

const toText = ({ start, open, high, low, close, volume }: Omit<Candle, 'avg'>): string =>
  `${start - NOW}: ${[open, high, low, close, volume].join(' ')}`

function checkCandles(collected: Collected, hasGaps: boolean, at: number, width: number): void {
  const { feed, momentAt, first, served } = collected
  const { now, horizon } = served[at]!
  const candles = new Map(
    finish(momentAt(now).candles(feed, { width, offset: 0 })).map(candle => [candle.start, candle]),
  )
  const newest = Math.floor(horizon / width) * width
  for (let start = Math.max(Math.ceil(first / width), newest / width - 39) * width; start <= horizon; start += width) {
    const brute = bruteCandle(collected, start, Math.min(start + width - 1, horizon), hasGaps)
    const candle = candles.get(start)
    if (brute !== undefined) same(candle ? toText(candle) : 'no candle', brute, `candle of ${width} at ${start - NOW}`)
    if (candle) same(candle.avg >= candle.low && candle.avg <= candle.high, true, `average at ${start - NOW}`)
  }
}

function checkHistory({ feed, momentAt, first, served, prices }: Collected, at: number, minutes: number): void {
  const { now, horizon, tick } = served[at]!
  const from = now - 60 * minutes + 1
  if (from < first) return
  const found = momentAt(now).extremes(feed, minutes)
  const all = [...prices].filter(([ts]) => ts >= from && ts <= horizon).map(([, price]) => price)
  const what = `of the last ${minutes} minutes at ${now - NOW}`
  if (all.length === 0) {
    expect(found, what).toEqual(tick && { high: tick, low: tick })
    return
  }
  same(found!.high.price, Math.max(...all), `high ${what}`)
  same(found!.low.price, Math.min(...all), `low ${what}`)
  // `latest` has served each of them.
  for (const { ts, price } of [found!.high, found!.low]) same(price, prices.get(ts), `price of ${ts - NOW} ${what}`)
}

const WIDTHS = [1, 2, 7, 20, 60, 61, 90, 150]

/** With an age below the lag, `latest` runs ahead, and passes over ticks that history shows. */
const runsAhead = ({ definition, faults }: Case): boolean =>
  faults.some(({ options }) => Number.parseInt((options as { age?: string }).age ?? '60s', 10) < definition.lag!)

function checkAll(one: Case): void {
  if (runsAhead(one)) return
  const collected = collect(one)
  const hasGaps = one.faults.some(({ fault }) => fault === 'market/gap')
  for (let at = 61; at < BEFORE + RANGE; at += 31) for (const minutes of [1, 2, 4]) checkHistory(collected, at, minutes)
  for (const at of [149, 257, 360, BEFORE + RANGE - 1])
    for (const width of WIDTHS) checkCandles(collected, hasGaps, at, width)
}

/** Two of `stale` with an `age` on one feed are left out: what one holds back in the end, the other would have shown later. */
const areBothAged = (faults: readonly Planned[]): boolean =>
  faults.filter(({ options }) => 'age' in (options as object)).length > 1

const NAMES = MARKET_FAULTS.map(({ name }) => name as string)

describe('history and candles are made of the ticks that latest serves', () => {
  test.each(NAMES)('behavior: under %s', name => {
    check([feed, planned(name), loop], 10, (definition, fault, loop) => {
      checkAll({ definition, faults: [fault], loop })
    })
  })

  test('behavior: under any two faults, in any order', () => {
    const pair = fc.tuple(...[0, 1].map(() => fc.constantFrom(...NAMES).chain(planned))) as fc.Arbitrary<Planned[]>
    check([feed, pair.filter(faults => !areBothAged(faults)), loop], 70, (definition, faults, loop) =>
      checkAll({ definition, faults, loop }),
    )
  })
})

/** Requests for whatever `latest`, history and candles make of a path. */
const TARGETS = [
  '/prices/ACMEUSD/latest',
  '/prices/queryHistory?feedIds=ACMEUSD&minutes=2',
  '/charting/feeds-data?feedids=ACMEUSD&feed=ACMEUSD&type=1&interval=7s',
  '/charting/feeds-data?feedids=ACMEUSD&feed=ACMEUSD&type=1&interval=90s',
]

test('behavior: bodies and the faults in the header are the same in whatever order they are asked for', () => {
  const ask = fc.record({ offset: fc.integer({ min: 0, max: RANGE }), pick: fc.nat(TARGETS.length - 1) })
  const pair = fc.tuple(...[0, 1].map(() => fc.constantFrom(...NAMES).chain(planned))) as fc.Arbitrary<Planned[]>
  const answersOf = (faults: readonly Planned[], feeds: object, asks: readonly { offset: number; pick: number }[]) => {
    const mock = createMock({
      clock: { at: NOW, frozen: true },
      feeds: feeds as never,
      policy: { candles: 20 },
      scenario: { faults: faults as never },
    })
    return asks.map(({ offset, pick }) => {
      mock.clock.set(NOW + offset)
      const target = TARGETS[pick]!
      const request = { method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 }
      const { outcome, entry } = mock.serve(request)!
      return [target, offset, replyOf({ outcome }).body, entry.faults.join(' ')].join(' ')
    })
  }
  check([feed, pair, fc.array(ask, { minLength: 2, maxLength: 5 })], 30, (definition, faults, asks) => {
    const feeds = { extends: 'none', feeds: [definition] }
    const backwards = answersOf(faults, feeds, asks.toReversed()).toReversed()
    expect(backwards).toEqual(answersOf(faults, feeds, asks))
  })
})

test('behavior: a fault that lives on in the level of another one is named by every answer, in whatever order', () => {
  const at = { feeds: ['BTCUSD'] }
  const mock = createMock({
    clock: { at: NOW, frozen: true },
    scenario: {
      faults: [
        { fault: 'market/shock', ...at, for: '10s' },
        { fault: 'market/flatline', ...at, from: '5s' },
      ],
    },
  })
  const faultsAt = (offset: number): readonly string[] => {
    mock.clock.set(NOW + offset)
    const request = { method: 'GET', target: '/prices/BTCUSD/latest', authorization: 'test-api-key', receivedAt: 0 }
    return mock.serve(request)!.entry.faults
  }
  expect([20, 30, 20].map(faultsAt)).toEqual(Array(3).fill(['market/shock', 'market/flatline']))
})

test('behavior: a fault that begins later changes nothing before, not even which of equal ticks is the highest', async () => {
  const answersOf = (faults: readonly object[]) => {
    const mock = createMock({ clock: { at: NOW, frozen: true }, scenario: { faults: faults as never } })
    return [45, 1200, 1990].flatMap(offset => {
      mock.clock.set(NOW + offset)
      return ['BTCUSD', 'TIAUSD'].map(id => {
        const target = `/prices/queryHistory?feedIds=${id}&minutes=20`
        const served = mock.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 })!
        return [replyOf(served).body, served.entry.faults.join(' ')]
      })
    })
  }
  for (const now of ['market/flatline', 'market/stale', 'market/shock', 'market/bad-tick'])
    for (const later of ['market/gap', 'market/stale', 'market/flatline', 'market/shock'])
      for (const times of [{}, { for: '30s', repeat: '30s' }, { for: '20s', repeat: '70s' }]) {
        const [first, second] = [
          { fault: now, ...times },
          { fault: later, from: '2000s' },
        ]
        expect(answersOf([first, second]), `${now} ${later}`).toEqual(answersOf([first]))
        expect(answersOf([second, first]), `${later} ${now}`).toEqual(answersOf([first]))
      }
})

describe('candles fold', () => {
  /** Candles of a feed of the catalogue at a second after the scenario was applied. */
  const candlesOf = (faults: readonly object[], at: number, id: string, interval: string, candles: number) => {
    const mock = createMock({
      clock: { at: NOW, frozen: true },
      policy: { candles },
      scenario: { faults: faults as never },
    })
    mock.clock.set(NOW + at)
    const target = `/charting/feeds-data?feedids=${id}&feed=${id}&type=1&interval=${interval}`
    const reply = replyOf(mock.serve({ method: 'GET', target, authorization: undefined, receivedAt: 0 }))
    return (JSON.parse(reply.body) as Chart).data.result
  }
  const GAPS = [
    { fault: 'market/gap', from: '10m', for: '100s', repeat: '17m' },
    { fault: 'market/gap', from: '2h', for: '70m' },
  ]
  const EACH: readonly (readonly [string, readonly object[]])[] = [
    ['gap', GAPS],
    ...NAMES.map(name => [name, [planExample(name)]] as const),
    ['gap and drift', [...GAPS, planExample('market/drift')]],
    ['stale and gap', [planExample('market/stale'), ...GAPS]],
    ['path and bad-tick and gap', [planExample('market/path'), planExample('market/bad-tick'), ...GAPS]],
  ]
  test.each(EACH)('behavior: 60 of a minute are one of an hour under %s', (_, faults) => {
    for (const id of ['BTCUSD', 'TIAUSD'])
      for (const at of [5 * 3600 + 123, 3 * 3600]) {
        const fine = candlesOf(faults, at, id, '1m', 360)
        const coarse = candlesOf(faults, at, id, '1h', 5)
        for (const hour of coarse) {
          const parts = fine.filter(({ time }) => time >= hour.time && time < hour.time + 3_600_000)
          const hundredths = parts.reduce((sum, { volume }) => sum + Math.round(volume * 100), 0)
          expect({ ...hour, avg: 0, volume: Math.round(hour.volume * 100) }).toEqual({
            time: hour.time,
            open: parts[0]!.open,
            high: Math.max(...parts.map(({ high }) => high)),
            low: Math.min(...parts.map(({ low }) => low)),
            close: parts.at(-1)!.close,
            avg: 0,
            volume: hundredths,
          })
        }
        // An hour is there when one of its minutes is.
        const hours = new Set(fine.map(({ time }) => time - (time % 3_600_000)))
        for (const hour of [...hours].slice(-4)) expect(coarse.map(({ time }) => time)).toContain(hour)
      }
  })
  test('behavior: an hour of nothing but gap is absent, an hour that has a minute is not', () => {
    const faults = [{ fault: 'market/gap', feeds: ['BTCUSD'], from: '1h', for: '150m' }]
    const times = candlesOf(faults, 6 * 3600, 'BTCUSD', '1h', 7).map(({ time }) => (time / 1000 - NOW) / 3600)
    const calm = candlesOf([], 6 * 3600, 'BTCUSD', '1h', 7).map(({ time }) => (time / 1000 - NOW) / 3600)
    expect(times).toEqual(calm.filter(hour => !(hour >= 1 && hour + 1 <= 3.5)))
    expect(times).toHaveLength(calm.length - 2)
  })
})

function planExample(name: string): object {
  const options: Readonly<Record<string, object>> = {
    'market/stale': { age: '20m' },
    'market/price': { price: 100, over: '20m' },
    'market/path': {
      points: [
        { at: '1m', price: 100 },
        { at: '30m', price: 1000 },
      ],
    },
    'market/closed': { closes: 'thu 11:30', opens: 'thu 12:30' },
  }
  return {
    fault: name,
    feeds: ['BTCUSD', 'TIAUSD'],
    from: '7m',
    for: '50m',
    repeat: '80m',
    options: options[name] ?? faultOf(name).example ?? {},
  }
}

const FEEDS = catalogueFeeds()
const feedOf = (id: string): Feed => FEEDS.find(one => one.id === id)!
/** A path that counts how often its extremes are searched. */
function counting(path: PricePath): { path: PricePath; count: () => number } {
  let calls = 0
  const extremes: PricePath['extremes'] = (from, to) => {
    calls++
    return path.extremes(from, to)
  }
  return { path: { ...path, extremes }, count: () => calls }
}
const EVER: Window = { from: 0, until: Number.POSITIVE_INFINITY }
const driftBy = (change: number, per: number): PriceTransform =>
  scaledBy(passed => Math.min(100, Math.max(0.01, 1 + (change * passed) / per)))
const when = (windows: Windows, feed: Feed): TransformedPath => ({ windows, feed, appliedAt: NOW })

/** Ways to wrap the path of a feed whose windows begin a thousand seconds after the present. */
const WRAPS: readonly (readonly [string, (path: PricePath, feed: Feed) => PricePath])[] = [
  [
    'a drift',
    (path, feed) => transformedPath(path, when(repeatedWindows(NOW + 1000, [EVER]), feed), driftBy(0.01, 3600)),
  ],
  [
    'a drift down',
    (path, feed) => transformedPath(path, when(repeatedWindows(NOW + 1000, [EVER]), feed), driftBy(-0.02, 86_400)),
  ],
  [
    'a slide',
    (path, feed) => transformedPath(path, when(repeatedWindows(NOW + 1000, [EVER]), feed), rampTo(0.88, 40_000)),
  ],
  [
    '10,000 shocks',
    (path, feed) =>
      transformedPath(path, when(repeatedWindows(NOW + 1000, [{ from: 0, until: 3 }], 8), feed), rampTo(1.0002)),
  ],
  [
    '10,000 slides that begin and end between ticks',
    (path, feed) =>
      transformedPath(path, when(repeatedWindows(NOW + 1001, [{ from: 0, until: 6 }], 7), feed), rampTo(0.999, 5)),
  ],
  [
    'a flat line in each of 10,000 windows',
    (path, feed) =>
      transformedPath(path, when(repeatedWindows(NOW + 1000, [{ from: 0, until: 5 }], 8), feed), alongLevels(path, [])),
  ],
  ['10,000 gaps', path => withoutTicks(path, repeatedWindows(NOW + 1000, [{ from: 0, until: 5 }], 8), 'hole')],
  [
    'a drift without the ticks of 10,000 windows, drifting back',
    (path, feed) => {
      const drifting = transformedPath(path, when(repeatedWindows(NOW + 1000, [EVER]), feed), driftBy(0.01, 3600))
      const thinned = withoutTicks(drifting, repeatedWindows(NOW, [{ from: 0, until: 3 }], 8), 'carry')
      return transformedPath(thinned, when(repeatedWindows(NOW + 40_000, [EVER]), feed), driftBy(-0.01, 3600))
    },
  ],
]

describe('over long windows', () => {
  test.each(WRAPS)('behavior: the extremes of a day are those of all its ticks, under %s', (_, wrap) => {
    for (const id of ['BTCUSD', 'TIAUSD']) {
      const one = feedOf(id)
      const path = wrap(createFeedPath('7', one), one)
      const [from, to] = [NOW - 777, NOW - 777 + 86_400]
      const { high, low } = everyTick(path, from, to)!
      const found = path.extremes(from, to)!
      expect([found.high.price, found.low.price], id).toEqual([high.price, low.price])
      for (const { ts, price } of [found.high, found.low]) {
        expect(path.lastTick(ts)).toBe(ts)
        expect(path.at(ts)).toBe(price)
      }
    }
  })

  const YEAR = 31_536_000
  it.each([
    [0.01, 3600],
    [-0.01, 3600],
    [0.1, 3600],
    [0.001, 3600],
    [1e-4, 3600],
    [0.1, 86_400],
    [-0.1, 86_400],
    [100, 604_800],
  ])('behavior: a drift of %d per %d s costs some hundred searches, for an hour, a day and a year', (change, per) => {
    for (const id of ['BTCUSD', 'USDTUSD', 'EURUSD', 'TIAUSD'])
      for (const length of [3600, 86_400, YEAR]) {
        const { path, count } = counting(createFeedPath('7', feedOf(id)))
        const drifting = transformedPath(path, when(repeatedWindows(NOW, [EVER]), feedOf(id)), driftBy(change, per))
        drifting.extremes(NOW - 1000, NOW + length)
        expect(count(), `${id} ${length}`).toBeLessThan(400)
      }
  })

  it('behavior: 100,000 windows in a year cost some hundred searches, not a few each', () => {
    const windows = repeatedWindows(NOW, [{ from: 0, until: 100 }], 300)
    const base = createFeedPath('7', feedOf('BTCUSD'))
    for (const wrap of [
      (path: PricePath) => transformedPath(path, when(windows, feedOf('BTCUSD')), rampTo(1.2, 70)),
      (path: PricePath) => transformedPath(path, when(windows, feedOf('BTCUSD')), alongLevels(path, [])),
      // It ends before it gets there.
      (path: PricePath) =>
        transformedPath(path, when(windows, feedOf('BTCUSD')), alongLevels(path, [{ at: 200, price: 1e12 }])),
      (path: PricePath) => withoutTicks(path, windows, 'hole'),
    ]) {
      const { path, count } = counting(base)
      wrap(path).extremes(NOW, NOW + YEAR)
      expect(count()).toBeLessThan(1000)
    }
  })

  it('behavior: many faults on one feed cost a multiple, not a power', () => {
    const { path, count } = counting(createFeedPath('7', feedOf('BTCUSD')))
    let many = path
    for (let i = 0; i < 12; i++)
      many = transformedPath(
        many,
        when(repeatedWindows(NOW + i, [EVER]), feedOf('BTCUSD')),
        driftBy(i % 2 ? -0.01 : 0.01, 3600),
      )
    many.extremes(NOW, NOW + 3600)
    expect(count()).toBeLessThan(50_000)
  })
})
