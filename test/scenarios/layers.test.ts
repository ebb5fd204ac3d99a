// Settings of a scenario: they override those of the server, and those of the session override them. Reset, snapshot, restore.
import { describe, expect, it } from 'vitest'
import { changed, reset, restored } from '../../src/service/changes.js'
import { readSnapshot, type Snapshot, takeSnapshot } from '../../src/service/snapshot.js'
import { AT, type Consumer, createConsumer, EACH, target } from './consumer.js'

const NOW = 1_753_354_105
const settingsOf = ({ mock }: Consumer, id = 'default') => {
  const { seed, policy } = mock.sessions.get(id).runtime.settings
  return { seed, candles: policy.candles, unknownFeed: policy.unknownFeed }
}
const clockOf = ({ mock }: Consumer) => mock.sessions.default.record.counters.clock
const FULL = {
  seed: 'of the scenario',
  clock: { at: 1_000_000, frozen: true, speed: 7 },
  policy: { candles: 9 },
  faults: [],
}
const SERVER = { seed: 'of the server', policy: { candles: 50, unknownFeed: 'omit' } } as const
/** All outcomes in order, from the status to the last byte. */
const answers = async (consumer: Consumer): Promise<unknown[]> => {
  const found: unknown[] = []
  for (let i = 0; i < 3; i++) {
    for (const asked of [...EACH, target.latest('ETHUSD'), target.latest('NOPE')]) found.push(consumer.outcome(asked))
    consumer.advance(11)
  }
  return found
}

describe('settings of a scenario', () => {
  it('default: they override those of the server', () => {
    const consumer = createConsumer({ ...SERVER, scenario: FULL })
    expect(settingsOf(consumer)).toEqual({ seed: 'of the scenario', candles: 9, unknownFeed: 'omit' })
    expect(clockOf(consumer)).toMatchObject({ virtualMs: 1_000_000_000, frozen: true, speed: 7 })
  })

  it('behavior: they end with the scenario', () => {
    const consumer = createConsumer(SERVER)
    consumer.mock.setScenario(FULL)
    expect(settingsOf(consumer)).toEqual({ seed: 'of the scenario', candles: 9, unknownFeed: 'omit' })
    consumer.mock.setScenario({ policy: { unknownFeed: 'reject' }, faults: [] })
    expect(settingsOf(consumer)).toEqual({ seed: 'of the server', candles: 50, unknownFeed: 'reject' })
    consumer.mock.setScenario('calm')
    expect(settingsOf(consumer)).toEqual({ seed: 'of the server', candles: 50, unknownFeed: 'omit' })
  })

  it('behavior: settings of the session win, set before or after', () => {
    const consumer = createConsumer(SERVER)
    consumer.mock.change({ seed: 'own', policy: { candles: 3 } })
    consumer.mock.setScenario(FULL)
    expect(settingsOf(consumer)).toMatchObject({ seed: 'own', candles: 3 })
    consumer.mock.change({ policy: { candles: 4 } })
    expect(settingsOf(consumer)).toMatchObject({ seed: 'own', candles: 4 })
    consumer.mock.setScenario('calm')
    expect(settingsOf(consumer)).toEqual({ seed: 'own', candles: 4, unknownFeed: 'omit' })
  })

  it('behavior: the body of a new session wins over its scenario', () => {
    const consumer = createConsumer(SERVER)
    const body = { id: 'mine', seed: 'own', clock: { at: 2_000_000_000 }, scenario: FULL }
    const { runtime, record } = consumer.mock.sessions.create(body, 0)
    const { settings, scenario } = runtime
    expect([settings.seed, settings.policy.candles]).toEqual(['own', 9])
    expect(record.counters.clock).toMatchObject({ virtualMs: 2_000_000_000, frozen: true, speed: 7 })
    expect(scenario.appliedAt).toBe(2_000_000)
    // Other sessions keep their settings.
    expect(settingsOf(consumer)).toMatchObject({ seed: 'of the server', candles: 50 })
  })

  it('behavior: in one change the clock of the session wins, and the scenario starts there', () => {
    const consumer = createConsumer({})
    consumer.mock.change({ scenario: 'weekend-close', clock: { advance: '1h' } })
    expect(consumer.now()).toBe(1_753_477_140 + 3600)
    expect(consumer.elapsed()).toBe(0)
    consumer.mock.change({ scenario: 'weekend-close', clock: { at: AT } })
    expect(consumer.now()).toBe(NOW)
    expect(consumer.elapsed()).toBe(0)
  })

  it('behavior: a seed of the scenario is another market, without overrides', () => {
    const consumer = createConsumer({})
    consumer.mock.change({ prices: { BTCUSD: 5 } })
    consumer.mock.setScenario('stale-btc')
    expect(Object.keys(consumer.mock.sessions.default.runtime.overrides)).toEqual(['BTCUSD'])
    consumer.mock.setScenario(FULL)
    expect(consumer.mock.sessions.default.runtime.overrides).toEqual({})
  })

  it('error: invalid settings leave the scenario unchanged, and the other way round', () => {
    const consumer = createConsumer({ scenario: 'stale-btc' })
    expect(() => consumer.mock.change({ scenario: 'calm', prices: { NOPE: 1 } })).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ at: 'prices.NOPE' })] }),
    )
    expect(() => consumer.mock.change({ scenario: 'calm', clock: { at: AT, advance: -1e12 } })).toThrow(
      expect.objectContaining({ code: 'CLOCK_OUT_OF_RANGE' }),
    )
    expect(() => consumer.mock.change({ seed: 'new', scenario: 'clam' as never })).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ at: 'scenario', closest: 'calm' })] }),
    )
    expect(consumer.mock.sessions.default.runtime.scenario.definition.name).toBe('stale-btc')
    expect(settingsOf(consumer).seed).toBe('42')
  })
})

