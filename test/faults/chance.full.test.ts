// `chance`: the right share of requests, the same ones on every run, independent of each other.
import { describe, expect, it } from 'vitest'
import { createMock, type MockOptions } from '../../src/index.js'
import { reset } from '../../src/service/changes.js'
import { AT } from '../support/hosts.js'
import { ENDPOINTS, type EndpointName, targetOf } from '../support/request-faults.js'

/** Faults with distinct delays of 1, 2, 4 … ms, so that the sum shows the applied ones. */
const faultsOf = (...chances: readonly number[]): object[] =>
  chances.map((chance, i) => ({ fault: 'reply/latency', chance, options: { ms: 2 ** i } }))

interface AskOptions extends MockOptions {
  readonly endpoint?: EndpointName
  readonly session?: string
  readonly method?: string
}

/** For each of the first requests of an endpoint, the applied faults as the bits of a number. */
function actedOn(
  count: number,
  faults: readonly object[],
  { endpoint = 'latest', session, method = 'GET', ...options }: AskOptions = {},
): number[] {
  const scenario = { faults: [...faults] as never }
  const mock = createMock({ clock: { at: AT, frozen: true }, scenario, ...options })
  const target = `${session === undefined ? '' : `/session/${session}`}${targetOf(endpoint, ['BTCUSD'])}`
  const request = { method, target, authorization: 'test-api-key', receivedAt: 0 }
  return Array.from({ length: count }, () => mock.serve(request)!.outcome.delayMs)
}

const countOf = (acted: readonly number[], bit = 0): number => acted.filter(bits => (bits >> bit) & 1).length

describe('chance', () => {
  it.each(['42', '7', 'a seed'])('default: 0.1 is 10 ± 1 %% of 10,000 requests of each endpoint, seed %j', seed => {
    for (const endpoint of ENDPOINTS) {
      const acted = actedOn(10_000, faultsOf(0.1, 0.1, 0.1), { endpoint, seed })
      for (const bit of [0, 1, 2]) {
        expect(countOf(acted, bit), `${endpoint} ${bit}`).toBeGreaterThanOrEqual(900)
        expect(countOf(acted, bit), `${endpoint} ${bit}`).toBeLessThanOrEqual(1100)
      }
    }
  })

  it('behavior: it is spread evenly, neither alternating nor clustered', () => {
    const acted = actedOn(10_000, faultsOf(0.1))
    for (let from = 0; from < 10_000; from += 1000) {
      const count = countOf(acted.slice(from, from + 1000))
      // Five standard deviations of a thousand draws.
      expect(Math.abs(count - 100), `from ${from}`).toBeLessThan(48)
    }
    const again = (lag: number): number => acted.filter((bit, i) => bit === 1 && acted[i + lag] === 1).length
    for (const lag of [1, 2, 3, 4, 5, 8, 10, 16, 100]) expect(Math.abs(again(lag) - 100), `lag ${lag}`).toBeLessThan(50)
  })

  it('behavior: faults, endpoints and seeds are independent', () => {
    const both = (a: readonly number[], b: readonly number[]): number =>
      a.filter((one, i) => one !== 0 && b[i] !== 0).length
    const of = (bit: number, options?: AskOptions) =>
      actedOn(10_000, faultsOf(0.1, 0.1), options).map(bits => (bits >> bit) & 1)
    const [first, second] = [of(0), of(1)]
    for (const other of [second, of(0, { endpoint: 'batch' }), of(0, { endpoint: 'candles' }), of(0, { seed: '43' })])
      expect(Math.abs(both(first, other) - 100)).toBeLessThan(50)
  })

  it.each([
    [0, 0, 0],
    [0.5, 4800, 5200],
    [0.999, 9970, 9999],
    [1, 10_000, 10_000],
  ])('args: %s', (chance, least, most) => {
    const count = countOf(actedOn(10_000, faultsOf(chance)))
    expect(count).toBeGreaterThanOrEqual(least)
    expect(count).toBeLessThanOrEqual(most)
  })
})

describe('the same requests', () => {
  const faults = faultsOf(0.1, 0.3)
  const once = actedOn(1000, faults)

  it('behavior: on a second run, in another session, by HEAD, at another time', () => {
    expect(actedOn(1000, faults)).toEqual(once)
    expect(actedOn(1000, faults, { session: 'another' })).toEqual(once)
    expect(actedOn(1000, faults, { method: 'HEAD' })).toEqual(once)
    expect(actedOn(1000, faults, { clock: { at: '2030-01-01T00:00:00Z', frozen: true } })).toEqual(once)
  })

  it('behavior: with another fault behind it, and with another name before the colon', () => {
    expect(actedOn(1000, [...faults, ...faultsOf(0.5).map(one => ({ ...one, endpoints: ['evm'] }))])).toEqual(once)
    expect(actedOn(1000, faults, { signer: 3, apiKeys: ['test-api-key', 'b'] })).toEqual(once)
  })

  it('behavior: after a scenario was applied again', () => {
    const mock = createMock({ clock: { at: AT, frozen: true }, scenario: { faults: faults as never } })
    const request = { method: 'GET', target: targetOf('latest'), authorization: 'test-api-key', receivedAt: 0 }
    const some = (): number[] => Array.from({ length: 200 }, () => mock.serve(request)!.outcome.delayMs)
    expect(some()).toEqual(once.slice(0, 200))
    expect(some()).toEqual(once.slice(200, 400))
    mock.setScenario({ faults: faults as never })
    expect(some()).toEqual(once.slice(0, 200))
    mock.sessions.default.run(reset(0))
    expect(some()).toEqual(once.slice(0, 200))
  })

  it('behavior: in a window, chance and requests narrow each other', () => {
    const narrowed = actedOn(1000, [{ ...faults[0], requests: '101-200' }])
    expect(narrowed.slice(0, 100).concat(narrowed.slice(200))).not.toContain(1)
    expect(narrowed.slice(100, 200)).toEqual(once.slice(100, 200).map(bits => bits & 1))
  })
})
