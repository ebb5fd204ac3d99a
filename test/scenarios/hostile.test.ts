// Input that is no valid scenario is refused at every entry point, and the mock keeps its state.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFetch } from '../../src/hosts/fetch.js'
import { createMock } from '../../src/index.js'
import { restored } from '../../src/service/changes.js'
import { readSnapshot, takeSnapshot } from '../../src/service/snapshot.js'
import { scenario as arbitraryScenario } from '../support/arbitrary-scenario.js'
import { requestOf } from '../support/calls.js'
import { failureOf } from '../support/problem-paths.js'
import { PROPERTY_SEED } from '../support/seed.js'
import { AT, EACH, target } from './consumer.js'

const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = wrap(value)
  return value
}
const cyclic = (): Record<string, unknown> => {
  const fault: Record<string, unknown> = { fault: 'reply/status' }
  const scenario: Record<string, unknown> = { faults: [fault] }
  fault.options = { status: scenario }
  scenario.faults = [fault, scenario]
  return scenario
}
const LONG = 'x'.repeat(2_000_000)
const fault = (more: object, name = 'reply/status'): unknown => ({ faults: [{ fault: name, ...more }] })
const options = (more: object, name?: string): unknown => fault({ options: more }, name)

/** Invalid scenarios by their defect. */
const HOSTILE: Readonly<Record<string, () => unknown>> = {
  'objects 100,000 levels deep': () => ({ faults: [nested(100_000, inner => ({ faults: inner }))] }),
  'arrays 100,000 levels deep': () => ({ faults: nested(100_000, inner => [inner]) }),
  'options 100,000 levels deep': () => options({ status: nested(100_000, inner => [inner]) }),
  'a key of 2 MB': () => ({ faults: [], [LONG]: 1 }),
  'a title of 2 MB': () => ({ title: LONG, faults: [] }),
  'a fault of 2 MB': () => fault({}, LONG),
  'a feed of 2 MB': () => fault({ feeds: [LONG] }),
  'a duration of 2 MB': () => fault({ from: '9'.repeat(2_000_000) }),
  'requests of 2 MB': () => fault({ requests: '1,'.repeat(1_000_000) }),
  'a seed of 2 MB': () => ({ seed: LONG, faults: [] }),
  'ten thousand faults': () => ({ faults: Array.from({ length: 10_000 }, () => ({ fault: 'market/stale' })) }),
  'a hundred and one faults': () => ({ faults: Array.from({ length: 101 }, () => ({ fault: 'market/stale' })) }),
  'a hundred thousand feeds': () => fault({ feeds: Array.from({ length: 100_000 }, () => 'NOPE') }),
  'a list with holes': () => ({ faults: Array(3) }),
  '__proto__ in the whole': () => JSON.parse('{"faults": [], "__proto__": {"title": "x"}}'),
  '__proto__ in a fault': () => JSON.parse('{"faults": [{"fault": "reply/status", "__proto__": {"chance": 0}}]}'),
  '__proto__ in options': () =>
    JSON.parse('{"faults": [{"fault": "reply/status", "options": {"__proto__": {"status": 1}}}]}'),
  '__proto__ in the policy': () => JSON.parse('{"faults": [], "policy": {"__proto__": {"candles": 1}}}'),
  'constructor as a key': () => ({ faults: [], constructor: { prototype: {} } }),
  'constructor as an option': () => options({ constructor: 1 }),
  'the name of a method for a fault': () => fault({}, 'constructor'),
  'the name of a method for a feed': () => fault({ feeds: ['__proto__', 'toString', 'constructor'] }),
  'the name of a method for an endpoint': () => fault({ endpoints: ['toString'] }),
  'a cycle': cyclic,
  'a cycle as options': () => {
    const round: Record<string, unknown> = {}
    round.options = round
    return fault(round)
  },
  'a cycle as a policy': () => {
    const round: Record<string, unknown> = { faults: [] }
    round.policy = round
    return round
  },
  'NaN as a chance': () => fault({ chance: Number.NaN }),
  'Infinity as a chance': () => fault({ chance: Number.POSITIVE_INFINITY }),
  'a negative chance': () => fault({ chance: -0.1 }),
  'NaN as an option': () => options({ ms: Number.NaN }, 'reply/latency'),
  'Infinity as an option': () => options({ change: Number.POSITIVE_INFINITY }, 'market/shock'),
  'a huge number': () => options({ ms: 1e308 }, 'reply/latency'),
  'a huge integer': () => options({ limit: 2 ** 53 }, 'reply/rate-limit'),
  'a bigint': () => options({ status: 503n }),
  'a symbol': () => options({ status: Symbol('x') }),
  'a function': () => options({ status: () => 503 }),
  'a negative time': () => fault({ from: '-5s' }),
  'a time of zero': () => fault({ for: '0s' }),
  'a repetition of zero': () => fault({ for: '1s', repeat: '0s' }),
  'a loop of zero': () => ({ loop: '0s', faults: [] }),
  'a time without a unit': () => fault({ for: '5' }),
  'a time as a number': () => fault({ for: 5 }),
  'a time beyond all years': () => fault({ for: '9999999999w' }),
  'a clock beyond all years': () => ({ clock: { at: '9999-01-01T00:00:00Z' }, faults: [] }),
  'a clock of NaN': () => ({ clock: { at: Number.NaN }, faults: [] }),
  'a clock that is advanced': () => ({ clock: { advance: '1h' }, faults: [] }),
  'a key of the user': () => ({ apiKeys: ['secret'], faults: [] }),
  'a private key': () => ({ signerKeyUnsafe: 'a'.repeat(64), faults: [] }),
  'faults as an object': () => ({ faults: { 0: { fault: 'market/stale' }, length: 1 } }),
  'options as a list': () => fault({ options: [] }),
  'options as null': () => fault({ options: null }),
  'feeds as a text': () => fault({ feeds: 'BTCUSD' }),
  'no feeds at all': () => fault({ feeds: [] }),
  'requests from 0': () => fault({ requests: '0-3' }),
  'requests of none': () => fault({ requests: {} }),
  'requests of two kinds': () => fault({ requests: { first: 1, every: 2 } }),
  'nothing at all': () => ({}),
}

