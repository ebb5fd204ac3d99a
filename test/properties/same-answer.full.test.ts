// The same request gets the same answer under market faults, however often it is asked and whatever else was asked before, also at
// the limit of its work.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stageOf } from '../../src/faults/fault.js'
import { FAULTS } from '../../src/faults/index.js'
import { createMock, type Mock, ownScenario } from '../../src/index.js'
import type { Served } from '../../src/mock.js'
import type { RunInTurns } from '../../src/service/market-stage.js'
import type { Duration } from '../../src/settings/time.js'
import { plannedFault } from '../support/arbitrary-scenario.js'
import { check } from '../support/seed.js'

const AT = '2025-07-24T10:48:25Z'
const chart = (feed: string, interval: string): string =>
  `/charting/feeds-data?feedids=${feed}&feed=${feed}&type=1&interval=${interval}`

const start = (faults: readonly object[], candles: number, advance: Duration): Mock<never> => {
  const mock = createMock({
    clock: { at: AT, frozen: true },
    scenario: ownScenario({ faults: faults as never }),
    policy: { candles },
  })
  mock.clock.advance(advance)
  return mock
}

/** Asks once, without what a reply says of its number. */
function ask(mock: Mock<never>, target: string, run: RunInTurns = (_session, _lookUps, step) => step()) {
  const request = { method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 }
  const { outcome, entry } = mock.serve(request, undefined, run) as Served
  if (outcome.kind !== 'reply') throw new Error('Market faults break no connection.')
  return { status: outcome.status, body: outcome.body, faults: entry.faults }
}

const lookUpFirst: RunInTurns = (_session, lookUps, step) => {
  const made = lookUps?.()
  while (made?.makeNext());
  return step(made)
}

test('behavior: a request that met the limit meets it again', () => {
  const faults = [{ fault: 'market/gap', for: '9s', repeat: '10s' }]
  for (const target of [chart('BTCUSD', '1h'), chart('FILUSD', '4h')]) {
    const mock = start(faults, 300, '14d')
    const statuses = Array.from({ length: 3 }, () => ask(mock, target).status)
    expect(new Set(statuses).size, statuses.join()).toBe(1)
  }
})

test('behavior: a feed whose ticks all fall into a repeating gap costs little', () => {
  // FILUSD ticks every 16 seconds, and the one free second in ten is an odd one.
  const mock = start([{ fault: 'market/gap', for: '9s', repeat: '10s' }], 300, '11d')
  expect(ask(mock, '/prices/FILUSD/latest').status).toBe(404)
  for (const interval of ['1s', '1m', '1h', '1w']) expect(ask(mock, chart('FILUSD', interval)).status).toBe(200)
})

/** Repetitions that make some requests too costly. */
const times = fc.constantFrom({}, { for: '9s', repeat: '10s' }, { for: '30s', repeat: '1m' })
const marketFault = fc
  .constantFrom(...FAULTS.filter(one => stageOf(one) === 'market'))
  .chain(plannedFault)
  .map(({ feeds: _, ...planned }: { feeds?: unknown; fault: string }) => planned)
const fault = fc.tuple(marketFault, times).map(([planned, times]) => ({ ...planned, ...times }))
const feed = fc.constantFrom('BTCUSD', 'SOLUSD', 'PEPEUSD', 'USDCUSD', 'EURUSD', 'FILUSD', 'WBTCUSD')
const target = fc.oneof(
  fc.tuple(feed, fc.constantFrom('1s', '1m', '1h', '4h', '1d', '1w')).map(([id, interval]) => chart(id, interval)),
  fc
    .tuple(fc.uniqueArray(feed, { minLength: 1 }), fc.constantFrom(1, 60, 525_600))
    .map(([ids, minutes]) => `/prices/queryHistory?feedIds=${ids}&minutes=${minutes}`),
  fc.uniqueArray(feed, { minLength: 1 }).map(ids => `/prices/batch?feedIds=${ids}`),
)

test('behavior: one fault that does not repeat is never refused for usual requests', () => {
  const some = fc.uniqueArray(feed, { minLength: 7 }).map(ids => [...ids, 'ETHUSD', 'XAUUSD', 'WSTETHUSD'])
  const usual = fc.oneof(
    fc.tuple(feed, fc.constantFrom('1m', '1h', '1d', '1w')).map(([id, interval]) => chart(id, interval)),
    some.map(ids => `/prices/queryHistory?feedIds=${ids}&minutes=525600`),
  )
  check([marketFault, fc.constantFrom('10s', '1h', '14d', '300d'), usual], [30, 300], (planned, advance, target) => {
    const { for: length, repeat: _, ...fault } = planned as { for?: string; repeat?: string }
    let mock: Mock<never>
    try {
      mock = start([length === undefined ? fault : { ...fault, for: length }], 300, advance)
    } catch {
      return
    }
    expect(ask(mock, target).status).not.toBe(503)
  })
})

test('behavior: five times on a new mock, with look-ups before the answer, and on one that answered others before', () => {
  check(
    [
      fc.array(fault, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(30, 300, 2000),
      fc.constantFrom('10m', '1d', '11d'),
      target,
      fc.array(target, { minLength: 1, maxLength: 3 }),
    ],
    [8, 100],
    (faults, candles, advance, target, others) => {
      let mock: Mock<never>
      try {
        mock = start(faults, candles, advance)
      } catch {
        // Times or prices that do not fit each other.
        return
      }
      const first = ask(mock, target)
      for (let i = 1; i < 5; i++) expect(ask(mock, target)).toEqual(first)
      const warm = start(faults, candles, advance)
      for (const other of others) ask(warm, other)
      warm.clock.advance('1h')
      ask(warm, target)
      warm.clock.advance(-3600)
      for (let i = 0; i < 5; i++) expect(ask(warm, target)).toEqual(first)
      expect(ask(start(faults, candles, advance), target, lookUpFirst)).toEqual(first)
    },
  )
})
