// A request of the journal is answered again: the same bytes, under every scenario and every fault, and its explanation.
import { expect, it } from 'vitest'
import { createCalls } from '../../test/support/calls.js'
import { FAULTS } from '../faults/index.js'
import type { ScenarioInput } from '../index.js'

const TARGETS = [
  '/prices/BTCUSD/latest',
  '/prices/batch?feedIds=BTCUSD,ETHUSD',
  '/prices/evm/crypto?feedIds=BTCUSD',
  '/prices/queryHistory?feedIds=BTCUSD&minutes=5',
  '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m',
]

/** Sends requests, and expects that each is explained by the same reply once the session has changed. */
async function expectReplays(scenario: ScenarioInput): Promise<number> {
  const calls = createCalls({ scenario })
  const bodies: (string | undefined)[] = []
  for (let i = 0; i < 6; i++) {
    const outcome = calls.mock.serve({
      method: 'GET',
      target: TARGETS[i % TARGETS.length]!,
      authorization: i === 5 ? 'wrong' : 'test-api-key',
      receivedAt: 0,
    })!
    calls.mock.record(outcome, 0)
    bodies.push('body' in outcome.outcome ? outcome.outcome.body : undefined)
    calls.mock.clock.advance(7)
  }
  calls.mock.change({ scenario: 'flash-crash', prices: { BTCUSD: 5 }, clock: { advance: '1d' } })
  for (const [i, body] of bodies.entries()) {
    const reply = await calls.admin('GET', `/_mock/sessions/default/requests/${i + 1}?body=whole`)
    const { replayed, explanation, request } = JSON.parse(reply.body)
    expect([i, replayed, explanation.got, explanation.outcome.body]).toEqual([i, true, request.got, body])
  }
  return bodies.length
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

it('behavior: without an explanation, and error: an unknown request', async () => {
  const calls = createCalls()
  calls.serve(TARGETS[0]!, { method: 'POST' })
  const show = async (n: number) => JSON.parse((await calls.admin('GET', `/_mock/sessions/default/requests/${n}`)).body)
  expect(await show(1)).toMatchObject({ replayed: false, request: { got: 'refused' } })
  expect((await show(1)).explanation).toBeUndefined()
  expect((await show(2)).problems[0].at).toBe('n')
})
