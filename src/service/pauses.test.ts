// Pauses of a long request. An answer does not show them: neither its bytes nor the journal, the counters or the faults.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyOf } from '../../test/support/ask.js'
import { check } from '../../test/support/seed.js'
import { createMock, type Mock, ownScenario } from '../index.js'
import { PAUSED, type Pauses } from './pauses.js'
import type { ServiceRequest } from './request.js'

const AT = '2025-07-24T10:48:25Z'
const HISTORY = '/prices/queryHistory?feedIds=BTCUSD,ETHUSD,SOLUSD,WSTETHUSD,EURUSD&minutes=90'
const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=5m'
const LATEST = '/prices/BTCUSD/latest'

let arrived = 0
const createPauses = (isDue: () => boolean): Pauses => ({ arrivedAt: ++arrived, isDue, hasEnded: false })
const requestOf = (target: string, authorization = 'test-api-key'): ServiceRequest => ({
  method: 'GET',
  target,
  authorization,
  receivedAt: 0,
})

/** Serves a request again until it has its answer. */
function serve(mock: Mock<never>, request: ServiceRequest, isDue: () => boolean = () => true) {
  const pauses = createPauses(isDue)
  for (let attempts = 1; ; attempts++) {
    try {
      const { outcome, state, entry } = mock.serve(request, undefined, pauses)!
      pauses.hasEnded = true
      return { attempts, answer: { outcome, state, entry } }
    } catch (error) {
      if (error !== PAUSED) throw error
    }
  }
}
const start = (faults: readonly object[] = [], prices: Readonly<Record<string, number>> = {}): Mock<never> => {
  const mock = createMock({
    clock: { at: AT, frozen: true },
    policy: { candles: 30 },
    ...(faults.length > 0 ? { scenario: ownScenario({ faults: [...faults] as never }) } : {}),
  })
  if (Object.keys(prices).length > 0) mock.change({ prices })
  mock.clock.advance('50m')
  return mock
}

