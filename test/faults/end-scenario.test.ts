// The end of a scenario: its faults stop, and what was published under them stays.
import { describe, expect, it } from 'vitest'
import { FAULTS } from '../../src/faults/index.js'
import { createMock, type Mock } from '../../src/index.js'
import { restored } from '../../src/service/changes.js'
import { readSnapshot, takeSnapshot } from '../../src/service/snapshot.js'
import { openPriceFeed } from '../../src/testing/testing.js'
import { createCalls } from '../support/calls.js'
import { ticksOf } from '../support/paths.js'

/** The start of the clock, on a Thursday. */
const AT = 1_753_354_105
const FEEDS = ['BTCUSD', 'CBBTCUSD', 'TIAUSD', 'USDCUSD']
const MARKET = FAULTS.filter(({ name }) => name.startsWith('market/'))

const start = (faults: readonly object[], more: object = {}) =>
  createMock({ clock: { at: AT, frozen: true }, scenario: { faults: [...faults], ...more } } as never)

/** The ticks and the volume of a feed in a span of time, and the extremes of parts of it. */
function marketOf(mock: Mock, id: string, from: number, to: number) {
  const { stage, market } = mock.sessions.default.runtime
  const feed = market.feed(id)!
  const path = stage.path(feed)
  const ticks = ticksOf(path, from, to)
  const parts = [from, from + 40, to - 7].map(start => stage.lookUp(String(start), () => path.extremes(start, to)))
  return { ticks, parts, volume: stage.volume(feed).between(from, to + 1) }
}

describe.each(MARKET.map(({ name, example }) => [name, example] as const))('%s', (fault, options) => {
  const written = fault === 'market/path' || fault === 'market/price' ? ['BTCUSD'] : undefined
  const plan = { fault, options: options ?? {}, from: '10s', ...(written === undefined ? {} : { feeds: written }) }

  it.each([{}, { for: '15s', repeat: '30s' }])('behavior: what was published under it stays (%j)', times => {
    for (const end of [5, 10, 50, 69]) {
      const [mock, running] = [start([{ ...plan, ...times }]), start([{ ...plan, ...times }])]
      const calm = createMock({ clock: { at: AT, frozen: true } })
      mock.clock.set(AT + end)
      mock.endScenario()
      for (const id of FEEDS) {
        const { lag } = mock.sessions.default.runtime.market.feed(id)!
        const last = AT + end - lag
        const past = [AT - 60, last] as const
        const because = `${id}, ended after ${end}`
        expect(marketOf(mock, id, ...past), because).toEqual(marketOf(running, id, ...past))
        const later = [last + 1, last + 200] as const
        expect(marketOf(mock, id, ...later), because).toEqual(marketOf(calm, id, ...later))
      }
    }
  })
})

const LATEST = { method: 'GET', target: '/prices/BTCUSD/latest', authorization: 'test-api-key', receivedAt: 0 }

it('default: faults of requests end at once, those of the market with the next tick', () => {
  const mock = start([{ fault: 'market/shock' }, { fault: 'reply/extra-field' }])
  const faults = () => mock.serve(LATEST)!.entry.faults
  expect(faults()).toEqual(['market/shock', 'reply/extra-field'])
  mock.endScenario()
  expect(faults()).toEqual(['market/shock'])
  mock.clock.advance(1)
  expect(faults()).toEqual([])
  // History still shows the price before the end.
  const target = '/prices/queryHistory?feedIds=BTCUSD&minutes=1'
  expect(mock.serve({ ...LATEST, target })!.entry.faults).toEqual(['market/shock'])
})

it('behavior: seed and policy of the scenario stay, another scenario replaces all of it', () => {
  const mock = start([{ fault: 'market/shock' }], { seed: '7', policy: { candles: 5 } })
  const before = mock.serve(LATEST)!.outcome
  mock.endScenario()
  expect(mock.sessions.default.runtime.settings).toMatchObject({ seed: '7', policy: { candles: 5 } })
  expect(mock.serve(LATEST)!.outcome).toMatchObject({ body: (before as { body: string }).body })
  mock.setScenario('stale-btc')
  expect(mock.sessions.default.runtime).toMatchObject({ settings: { seed: '42' }, scenario: { endedAt: undefined } })
})

it('behavior: one that the same change restarts has published nothing', () => {
  const mock = start([{ fault: 'market/shock' }, { fault: 'reply/extra-field' }])
  mock.change({ clock: { at: AT - 10 }, scenario: null })
  for (const at of [AT - 10, AT + 60]) {
    mock.clock.set(at)
    expect(mock.serve(LATEST)!.entry.faults).toEqual([])
  }
})

it('behavior: a snapshot holds the end', () => {
  const mock = start([{ fault: 'market/shock' }])
  mock.clock.advance(10)
  mock.endScenario()
  mock.clock.advance(10)
  const other = createMock()
  const snapshot = JSON.parse(JSON.stringify(takeSnapshot(mock.sessions.default, 0)))
  other.sessions.default.run(restored(readSnapshot(snapshot, other.sessions.default), 0))
  for (const minutes of [1, 5]) {
    const request = { ...LATEST, target: `/prices/queryHistory?feedIds=BTCUSD&minutes=${minutes}` }
    expect(other.serve(request)!.outcome).toEqual(mock.serve(request)!.outcome)
  }
})

it('behavior: PATCH with null ends it, and the session and its inspection say so', async () => {
  const { admin, mock } = createCalls({ scenario: 'stale-btc' })
  mock.clock.advance(10)
  const ended = JSON.parse((await admin('PATCH', '/_mock/sessions/default', { scenario: null })).body)
  expect(ended).toMatchObject({ scenario: 'stale-btc', scenarioEndedAt: AT + 10 })
  const { scenario, faults } = JSON.parse((await admin('GET', '/_mock/sessions/default/inspect')).body)
  expect([scenario.endedAt, faults[0].windows]).toEqual([AT + 10, [{ from: AT, until: AT + 11 }]])
  expect((await admin('POST', '/_mock/sessions', { scenario: null })).status).toBe(400)
})

it('behavior: the kit ends it', async () => {
  await using priceFeed = await openPriceFeed({ clock: { at: AT, frozen: true }, scenario: 'unauthorized' })
  const ask = () => priceFeed.client.latest({ feedId: 'BTCUSD' })
  await expect(ask()).rejects.toThrow('401')
  await priceFeed.endScenario()
  expect(await ask()).toMatchObject({ feedId: 'BTCUSD' })
})
