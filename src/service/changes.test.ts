// The steps of a session: what each keeps and what it derives anew. The derivation of a market and its faults is the costly part.
import { expect, it } from 'vitest'
import { createCalls, LATEST, NOW } from '../../test/support/calls.js'
import { changed, cleared, judged, reset, restored } from './changes.js'
import { readSnapshot, takeSnapshot } from './snapshot.js'

const FAULTY = { faults: [{ fault: 'market/drift', from: '1m', options: {} }] } as never

it('behavior: requests and steps of the clock derive nothing', () => {
  const { session, serve } = createCalls({ scenario: FAULTY })
  const { setup } = session().record
  const { runtime } = session()
  serve(LATEST)
  serve(LATEST, { key: 'wrong' })
  session().run(changed({ clock: { advance: 60, speed: 2 } }, 0))
  expect(session().record.setup).toBe(setup)
  expect(session().runtime).toBe(runtime)
  expect(session().record.counters).toMatchObject({ n: 2, refused: { last: 1 }, clock: { speed: 2 } })
})

it('behavior: verdicts, keys and a cleared journal keep the paths of the faults', () => {
  const { session } = createCalls({ scenario: FAULTY })
  const { stage, scenario, market } = session().runtime
  session().run(judged({ case: 'a', ok: true }, 0))
  session().run(changed({ apiKeys: ['own'] }, 0))
  session().run(cleared())
  expect(session().runtime.settings.apiKeys).toEqual(['own'])
  const { runtime } = session()
  expect([runtime.stage === stage, runtime.scenario === scenario, runtime.market === market]).toEqual([
    true,
    true,
    true,
  ])
})

it('behavior: a price changes the stage alone, and a seed the market', () => {
  const { session } = createCalls({ scenario: FAULTY })
  const first = session().runtime
  session().run(changed({ prices: { BTCUSD: 5 } }, 0))
  const second = session().runtime
  expect([second.stage === first.stage, second.scenario === first.scenario]).toEqual([false, true])
  session().run(changed({ seed: 'other' }, 0))
  expect(session().runtime.market).not.toBe(first.market)
})

it('behavior: a session that is restored to its own snapshot keeps its parsed scenario', () => {
  const { session, serve } = createCalls({ scenario: FAULTY })
  const { definition } = session().runtime.scenario
  const snapshot = JSON.parse(JSON.stringify(takeSnapshot(session(), 0)))
  serve(LATEST)
  session().run(restored(readSnapshot(snapshot, session()), 0))
  expect(session().runtime.scenario.definition).toBe(definition)
  expect([session().record.counters.n, session().journal.entries().length]).toEqual([0, 0])
})

it('behavior: a seed of its own stays above that of a scenario, also after its snapshot', () => {
  const { session } = createCalls()
  session().run(changed({ seed: 'own' }, 0))
  session().run(restored(takeSnapshot(session(), 0), 0))
  session().run(changed({ scenario: { seed: 'of the scenario', faults: [] } as never }, 0))
  expect(session().runtime.settings.seed).toBe('own')
})

it('behavior: a reset goes back to its creation, and drops everything else', () => {
  const { session, serve } = createCalls({ scenario: FAULTY })
  const before = session().record
  serve(LATEST, { key: 'wrong' })
  session().run(changed({ seed: 'other', prices: { BTCUSD: 5 } }, 0))
  session().run(judged({ case: 'a', ok: true }, 0))
  session().run(reset(0))
  expect(session().record).toEqual(before)
})

it('error: a change that is refused changes nothing', () => {
  const { session } = createCalls()
  const { record } = session()
  expect(() => session().run(changed({ seed: 'x', prices: { NOFEED: 1 } }, 0))).toThrow('NOFEED')
  expect(session().record).toBe(record)
})

it.each([
  // The first row is published a second later.
  ['start', undefined, 101_000, 0],
  ['now', undefined, 5_000_000, 4899],
  ['now', { clock: { at: '1970-01-02T00:00:00Z' }, faults: [] }, 86_400_000, 86_299],
] as const)('args: seriesAt %s, scenario %j', (seriesAt, scenario, virtualMs, shift) => {
  const series = [{ as: 'BTCUSD', rows: 'ts,price\n100,5\n900,6\n' }]
  const { session } = createCalls({
    clock: {},
    realTime: () => 5_000_000,
    series,
    seriesAt,
    scenario: scenario as never,
  })
  const { counters, setup } = session().record
  expect([counters.clock.virtualMs, setup.seriesShift]).toEqual([virtualMs, shift])
})