describe('reset', () => {
  it('default: applies the scenario of the creation of the session again', () => {
    const consumer = createConsumer({ scenario: 'key-revoked' })
    consumer.advance(100)
    expect(statusOf(consumer)).toBe(401)
    consumer.mock.sessions.default.run(reset(0))
    expect([consumer.elapsed(), statusOf(consumer)]).toEqual([0, 200])
    consumer.mock.setScenario('charting-not-found')
    consumer.mock.sessions.default.run(reset(0))
    expect(consumer.mock.sessions.default.runtime.scenario.definition.name).toBe('key-revoked')
  })

  it('behavior: also settings, clock and counters of the scenario', async () => {
    const consumer = createConsumer({
      ...SERVER,
      scenario: { ...FULL, faults: [{ fault: 'reply/rate-limit', options: { limit: 4 } }] },
    })
    const first = await answers(consumer)
    consumer.mock.change({ seed: 'own', policy: { candles: 1 } })
    consumer.mock.setScenario('calm')
    consumer.mock.sessions.default.run(reset(0))
    expect(settingsOf(consumer)).toEqual({ seed: 'of the scenario', candles: 9, unknownFeed: 'omit' })
    expect(consumer.now()).toBe(1_000_000 / 1000 + 999_000)
    expect(await answers(consumer)).toEqual(first)
  })

  it('behavior: a session of /scenario/<name> returns to its scenario', () => {
    const consumer = createConsumer({}, { prefix: '/scenario/unauthorized', id: 'scenario.unauthorized' })
    expect(statusOf(consumer)).toBe(401)
    const session = consumer.mock.sessions.get('scenario.unauthorized')
    session.run(changed({ scenario: 'calm' }, 0))
    expect(statusOf(consumer)).toBe(200)
    session.run(reset(0))
    expect(statusOf(consumer)).toBe(401)
  })
})

describe('a snapshot', () => {
  const MIXED = {
    title: 'Mixed',
    why: 'All that counts.',
    seed: 'mixed',
    policy: { candles: 5 },
    loop: '1m',
    faults: [
      { fault: 'market/stale', feeds: ['ETHUSD'], from: '10s', for: '30s' },
      { fault: 'tick/ts-backwards', chance: 0.5 },
      { fault: 'reply/rate-limit', options: { limit: 10, window: '30s' } },
      { fault: 'reply/status', requests: { every: 4 } },
      { fault: 'wire/reset', chance: 0.1 },
    ],
  }

  it('default: holds the scenario, its start and its counters: the same bytes on another mock', async () => {
    const here = createConsumer({ scenario: MIXED as never, scenarios: {} })
    here.advance(25)
    await answers(here)
    const snapshot = wire(here)
    expect(snapshot.scenario).toEqual({ name: 'inline', source: MIXED, appliedAt: NOW })
    expect(snapshot.state.faults[2]!.quota!.used).toBeGreaterThan(0)
    const expected = await answers(here)
    expect(expected.map(outcome => (outcome as { kind: string }).kind)).toContain('reset')
    const there = createConsumer({ seed: 'another', clock: { at: 5, frozen: true }, scenario: 'unauthorized' })
    there.mock.sessions.default.run(restored(readSnapshot(snapshot, there.mock.sessions.default), 0))
    expect(there.elapsed()).toBe(58)
    expect(wire(there)).toEqual(snapshot)
    expect(await answers(there)).toEqual(expected)
  })

  it('behavior: a named scenario keeps its definition, whatever the name means on this mock', async () => {
    const own = { title: 'Mine', why: 'To see.', faults: [{ fault: 'reply/status', options: { status: 402 } }] }
    const here = createConsumer({ scenarios: { 'stale-btc': own }, scenario: 'stale-btc' })
    const there = createConsumer({})
    there.mock.sessions.default.run(restored(readSnapshot(wire(here), there.mock.sessions.default), 0))
    expect(there.mock.sessions.default.runtime.scenario.definition.name).toBe('stale-btc')
    expect(statusOf(there)).toBe(402)
    // Applied by name, it is the definition of this mock again.
    there.mock.setScenario('stale-btc')
    expect(statusOf(there)).toBe(200)
  })

  it.each([
    ['no scenario', undefined],
    ['a name alone', 'stale-btc'],
    ['an appliedAt before 1970', { name: 'x', source: { faults: [] }, appliedAt: -1 }],
    ['an appliedAt that is no number', { name: 'x', source: { faults: [] }, appliedAt: Number.NaN }],
    ['an unknown field', { name: 'x', source: { faults: [] }, appliedAt: 0, more: 1 }],
    ['no source', { name: 'x', appliedAt: 0 }],
    ['a list', { name: 'x', source: [], appliedAt: 0 }],
    ['null', { name: 'x', source: null, appliedAt: 0 }],
  ])('error: is refused with %s', (_, scenario) => {
    const consumer = createConsumer({})
    const before = wire(consumer)
    expect(() =>
      consumer.mock.sessions.default.run(
        restored(readSnapshot({ ...before, scenario }, consumer.mock.sessions.default), 0),
      ),
    ).toThrow(/(SNAPSHOT|SCENARIO)_INVALID/)
    expect(wire(consumer)).toEqual(before)
  })
})

const wire = ({ mock }: Consumer): Snapshot => JSON.parse(JSON.stringify(takeSnapshot(mock.sessions.default, 0)))
const statusOf = (consumer: Consumer): number => {
  const outcome = consumer.outcome(target.latest('BTCUSD'))
  return 'status' in outcome ? outcome.status : 0
}
