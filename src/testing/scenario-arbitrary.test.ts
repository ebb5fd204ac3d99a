// Random scenarios: all of them are valid, and a failing one shrinks to its cause.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { check } from '../../test/support/seed.js'
import { createMock } from '../index.js'
import type { InlineScenario } from '../scenario-input.js'
import { scenarioArbitrary } from './testing.js'

const mock = createMock({ clock: { at: '2025-07-24T10:48:25Z', frozen: true } })

it('default: every scenario is valid', () => {
  check([scenarioArbitrary(fc, { feeds: ['BTCUSD', 'ETHUSD'] })], scenario => mock.setScenario(scenario))
})

it.each([42, 1, 2, 3, 4, 5, 6, 7])('behavior: a failure shrinks to one fault from the start: seed %i', seed => {
  const arbitrary: fc.Arbitrary<InlineScenario> = scenarioArbitrary(fc, { seconds: 100, maxFaults: 5 })
  const property = fc.property(arbitrary, ({ faults }) => faults.every(({ fault }) => fault !== 'tick/zero'))
  const { counterexample } = fc.check(property, { seed, numRuns: 1000 })
  expect(counterexample).toEqual([{ faults: [{ fault: 'tick/zero', for: '1s' }] }])
})

it.each([
  [{ endpont: ['latest'] }, 'endpont'],
  [{ endpoints: ['latset'] }, 'endpoints[0]'],
  [{ endpoints: [] }, 'endpoints'],
  [{ feeds: 'BTCUSD' }, 'feeds', 'a list of ids of feeds'],
  [{ seconds: 59.5 }, 'seconds'],
  [{ seconds: 1e9 }, 'seconds'],
  [{ maxFaults: 0 }, 'maxFaults'],
  [{ maxFaults: 101 }, 'maxFaults'],
])('error: %o', (options, at, want = expect.any(String)) => {
  expect(() => scenarioArbitrary(fc, options as never)).toThrow(
    expect.objectContaining({ code: 'OPTIONS_INVALID', problems: [expect.objectContaining({ at, want })] }),
  )
})

it('args: faults of one endpoint, and of some feeds', () => {
  const arbitrary = scenarioArbitrary(fc, { endpoints: ['candles'], feeds: ['BTCUSD', 'ETHUSD'] })
  const faults = fc.sample(arbitrary, { seed: 42, numRuns: 50 }).flatMap(scenario => scenario.faults)
  expect(faults.filter(({ fault }) => /^(tick|signature)/.test(fault))).toEqual([])
  const latest = fc.sample(scenarioArbitrary(fc, { endpoints: ['latest'] }), { seed: 42, numRuns: 500 })
  expect(latest.flatMap(({ faults }) => faults).some(({ fault }) => fault.startsWith('series/'))).toBe(false)
  expect([...new Set(faults.map(({ feeds = [] }) => feeds.join()))].sort()).toEqual(['', 'BTCUSD', 'ETHUSD'])
})

it('error: options in the place of fast-check', () => {
  expect(() => scenarioArbitrary({ endpoints: ['latest'] } as never)).toThrow(
    expect.objectContaining({ code: 'OPTIONS_INVALID', problems: [expect.objectContaining({ at: 'fc' })] }),
  )
})

it('args: a window begins before the end of the run', () => {
  const shortest = fc.sample(scenarioArbitrary(fc, { seconds: 2 }), { seed: 42, numRuns: 100 })
  const begins = new Set(shortest.flatMap(({ faults }) => faults.map(({ from }) => from)))
  expect(begins).toEqual(new Set([undefined, '1s']))
})

it('args: the longest run, and the most faults', () => {
  const arbitrary = scenarioArbitrary(fc, { seconds: 999_999_999, maxFaults: 100 })
  for (const scenario of fc.sample(arbitrary, { seed: 42, numRuns: 50 })) mock.setScenario(scenario)
})
