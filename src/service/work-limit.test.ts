// The limit on the market's work for one request: work is counted, so these tests do not depend on the machine.
import { describe, expect, it } from 'vitest'
import { replyOf } from '../../test/support/ask.js'
import { createMock, type MockOptions, ownScenario } from '../index.js'
import { createFeedPath } from '../market/feed-path.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { scaledBy } from '../market/levels.js'
import { overriddenPath } from '../market/overridden.js'
import { transformedPath } from '../market/price-transform.js'
import { repeatedWindows } from '../market/windows.js'
import type { Duration } from '../settings/time.js'
import {
  comparedWork,
  createWorkMeter,
  MAX_WORK,
  messageWork,
  meteredPath,
  meteredSurge,
  meteredVolume,
  repeatedWork,
  rowsWork,
  viewWork,
} from './work-limit.js'

const AT = '2025-07-24T10:48:25Z'
const NOW = 1_753_354_105
const feeds = catalogueFeeds()
const TWENTY = feeds.slice(0, 20).map(({ id }) => id)
const YEAR = `/prices/queryHistory?feedIds=${TWENTY.join(',')}&minutes=525600`
const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1h'
const gaps = Array.from({ length: 100 }, (_, i) => ({ fault: 'market/gap', from: `${i * 10 + 10}s`, for: '5s' }))

function ask(options: MockOptions, target: string, advance: Duration = '300d') {
  const mock = createMock({ clock: { at: AT, frozen: true }, ...options })
  mock.clock.advance(advance)
  const request = { method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 }
  const served = mock.serve(request)!
  return { mock, served, request, reply: replyOf(served) }
}

describe('createWorkMeter', () => {
  it('default: throws beyond the limit, and counts anew for each request', () => {
    const { spend, start, stop } = createWorkMeter(3)
    start(0)
    spend(MAX_WORK)
    expect(() => spend(1)).toThrow(expect.objectContaining({ code: 'SCENARIO_TOO_COSTLY' }))
    start(0)
    expect(() => spend(MAX_WORK)).not.toThrow()
    stop()
    expect(() => spend(2 * MAX_WORK)).not.toThrow()
  })

  it('behavior: look-ups that continue a request count together with those before', () => {
    const meter = createWorkMeter(3)
    meter.start(0)
    meter.spend(MAX_WORK - 1)
    const { spent } = meter
    meter.stop()
    meter.start(spent)
    expect(() => meter.spend(2)).toThrow(expect.objectContaining({ code: 'SCENARIO_TOO_COSTLY' }))
    meter.stop()
    meter.start(0)
    expect(() => meter.spend(2)).not.toThrow()
  })
})

it('error: the message names the cause', () => {
  const meter = createWorkMeter(0, 2, 5)
  meter.start(5)
  expect(() => meter.spend(0.25)).toThrowErrorMatchingInlineSnapshot(`
    [ScenarioTooCostlyError: The price changes make this request too costly.
      at    faults
      got   "0 faults and 2 price changes" (string)
      want  fewer overlapping faults, price changes, feeds, minutes or candles, a longer "repeat", or a later start
      docs  price-feed-mock/docs/scenarios.md
      code  SCENARIO_TOO_COSTLY]
  `)
})

it('behavior: each look-up has the same units on every machine', () => {
  const shock = (hour: number) => ({ fault: 'market/shock', from: `${hour}h`, options: { change: 0.1 } })
  const unitsOf = (hours: readonly number[]) => {
    const { mock } = ask({ scenario: { faults: hours.map(shock) } as never }, CHART)
    const { stage, market } = mock.sessions.default.runtime
    const [feed, now] = [market.feed('BTCUSD')!, NOW + 300 * 86_400]
    return [
      () => stage.latest(feed, now),
      () => stage.path(feed).nextTick(now),
      () => stage.path(feed).extremes(now - 600, now),
      () => stage.path(feed).extremes(now - 31_536_000, now),
      () => stage.path(feed).holes(now - 86_400, now),
    ].map(lookUp => {
      const work = { units: 0 }
      stage.track<unknown>(lookUp, work)
      return work.units
    })
  }
  expect([[], [1], [1, 2, 3]].map(unitsOf)).toEqual([
    [0, 0, 0, 0, 0],
    [0.3125, 0.15625, 16, 555, 1.5],
    [0.4375, 0.21875, 18, 1841, 4.5],
  ])
  expect([messageWork(49, false), messageWork(49, true), rowsWork(300), comparedWork(512)]).toEqual([
    3.0625, 503.0625, 450, 18,
  ])
  expect([repeatedWork(3200, 0), repeatedWork(3200, 32), viewWork(0, 0), viewWork(2, 5)]).toEqual([164, 264, 24, 66])
})