const REFUSED = { fault: 'reply/status', endpoints: ['latest'], requests: '3' }
const LATER = { fault: 'market/gap', feeds: ['BTCUSD'], from: '1h', for: '5m' }
const edited = (calls: ReturnType<typeof createCalls>, faults: object[], scenarioAt: number) =>
  calls.session().run(changed({ scenario: { faults } as never, scenarioAt }, 0))

it('behavior: with the start of the running scenario, an edit of one fault leaves the others as they are', () => {
  const calls = createCalls({ scenario: { faults: [REFUSED, LATER] } as never })
  const { session, serve, mock } = calls
  const statuses = () => serve(LATEST).status
  expect([statuses(), statuses()]).toEqual([200, 200])
  mock.clock.advance('1m')
  const start = session().runtime.scenario.appliedAt
  edited(calls, [REFUSED, { ...LATER, from: '2h' }], start)
  expect(session().runtime.scenario.appliedAt).toBe(start)
  // The third request since the start, not the third since the edit.
  expect([statuses(), statuses()]).toEqual([503, 200])
  edited(calls, [{ ...LATER, from: '3h' }, REFUSED], start)
  expect(session().record.counters.faults.map(({ hits }) => hits)).toEqual([0, 1])
  expect(session().runtime.scenario.faults[0]!.windows.at(start + 3 * 3600)).toBeDefined()
})

it('behavior: with another start, the scenario begins there and its faults count anew', () => {
  const calls = createCalls({ scenario: { faults: [REFUSED] } as never })
  for (let i = 0; i < 3; i++) calls.serve(LATEST)
  edited(calls, [REFUSED, LATER], NOW - 3600)
  const { scenario } = calls.session().runtime
  expect([scenario.appliedAt, scenario.faults[1]!.windows.at(NOW)?.from]).toEqual([NOW - 3600, NOW])
  expect(calls.session().record.counters.faults).toEqual([])
})

it.each([
  ['a second to come', { scenario: 'calm', scenarioAt: NOW + 1 }],
  ['no scenario', { scenarioAt: NOW }],
  ['the end of a scenario', { scenario: null, scenarioAt: NOW }],
])('error: scenarioAt with %s', (_, patch) => {
  const { session } = createCalls()
  const { record } = session()
  expect(() => session().run(changed(patch, 0))).toThrow('scenarioAt')
  expect(session().record).toBe(record)
})

it.each([
  ['now', {}, [NOW, NOW + 10]],
  [
    'before it has published anything, where the same change restarts it',
    { clock: { at: (NOW - 60) * 1000 } },
    [NOW - 60, NOW - 61],
  ],
])('behavior: a scenario ends %s', (_, patch, [appliedAt, endedAt]) => {
  const { session } = createCalls()
  session().run(changed({ scenario: 'calm' }, 0))
  session().run(changed({ clock: { advance: 10 } }, 0))
  session().run(changed({ ...patch, scenario: null }, 0))
  expect(session().record.setup.scenario).toMatchObject({ name: 'calm', appliedAt, endedAt })
})

it.each([
  ['before its end', NOW + 5],
  ['before its start', NOW - 3600],
  ['after a day', NOW + 86_400],
])('behavior: a scenario that was ended stays so when the clock moves to %s', (_, second) => {
  const { serve, session } = createCalls()
  session().run(changed({ scenario: 'unauthorized' }, 0))
  session().run(changed({ clock: { advance: 10 } }, 0))
  session().run(changed({ scenario: null }, 0))
  for (const at of [second, NOW + 60]) {
    session().run(changed({ clock: { at: at * 1000 } }, 0))
    expect(serve(LATEST).status).toBe(200)
  }
  // A second end changes nothing.
  session().run(changed({ scenario: null }, 0))
  expect(session().record.setup.scenario).toMatchObject({ name: 'unauthorized', appliedAt: NOW, endedAt: NOW + 10 })
})