describe('an answer', () => {
  it('default: pauses after each look-up, of a feed or of a candle', () => {
    expect(serve(start(), requestOf(HISTORY)).attempts).toBe(6)
    expect(serve(start(), requestOf(CHART)).attempts).toBe(31)
    expect(serve(start(), requestOf(LATEST)).attempts).toBe(1)
  })

  it('behavior: it is the one without pauses, whatever happens in the market and wherever it pauses', () => {
    const times = { from: '10m', for: '4m', repeat: '7m' }
    const faults = [
      { fault: 'market/drift', ...times },
      { fault: 'market/shock', feeds: ['BTCUSD'], from: '20m', for: '5m', options: { change: -0.25 } },
      { fault: 'market/gap', feeds: ['BTCUSD', 'ETHUSD'], ...times },
      { fault: 'market/stale', feeds: ['SOLUSD'], from: '2m' },
      { fault: 'market/gap', feeds: ['EURUSD'] },
      { fault: 'tick/ts-backwards', chance: 0.5 },
      { fault: 'signature/tampered-price', chance: 0.5 },
      { fault: 'series/null-values', chance: 0.5 },
      { fault: 'reply/status', chance: 0.3, options: { status: 503 } },
    ]
    check(
      fc.property(
        fc.subarray(faults),
        fc.constantFrom<Record<string, number>[]>({}, { BTCUSD: 40_000 }),
        fc.array(fc.constantFrom(HISTORY, CHART, LATEST), { minLength: 1, maxLength: 5 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
        (faults, prices, targets, pattern) => {
          const [plain, paused] = [start(faults, prices), start(faults, prices)]
          let asked = 0
          for (const target of targets) {
            const { outcome, state, entry } = plain.serve(requestOf(target))!
            const { answer } = serve(paused, requestOf(target), () => pattern[asked++ % pattern.length]!)
            expect(answer).toEqual({ outcome, state, entry })
          }
        },
      ),
      60,
      400,
    )
  })

  it('behavior: it is remembered from the second request on, as without pauses', () => {
    const mock = start()
    const attempts = [1, 2, 3].map(() => serve(mock, requestOf(HISTORY)).attempts)
    expect(attempts).toEqual([6, 6, 1])
  })

  it('error: SCENARIO_TOO_COSTLY for all look-ups together, with pauses and without', () => {
    const year = HISTORY.replace('=90', '=525600')
    const faults = Array.from({ length: 4 }, (_, i) => ({
      fault: 'market/drift',
      repeat: `${3600 + i}s`,
      for: '900s',
    }))
    const [plain, paused] = [start(faults), start(faults)]
    for (const mock of [plain, paused]) mock.clock.advance('300d')
    for (const feed of ['BTCUSD', 'EURUSD']) {
      const { status } = replyOf(plain.serve(requestOf(year.replace(/feedIds=[^&]+/, `feedIds=${feed}`)))!)
      expect(status).toBe(200)
    }
    const { answer } = serve(paused, requestOf(year))
    expect(replyOf(answer)).toMatchObject({ status: 503, body: expect.stringContaining('SCENARIO_TOO_COSTLY') })
    expect(answer.outcome).toEqual(plain.serve(requestOf(year))!.outcome)
  })
})

describe('a session', () => {
  const createTwo = (): Mock<never> => {
    const mock = start()
    mock.sessions.create({ id: 'other' }, 0)
    return mock
  }
  const attempt = (mock: Mock<never>, target: string, pauses?: Pauses): number | 'paused' => {
    try {
      const { n } = mock.serve(requestOf(target), undefined, pauses)!.entry
      if (pauses !== undefined) pauses.hasEnded = true
      return n
    } catch (error) {
      if (error !== PAUSED) throw error
      return 'paused'
    }
  }
  const always = () => createPauses(() => true)
  const never = () => createPauses(() => false)

  it('default: younger requests wait, so that all are counted in the order of their arrival', () => {
    const mock = createTwo()
    const [first, second] = [always(), never()]
    expect(attempt(mock, CHART, first)).toBe('paused')
    expect(attempt(mock, LATEST, second)).toBe('paused')
    while (attempt(mock, CHART, first) === 'paused') expect(attempt(mock, LATEST, second)).toBe('paused')
    expect(mock.sessions.default.state.n).toBe(1)
    expect(attempt(mock, LATEST, second)).toBe(2)
  })

  it('behavior: those of other sessions and of hosts without pauses do not wait', () => {
    const mock = createTwo()
    expect(attempt(mock, CHART, always())).toBe('paused')
    expect(attempt(mock, `/session/other${LATEST}`, never())).toBe(1)
    expect(attempt(mock, LATEST)).toBe(1)
  })

  it('behavior: an older request does not wait: it may have waited for another session', () => {
    const mock = createTwo()
    const older = never()
    expect(attempt(mock, CHART, always())).toBe('paused')
    expect(attempt(mock, LATEST, older)).toBe(1)
  })

  it('behavior: nobody waits for a request that is given up', () => {
    const mock = createTwo()
    const first = always()
    expect(attempt(mock, CHART, first)).toBe('paused')
    first.hasEnded = true
    expect(attempt(mock, LATEST, never())).toBe(1)
  })

  it('behavior: a request whose session is changed meanwhile is answered by the changed one, without further pauses', () => {
    const mock = createTwo()
    const first = always()
    expect(attempt(mock, HISTORY, first)).toBe('paused')
    mock.change({ prices: { BTCUSD: 12_345 }, clock: { advance: '90m' } })
    const { outcome } = mock.serve(requestOf(HISTORY), undefined, first)!
    const changed = createTwo()
    changed.change({ prices: { BTCUSD: 12_345 }, clock: { advance: '90m' } })
    expect(outcome).toEqual(changed.serve(requestOf(HISTORY))!.outcome)
  })
})