/** The status of a reply, which shows whether the scenario changed. */
const statusOf = (mock: ReturnType<typeof createMock>): number =>
  mock.serve(requestOf(target.latest('BTCUSD')))!.entry.status
const createServing = () => createMock({ clock: { at: AT, frozen: true }, scenario: 'unauthorized' })

describe.each(Object.entries(HOSTILE))('%s', (_, make) => {
  it('error: is refused by calls, with places and a short message', () => {
    const mock = createServing()
    const attempts = [
      () => mock.setScenario(make() as never),
      () => mock.sessions.create({ id: 'new', scenario: make() as never }, 0),
      () => createMock({ scenario: make() as never }),
      () => createMock({ scenarios: { own: make() } }),
      () => mock.scenarios.set('own', make()),
      () => mock.scenarios.set('calm', make()),
      () => {
        const snapshot = takeSnapshot(mock.sessions.default, 0)
        mock.sessions.default.run(
          restored(
            readSnapshot({ ...snapshot, scenario: { ...snapshot.scenario, source: make() } }, mock.sessions.default),
            0,
          ),
        )
      },
    ]
    for (const [i, attempt] of attempts.entries()) {
      const error = failureOf(attempt)
      expect(error.code, `${i}: ${String(error).slice(0, 300)}`).toBe('SCENARIO_INVALID')
      expect(error.problems.length).toBeGreaterThan(0)
      for (const { at, want } of error.problems.slice(0, 100))
        expect([typeof at, typeof want]).toEqual(['string', 'string'])
      // The input is not sent back. A place is reported in full, however long its key.
      expect(error.message.length).toBeLessThan(150_000)
    }
    expect(statusOf(mock)).toBe(401)
    expect(mock.sessions.size).toBe(1)
    expect(mock.scenarios.has('own')).toBe(false)
    mock.setScenario('calm')
    expect(statusOf(mock)).toBe(200)
  })
})