it('behavior: meteredPath: every split of a part counts, by the number of layers', () => {
  const work = [0, 3].map(layers => {
    let spent = 0
    const path = meteredPath(createFeedPath('42', feeds[0]!), layers, { spend: units => void (spent += units) })
    const parts = path.parts(NOW - 86_400, NOW)
    const before = spent
    path.onSplit!(parts.find(({ split }) => split !== undefined)!)
    return spent - before
  })
  expect(work).toEqual([0.875, 2.375])
})

it('behavior: a chart under an override asks the path below for prices only, not for exact seconds', () => {
  const found = { high: { price: 2, ts: 5 }, low: { price: 1, ts: 4 } }
  const extremes = (_from: number, _to: number, anyTick?: boolean) => (anyTick ? found : undefined)
  const base = { ...createFeedPath('42', feeds[0]!), extremes }
  let spent = 0
  expect(meteredPath(base, 1, { spend: units => void (spent += units) }).extremes(0, 100, true)).toBe(found)
  expect(spent).toBeGreaterThan(0)
})

describe('meteredVolume and meteredSurge', () => {
  it('default: every look-up counts', () => {
    let spent = 0
    const meter = { spend: (units: number) => void (spent += units) }
    const volume = meteredVolume({ between: (from, to) => to - from }, meter)
    expect([volume.between(3, 10), spent]).toEqual([7, 2])
    expect([meteredSurge(passed => 2 * passed, meter)(4, 0), spent]).toEqual([8, 2.25])
  })

  it('behavior: thirty faults that stop ticks one after the other are not too costly', () => {
    const faults = Array.from({ length: 30 }, (_, i) => ({
      fault: 'market/stale',
      from: `${i * 60 + 10}s`,
      for: '20s',
    }))
    expect(ask({ scenario: ownScenario({ faults }) }, CHART, '1h').reply.status).toBe(200)
  })
})

describe('the work of a search', () => {
  const feed = feeds[0]!
  /** Units of the high and low of some days under a drift that repeats every four minutes. */
  const workOf = (days: number): number => {
    let spent = 0
    const base = meteredPath(createFeedPath('42', feed), 1, { spend: units => void (spent += units) })
    const windows = repeatedWindows(NOW - days * 86_400, [{ from: 0, until: 60 }], 240)
    const factor = scaledBy(passed => 1 + passed / 1000)
    transformedPath(base, { windows, appliedAt: NOW - days * 86_400, feed }, factor).extremes(NOW - days * 86_400, NOW)
    return spent
  }

  it('behavior: it does not grow with the number of repetitions', () => {
    expect(workOf(1)).toBeGreaterThan(0)
    expect(workOf(256) / workOf(1)).toBeLessThan(20)
  })
})

it('behavior: a search for times without a price counts, by the number of layers', () => {
  let spent = 0
  const path = meteredPath(createFeedPath('42', feeds[0]!), 20, { spend: units => void (spent += units) })
  path.holes(NOW - 60, NOW)
  expect(spent).toBe(30)
})

