// The marks of a reply: the named faults alone give the same reply, and without any one of them it is another.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FAULTS } from '../../src/faults/index.js'
import { createMock } from '../../src/index.js'
import { MOCK_HEADER } from '../../src/outcome.js'
import { plannedFault } from '../support/arbitrary-scenario.js'
import { ENDPOINTS, type EndpointName, targetOf } from '../support/request-faults.js'
import { check } from '../support/seed.js'

const AT = 1_753_354_105
type Planned = { readonly fault: string } & Readonly<Record<string, unknown>>

/** All that a caller notices of the first reply at a second of the scenario, its mark aside, and the indices of the named faults. */
function ask(faults: readonly Planned[], endpoint: EndpointName, offset = 0) {
  const scenario = { faults: faults as never }
  const mock = createMock({ clock: { at: AT, frozen: true }, policy: { candles: 30 }, scenario })
  mock.clock.set(AT + offset)
  const request = { method: 'GET', target: targetOf(endpoint), authorization: 'test-api-key', receivedAt: 0 }
  const { outcome, entry } = mock.serve(request)!
  const shown: Record<string, unknown> = { ...outcome }
  if ('headers' in outcome) {
    const at = outcome.headers.indexOf(MOCK_HEADER)
    shown.headers = outcome.headers.toSpliced(at, 2)
    const mark = /faults=\((.*?)\)/.exec(outcome.headers[at + 1]!)?.[1] ?? ''
    expect(mark).toBe(entry.faults.map(name => `"${name}"`).join(' '))
  }
  if (outcome.kind === 'truncate') shown.body = outcome.body.slice(0, outcome.sentLength)
  const counts = mock.sessions.default.record.counters.faults
  const named = counts.flatMap(({ hits }, index) => (hits > 0 ? [index] : []))
  expect(entry.faults).toEqual([...new Set(named.map(index => faults[index]!.fault))])
  return { shown: JSON.stringify(shown), named, reasons: counts.map(({ lastMiss }) => lastMiss), names: entry.faults }
}

/** Some of the faults at their places: the others never begin. */
const only = (faults: readonly Planned[], kept: readonly number[]): Planned[] =>
  faults.map((fault, index) => (kept.includes(index) ? fault : { ...fault, from: '9999w' }))

function expectHonest(
  faults: readonly Planned[],
  endpoint: EndpointName,
  offset: number,
  { shown, named } = ask(faults, endpoint, offset),
): void {
  const what = `${endpoint} at ${offset}, ${named} named of ${JSON.stringify(faults)}`
  expect(ask(only(faults, named), endpoint, offset).shown, `the same by the named ones: ${what}`).toBe(shown)
  for (const index of named) {
    const rest = named.filter(other => other !== index)
    expect(ask(only(faults, rest), endpoint, offset).shown === shown, `without ${index}: ${what}`).toBe(false)
  }
}

const planned = fc
  .constantFrom(...FAULTS)
  .chain(plannedFault)
  .map(one => {
    const { fault, feeds, options } = one as Planned
    // Without the keys that are undefined.
    return JSON.parse(JSON.stringify({ fault, feeds, options })) as Planned
  })

it('behavior: of any faults, on every endpoint', () => {
  let several = 0
  check(
    [fc.array(planned, { minLength: 1, maxLength: 5 }), fc.constantFrom(...ENDPOINTS), fc.constantFrom(0, 30, 400)],
    [400, 1000],
    (faults, endpoint, offset) => {
      let answer: ReturnType<typeof ask>
      try {
        answer = ask(faults, endpoint, offset)
      } catch (error) {
        if ((error as { code?: string }).code === 'SCENARIO_INVALID') return
        throw error
      }
      if (faults.length > 1) several++
      expectHonest(faults, endpoint, offset, answer)
    },
  )
  expect(several).toBeGreaterThan(100)
})

const BTC = { feeds: ['BTCUSD'] }
const PRICE = { fault: 'market/price', ...BTC, options: { price: 100 } }
const SHOCK = { fault: 'market/shock', ...BTC }
const STALE = { fault: 'market/stale', ...BTC, options: { age: '5m' } }