it('error: hostile JSON is refused over HTTP as well', async () => {
  const mock = createServing()
  const fetch = createFetch(mock)
  for (const [name, make] of Object.entries(HOSTILE)) {
    // JSON cannot express these, or they mean something else there.
    if (/cycle|NaN|Infinity|bigint|symbol|function|deep|__proto__|holes/.test(name)) continue
    const json = JSON.stringify({ scenario: make() })
    for (const [method, path] of [
      ['PATCH', '/_mock/sessions/default'],
      ['POST', '/_mock/sessions'],
    ] as const) {
      const response = await fetch(`http://mock${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: json,
      })
      const problem = (await response.json()) as { code: string; problems: object[] }
      // A list that is too long for any body is refused before it is read as a scenario.
      const code = name === 'a hundred thousand feeds' ? 'REQUEST_INVALID' : 'SCENARIO_INVALID'
      expect([response.status, problem.code], name).toEqual([400, code])
      expect(JSON.stringify(problem).length, name).toBeLessThan(150_000)
    }
  }
  for (const faults of ['['.repeat(100_000) + ']'.repeat(100_000), '[{"fault": "reply/status", "__proto__": {}}]']) {
    const response = await fetch('http://mock/_mock/sessions/default', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: `{"scenario": {"faults": ${faults}}}`,
    })
    expect(response.status, faults.slice(0, 50)).toBe(400)
  }
  expect(statusOf(mock)).toBe(401)
  expect(mock.sessions.size).toBe(1)
})

it.each([
  ['null', null],
  ['a number', 5],
  ['a list', []],
  ['true', true],
])('error: %s is no scenario', (_, scenario) => {
  const mock = createServing()
  expect(failureOf(() => mock.setScenario(scenario as never)).code).toBe('SESSION_INVALID')
  expect(failureOf(() => createMock({ scenario: scenario as never })).code).toMatch(/^(SCENARIO|CONFIG)_INVALID$/)
  expect(statusOf(mock)).toBe(401)
})

it.each(['../x', '..', 'a/b', '/etc/passwd', 'a\0b', '%2e%2e', 'x'.repeat(10_000_000), '', ' calm', 'calm\n'])(
  'error: a name that is a path or worse is unknown',
  name => {
    const mock = createServing()
    for (const attempt of [
      () => mock.setScenario(name as never),
      () => createMock({ scenario: name as never }),
      () => mock.sessions.create({ scenario: name }, 0),
    ])
      expect(failureOf(attempt).code).toBe('SCENARIO_UNKNOWN')
    expect(failureOf(() => mock.scenarios.set(name, { title: 't', why: 'w', faults: [] })).code).toBe(
      'SCENARIO_INVALID',
    )
    expect(statusOf(mock)).toBe(401)
  },
)

it.each(['..%2Fx', '%2e%2e%2Fx', 'a%2Fb', 'a%00b', 'stale%20btc', '%zz', 'x'.repeat(3000), '..;', '{name}'])(
  'error: /scenario/%s/… is unknown, and creates no session',
  async name => {
    const mock = createServing()
    const request = { ...requestOf(`/scenario/${name}${target.latest('BTCUSD')}`), authorization: undefined }
    expect(mock.serve(request)).toBeUndefined()
    const { status, headers } = await mock.administer(request, { baseUrl: 'http://mock', historyUrl: 'http://mock' })
    expect([400, 404]).toContain(status)
    expect(headers).toContain('application/problem+json; charset=utf-8')
    expect(mock.sessions.size).toBe(1)
  },
)

it('behavior: with any accepted scenario every endpoint answers, and the snapshot can be restored', () => {
  const TARGETS = [...EACH, target.chart('ETHUSD', '1d'), target.latest('NOPE'), target.history(1, 'SOLUSD', 'PEPEUSD')]
  let accepted = 0
  for (const scenario of fc.sample(arbitraryScenario, { seed: PROPERTY_SEED, numRuns: 150 })) {
    const mock = createMock({ clock: { at: AT, frozen: true }, policy: { candles: 10 } })
    try {
      mock.setScenario(scenario as never)
    } catch (error) {
      expect(error).toMatchObject({ code: 'SCENARIO_INVALID' })
      continue
    }
    accepted++
    for (let i = 0; i < 2; i++)
      for (const asked of TARGETS) {
        const served = mock.serve({ method: 'GET', target: asked, authorization: 'test-api-key', receivedAt: i })
        expect(served, JSON.stringify(scenario)).toBeDefined()
      }
    const snapshot = JSON.parse(JSON.stringify(takeSnapshot(mock.sessions.default, 0)))
    mock.sessions.default.run(restored(readSnapshot(snapshot, mock.sessions.default), 0))
    expect(JSON.parse(JSON.stringify(takeSnapshot(mock.sessions.default, 0)))).toEqual(snapshot)
  }
  expect(accepted).toBeGreaterThan(20)
})