describe('the work of price changes and signatures', () => {
  const feed = feeds[0]!
  /** Units of the high and low of a year under some price changes. */
  const workOf = (count: number): number => {
    let spent = 0
    const base = meteredPath(createFeedPath('42', feed), 1, { spend: units => void (spent += units) })
    const overrides = Array.from({ length: count }, (_, i) => ({
      from: NOW - 6000 * (count - i),
      factor: 1 + (i % 7) / 1000,
    }))
    overriddenPath(base, overrides, feed).extremes(NOW - 31_536_000, NOW)
    return spent
  }

  it('behavior: five thousand price changes count, and take less than a hundred do one by one', () => {
    expect(workOf(1)).toBeGreaterThan(100)
    expect(workOf(5000)).toBeGreaterThan(workOf(1))
    expect(workOf(5000)).toBeLessThan(100 * workOf(1))
  })

  const replays = (count: number) => Array.from({ length: count }, () => ({ fault: 'signature/replay' }))
  const HISTORY = `/prices/queryHistory?feedIds=${feeds.map(({ id }) => id).join(',')}&minutes=5`

  it('error: a hundred faults that sign every price are too costly, one is not', () => {
    expect(ask({ scenario: ownScenario({ faults: replays(1) }) }, HISTORY).reply.status).toBe(200)
    const { reply } = ask({ scenario: ownScenario({ faults: replays(100) }) }, HISTORY)
    expect([reply.status, JSON.parse(reply.body).code]).toEqual([503, 'SCENARIO_TOO_COSTLY'])
  })
})

// The times of docs/scenarios.md, and up to 20 minutes more.
it.each([
  ['flash-crash', CHART, '3h', '200m'],
  ['lagging-replica', CHART, '270m', '290m'],
  ['degraded-replica', CHART, '270m', '290m'],
  ['signature-matrix', CHART, '330m', '350m'],
  ['staleness-limits', CHART.replace('1h', '1m'), '20m', '30m'],
  ['staleness-ladder', CHART.replace('1h', '1m'), '1h', '80m'],
] as const)('behavior: a built-in scenario with a loop makes candles too costly: %s', (scenario, chart, good, bad) => {
  const isTooCostly = (reply: string): boolean => reply.includes('SCENARIO_TOO_COSTLY')
  expect(isTooCostly(replyOf(ask({ scenario }, chart, good).served).body)).toBe(false)
  const { mock, reply, request } = ask({ scenario }, chart, bad)
  expect(isTooCostly(reply.body)).toBe(true)
  mock.setScenario(scenario)
  expect(isTooCostly(replyOf(mock.serve(request)!).body)).toBe(false)
})

describe('the reply to a request that is too costly', () => {
  const { reply, served, mock, request } = ask(
    { scenario: ownScenario({ faults: gaps }), policy: { candles: 2000 } },
    CHART,
  )

  it('error: the problem names the faults and says what to change', () => {
    expect(reply.status).toBe(503)
    expect(JSON.parse(reply.body)).toMatchObject({
      code: 'SCENARIO_TOO_COSTLY',
      problems: [{ at: 'faults', got: '100 faults', want: expect.stringMatching(/^fewer overlapping/) }],
    })
    expect(served.entry).toMatchObject({ endpoint: 'candles', status: 503, faults: [] })
    // The limit is for each request.
    expect(replyOf(mock.serve({ ...request, target: '/prices/BTCUSD/latest' })!).status).toBe(200)
  })

  it('behavior: explain gives the same reply', async () => {
    const target = `/_mock/explain?url=${encodeURIComponent(CHART)}`
    const explained = await mock.administer({ ...request, target, body: undefined }, { baseUrl: '', historyUrl: '' })
    expect(JSON.parse(replyOf({ outcome: explained }).body)).toMatchObject({ outcome: { status: 503 } })
  })

  it.each([
    ['a drift on twenty feeds over a year', [{ fault: 'market/drift', options: { change: 0.1, per: '30d' } }], YEAR],
    ['a drift that repeats, on twenty feeds', [{ fault: 'market/drift', for: '1m', repeat: '4m' }], YEAR],
    ['twenty gaps', gaps.slice(0, 20), CHART],
  ])('behavior: usual scenarios are answered: %s', (_, faults, target) => {
    expect(ask({ scenario: ownScenario({ faults }) }, target).reply.status).toBe(200)
  })
})

it('behavior: rowsWork: the candles that faults go through count', () => {
  const chartUnder = (count: number) =>
    ask(
      {
        policy: { candles: 2000 },
        scenario: ownScenario({
          faults: Array.from({ length: count }, (_, i) => ({ fault: 'series/late-revision', from: `${i + 1}s` })),
        }),
      },
      CHART,
    ).reply.status
  expect([chartUnder(10), chartUnder(100)]).toEqual([200, 503])
})
