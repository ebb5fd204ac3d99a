// Look-ups that a host makes before an answer. The answer does not show them: neither its bytes nor the journal, the counters or the
// faults.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { replyOf } from '../../test/support/ask.js'
import { LATEST, requestOf } from '../../test/support/calls.js'
import { check } from '../../test/support/seed.js'
import { createMock, type Mock, ownScenario } from '../index.js'
import type { Served } from '../mock.js'
import type { ServiceRequest } from './request.js'

const AT = '2025-07-24T10:48:25Z'
const HISTORY = '/prices/queryHistory?feedIds=BTCUSD,ETHUSD,SOLUSD,WSTETHUSD,EURUSD&minutes=90'
const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=5m'

/** Serves a request after some of its look-ups, by default all. */
function serve(mock: Mock<never>, target: string, most = Number.POSITIVE_INFINITY, beforeAnswer = () => {}) {
  let made = 0
  const served = mock.serve(requestOf(target), undefined, (_session, start, step) => {
    const lookUps = start?.()
    while (made < most && lookUps?.makeNext()) made++
    beforeAnswer()
    return step(lookUps)
  })
  const { outcome, counters, entry } = served as Served
  return { made, answer: { outcome, counters, entry } }
}
const start = (faults: readonly object[] = [], prices: Readonly<Record<string, number>> = {}): Mock<never> => {
  const mock = createMock({
    realTime: () => 0,
    clock: { at: AT, frozen: true },
    policy: { candles: 30 },
    ...(faults.length > 0 ? { scenario: ownScenario({ faults: [...faults] as never }) } : {}),
  })
  if (Object.keys(prices).length > 0) mock.change({ prices })
  mock.clock.advance('50m')
  return mock
}

it('default: one look-up a step, of a feed or of a candle', () => {
  expect(serve(start(), HISTORY).made).toBe(5)
  expect(serve(start(), CHART).made).toBe(30)
  expect(serve(start(), LATEST).made).toBe(0)
})

it('behavior: those of the interval that a fault shows', () => {
  const chart = CHART.replace('5m', '52w')
  expect(serve(start(), chart).made).toBe(30)
  // A candle of a century.
  expect(serve(start([{ fault: 'series/other-interval', options: { factor: 100 } }]), chart).made).toBe(1)
})

it('behavior: that of the feed that a fault adds', () => {
  expect(serve(start([{ fault: 'tick/extra-feed' }]), HISTORY).made).toBe(6)
})

it('behavior: the answer is the one without them, whatever happens in the market and however many are made', () => {
  const times = { from: '10m', for: '4m', repeat: '7m' }
  const faults = [
    { fault: 'market/drift', ...times },
    { fault: 'market/shock', feeds: ['BTCUSD'], from: '20m', for: '5m', options: { change: -0.25 } },
    { fault: 'market/gap', feeds: ['BTCUSD', 'ETHUSD'], ...times },
    { fault: 'market/stale', feeds: ['SOLUSD'], from: '2m' },
    { fault: 'market/gap', feeds: ['EURUSD'] },
    { fault: 'tick/ts-backwards', chance: 0.5 },
    { fault: 'signature/tampered-price', chance: 0.5 },
    { fault: 'series/null-values', chance: 0.5 },
    { fault: 'series/other-interval', chance: 0.5 },
    { fault: 'reply/status', chance: 0.3, options: { status: 503 } },
  ]
  check(
    [
      fc.subarray(faults),
      fc.constantFrom<Record<string, number>[]>({}, { BTCUSD: 40_000 }),
      fc.array(fc.tuple(fc.constantFrom(HISTORY, CHART, LATEST), fc.nat(40)), { minLength: 1, maxLength: 5 }),
    ],
    [60, 400],
    (faults, prices, targets) => {
      const [plain, inSteps] = [start(faults, prices), start(faults, prices)]
      for (const [target, most] of targets) {
        const { outcome, counters, entry } = plain.serve(requestOf(target))!
        const { answer } = serve(inSteps, target, most)
        expect(answer).toEqual({ outcome, counters, entry })
      }
    },
  )
})

it('behavior: an answer that is cached, or refused, needs none', () => {
  const mock = start()
  expect([1, 2, 3].map(() => serve(mock, HISTORY).made)).toEqual([5, 5, 0])
  const madeFor = (change: Partial<ServiceRequest>): boolean =>
    mock.sessions.default.lookUps({ ...requestOf(HISTORY), receivedAt: 5000, target: `${HISTORY}1`, ...change }) !==
    undefined
  expect([{}, { authorization: 'wrong' }, { method: 'PUT' }].map(madeFor)).toEqual([true, false, false])
  for (const target of [HISTORY.replace('minutes=90', 'minutes=x'), CHART.replace('feed=btcusd', 'feed=nope')])
    expect(serve(mock, target).made).toBe(0)
})

it('error: SCENARIO_TOO_COSTLY for all look-ups together, before the answer and in it', () => {
  const year = HISTORY.replace('=90', '=525600')
  const faults = Array.from({ length: 4 }, (_, i) => ({ fault: 'market/drift', repeat: `${3600 + i}s`, for: '900s' }))
  const [plain, inSteps] = [start(faults), start(faults)]
  for (const mock of [plain, inSteps]) mock.clock.advance('300d')
  for (const feed of ['BTCUSD', 'EURUSD']) {
    const { status } = replyOf(plain.serve(requestOf(year.replace(/feedIds=[^&]+/, `feedIds=${feed}`)))!)
    expect(status).toBe(200)
  }
  const { answer } = serve(inSteps, year)
  expect(replyOf(answer)).toMatchObject({ status: 503, body: expect.stringContaining('SCENARIO_TOO_COSTLY') })
  expect(answer.outcome).toEqual(plain.serve(requestOf(year))!.outcome)
})

it('behavior: a request whose session is changed after its look-ups is answered by the changed one', () => {
  for (const change of [{ prices: { BTCUSD: 12_345 } }, { clock: { advance: '90m' } }] as const) {
    const [mock, changed] = [start(), start()]
    const { answer } = serve(mock, HISTORY, 3, () => mock.change(change))
    changed.change(change)
    expect(answer.outcome).toEqual(changed.serve(requestOf(HISTORY))!.outcome)
  }
})
