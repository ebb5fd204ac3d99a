// A request of the journal is answered again: the same status, headers and bytes, under every scenario and every fault.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scenario } from '../../test/support/arbitrary-scenario.js'
import { createCalls } from '../../test/support/calls.js'
import { PROPERTY_SEED } from '../../test/support/seed.js'
import { FAULTS } from '../faults/index.js'
import type { ScenarioInput } from '../index.js'
import { toPairs } from '../outcome.js'

const TARGETS = [
  '/prices/BTCUSD/latest',
  '/prices/batch?feedIds=BTCUSD,ETHUSD',
  '/prices/evm/crypto?feedIds=BTCUSD',
  '/prices/queryHistory?feedIds=BTCUSD&minutes=5',
  '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m',
]

const KEY = 'test-api-key'
/** The requests of each scenario: one to each endpoint, and those with a wrong key, none, an empty one, several, and one of a scheme. */
const REQUESTS = [
  ...TARGETS.map(target => [target, KEY] as const),
  ...['wrong', undefined, '', `${KEY}, ${KEY}`, `Bearer ${KEY}`].map(key => [TARGETS[0]!, key] as const),
]

/** Sends requests under one scenario after the other, and expects that each is explained by the same reply afterwards. */
async function expectReplays(...scenarios: readonly ScenarioInput[]): Promise<number> {
  const calls = createCalls({ policy: { candles: 60 } })
  const sent: object[] = []
  for (const scenario of scenarios) {
    calls.mock.change({ scenario })
    for (const [target, authorization] of REQUESTS) {
      const served = calls.mock.serve({ method: 'GET', target, authorization, receivedAt: 0 })!
      calls.mock.record(served, 0)
      const { kind, delayMs, ...reply } = served.outcome
      const headers = 'headers' in reply ? { headers: Object.fromEntries(toPairs(reply.headers)) } : {}
      const { status, body } = reply as { status?: number; body?: string }
      sent.push(JSON.parse(JSON.stringify({ kind, delayMs, status, ...headers, body })))
      calls.mock.clock.advance(7)
    }
  }
  calls.mock.change({ scenario: 'flash-crash', prices: { BTCUSD: 5 }, clock: { advance: '1d' } })
  for (const [i, outcome] of sent.entries()) {
    const reply = await calls.admin('GET', `/_mock/sessions/default/requests/${i + 1}?body=whole`)
    const { replayed, explanation, request } = JSON.parse(reply.body)
    expect([i, replayed, explanation.got, explanation.outcome]).toEqual([i, true, request.got, outcome])
  }
  return sent.length
}

it('behavior: every built-in scenario', async () => {
  let count = 0
  const { scenarios } = createCalls().mock
  for (const { name } of scenarios.list()) count += await expectReplays(name as never)
  expect(count).toBeGreaterThan(200)
})

it('behavior: every fault', async () => {
  for (const { name, example } of FAULTS) {
    // Example prices are those of one feed.
    const options = example === undefined ? {} : { feeds: ['BTCUSD'], options: example }
    await expectReplays({ faults: [{ fault: name, ...options }] } as never)
  }
})

it('behavior: random scenarios of several faults, changed for one another', async () => {
  const { scenarios } = createCalls().mock
  const isValid = (drawn: object): boolean => {
    try {
      return scenarios.get(drawn as ScenarioInput) !== undefined
    } catch {
      // Times or prices that do not fit each other.
      return false
    }
  }
  // Some times are the last that are supported.
  const withoutClock = scenario.map(
    ({ clock: _, ...rest }: { readonly clock?: unknown; readonly faults: readonly unknown[] }) => rest,
  )
  const drawn = fc.sample(withoutClock, { seed: PROPERTY_SEED, numRuns: 200 }).filter(isValid) as ScenarioInput[]
  let count = 0
  for (let i = 0; i < drawn.length && count < 120; i += 4) count += await expectReplays(...drawn.slice(i, i + 4))
  expect(count).toBeGreaterThanOrEqual(120)
})

it('behavior: without an explanation, and error: an unknown request', async () => {
  const calls = createCalls()
  calls.serve(TARGETS[0]!, { method: 'POST' })
  const show = async (n: number) => JSON.parse((await calls.admin('GET', `/_mock/sessions/default/requests/${n}`)).body)
  expect(await show(1)).toMatchObject({ replayed: false, request: { got: 'refused' } })
  expect((await show(1)).explanation).toBeUndefined()
  expect((await show(2)).problems[0].at).toBe('n')
})