it.each<[string, Planned[], EndpointName, string[], (string | undefined)[]]>([
  [
    'a signature that is signed again',
    [{ fault: 'signature/0x-prefix' }, { fault: 'signature/high-s' }],
    'latest',
    ['signature/high-s'],
    ['hidden by signature/high-s', undefined],
  ],
  [
    'the other way round',
    [{ fault: 'signature/high-s' }, { fault: 'signature/0x-prefix' }],
    'latest',
    ['signature/high-s', 'signature/0x-prefix'],
    [undefined, undefined],
  ],
  ['a price that is set', [SHOCK, PRICE], 'candles', ['market/price'], ['hidden by market/price', undefined]],
  [
    'a field that is gone',
    [{ fault: 'signature/all-zero' }, { fault: 'reply/missing-field', options: { field: 'signature' } }],
    'evm',
    ['reply/missing-field'],
    ['hidden by reply/missing-field', undefined],
  ],
  ['a crash under an age', [SHOCK, STALE], 'batch', ['market/stale'], ['hidden by market/stale', undefined]],
  ['the same on a chart', [STALE, SHOCK], 'candles', ['market/stale'], [undefined, 'hidden by market/stale']],
  [
    'two errors: the first wins',
    [{ fault: 'reply/status' }, { fault: 'reply/status', options: { status: 500 } }, { fault: 'wire/dribble' }],
    'latest',
    ['reply/status', 'wire/dribble'],
    [undefined, 'hidden by reply/status', undefined],
  ],
  [
    'a reply that never arrives',
    [STALE, { fault: 'reply/extra-field' }, { fault: 'wire/reset' }],
    'latest',
    ['wire/reset'],
    ['hidden by wire/reset', 'hidden by wire/reset', undefined],
  ],
  [
    'a fault that changes nothing, beside one that does',
    [{ fault: 'reply/rate-limit' }, SHOCK],
    'history',
    ['market/shock'],
    ['nothing to change', undefined],
  ],
])('behavior: %s', (_, faults, endpoint, names, reasons) => {
  const asked = ask(faults, endpoint, 30)
  expect([asked.names, asked.reasons]).toEqual([names, reasons])
})

it('behavior: a history that is the same without the age names nothing', () => {
  const history = (faults: readonly Planned[], at: number) => {
    const mock = createMock({ clock: { at, frozen: true }, scenario: { faults: faults as never } })
    const target = '/prices/queryHistory?feedIds=BTCUSD&minutes=600'
    const { outcome, entry } = mock.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 })!
    return { body: (outcome as { body: string }).body, faults: entry.faults }
  }
  const seen = new Set<boolean>()
  for (let hour = 0; hour < 12; hour++) {
    const [stale, calm] = [[{ ...STALE, options: { age: '2h' } }], []].map(faults => history(faults, AT + hour * 3600))
    seen.add(stale!.body === calm!.body)
    expect(stale!.faults).toEqual(stale!.body === calm!.body ? [] : ['market/stale'])
  }
  expect([...seen].sort()).toEqual([false, true])
})

it.each<[string, Planned[], number]>([
  ['another feed', [{ fault: 'market/gap', feeds: ['ETHUSD'] }, { fault: 'signature/other-feed' }], 0],
  ['a time that is over', [{ fault: 'market/gap', from: '10s', for: '20s' }, { fault: 'signature/replay' }], 80],
  ['the same', [{ fault: 'market/gap', from: '10s', for: '20s' }, { fault: 'tick/ts-backwards' }], 50],
  ['and the same', [{ fault: 'market/gap', from: '10s', for: '20s' }, { fault: 'signature/tampered-ts' }], 80],
])('behavior: a gap that only the search for an earlier price met is not named: %s', (_, faults, offset) => {
  for (const endpoint of ['latest', 'evm', 'batch'] as const) expectHonest(faults, endpoint, offset)
})

it.each(['wire/truncate', 'wire/dribble'])(
  'behavior: %s of a reply without a body is nothing, and is not named',
  fault => {
    for (const first of [{ fault: 'reply/status', options: { status: 204 } }, { fault: 'reply/empty-body' }]) {
      expectHonest([first, { fault }], 'latest', 0)
      expect(ask([first, { fault }], 'latest').names).toEqual([first.fault])
    }
  },
)
