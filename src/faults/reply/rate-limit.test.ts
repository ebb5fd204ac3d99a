import { describe, expect, it } from 'vitest'
import {
  describeFault,
  expectActed,
  expectCalm,
  mockWith,
  pairOf,
  targetOf,
} from '../../../test/support/request-faults.js'
import { changed, reset } from '../../service/changes.js'

describeFault('reply/rate-limit', {
  options: { limit: 0 },
  effect({ wire }) {
    expect([wire.status, wire.body]).toEqual([429, '{"error":"too_many_requests","message":"Too many requests."}'])
    expect(wire.headers['retry-after']).toBe('60')
  },
})

const LATEST = targetOf('latest')

it('args: retryAfterForm: a date at the start of the next window', async () => {
  const { ask, advance } = pairOf([{ fault: 'reply/rate-limit', options: { limit: 0, retryAfterForm: 'date' } }])
  advance(20)
  expect((await ask(LATEST)).wire.headers['retry-after']).toBe('Thu, 24 Jul 2025 10:49:25 GMT')
})

describe('quotas in virtual time', () => {
  it('default: windows are counted from the application of the scenario', async () => {
    const { ask, advance } = pairOf([{ fault: 'reply/rate-limit', options: { limit: 2, window: '30s' } }])
    const expectRefused = async (retryAfter: string): Promise<void> => {
      const pair = await ask(LATEST)
      expectActed(pair, ['reply/rate-limit'])
      expect([pair.wire.status, pair.wire.headers['retry-after']]).toEqual([429, retryAfter])
    }
    expectCalm(await ask(LATEST))
    advance(10)
    expectCalm(await ask(LATEST))
    await expectRefused('20')
    advance(19)
    await expectRefused('1')
    advance(1)
    expectCalm(await ask(LATEST))
    expectCalm(await ask(LATEST))
    await expectRefused('30')
    // An unused window does not carry its quota over.
    advance(100)
    expectCalm(await ask(LATEST))
    expectCalm(await ask(LATEST))
    await expectRefused('20')
  })

  it('behavior: endpoints share the quota; HEAD and errors count, OPTIONS and 405 do not', async () => {
    const { ask } = pairOf([{ fault: 'reply/rate-limit', options: { limit: 3 } }])
    for (const method of ['OPTIONS', 'POST']) expectCalm(await ask(LATEST, { method }))
    expectCalm(await ask(LATEST))
    expectCalm(await ask(targetOf('candles'), { method: 'HEAD' }))
    expectCalm(await ask(targetOf('batch'), { headers: {} }))
    expect((await ask(targetOf('evm'))).wire.status).toBe(429)
  })

  it('behavior: a fault for some endpoints counts only those', async () => {
    const { ask } = pairOf([{ fault: 'reply/rate-limit', endpoints: ['latest'], options: { limit: 1 } }])
    for (let i = 0; i < 3; i++) expectCalm(await ask(targetOf('batch')))
    expectCalm(await ask(LATEST))
    expect((await ask(LATEST)).wire.status).toBe(429)
  })

  it('behavior: each session counts separately; a new scenario and a reset start again', async () => {
    const scenario = { faults: [{ fault: 'reply/rate-limit', options: { limit: 1 } }] }
    const { mock, ask } = mockWith(scenario.faults)
    const statuses = async (prefix = ''): Promise<number[]> => [
      (await ask(prefix + LATEST)).status,
      (await ask(prefix + LATEST)).status,
    ]
    expect(await statuses()).toEqual([200, 429])
    mock.setScenario(scenario as never)
    expect(await statuses()).toEqual([200, 429])
    mock.sessions.default.run(reset(0))
    expect(await statuses()).toEqual([200, 429])
    const other = mock.sessions.create({ id: 'other' }, 0)
    other.run(changed({ scenario: scenario as never }, 0))
    await ask(`/session/other${LATEST}`)
    expect(other.record.counters.faults[0]).toMatchObject({ hits: 0, misses: 1 })
  })
})
