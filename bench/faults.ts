// The largest request for one feed under faults of the market, in process. `http.ts` has the figure of a request with faults.
import { createMock, ownScenario } from '../src/index.js'
import { catalogueFeeds } from '../src/market/feeds-file.js'
import { microseconds, print, type Row } from './measure.js'

const YEAR = '/prices/queryHistory?feedIds=BTCUSD&minutes=525600'

/** Time of the largest request for one feed. */
function yearUnder(name: string, faults: readonly unknown[]): Row {
  const mock = createMock({
    clock: { at: '2025-07-24T10:48:25Z', frozen: true },
    scenario: { faults: faults as never },
  })
  const ask = (i: number) =>
    mock.serve({ method: 'GET', target: `${YEAR}&n=${i}`, authorization: 'test-api-key', receivedAt: 0 })
  ask(0)
  mock.clock.advance('300d')
  return { name: `high and low of a year, ${name}`, value: microseconds(20, ask, 5) / 1000, unit: 'ms' }
}

/** Prints the figures of faults. */
export function benchFaults(): void {
  print('Faults', [
    yearUnder('calm', []),
    yearUnder('a shock since 300 days', [{ fault: 'market/shock' }]),
    yearUnder('a drift since 300 days', [{ fault: 'market/drift', options: { change: 0.1, per: '30d' } }]),
    yearUnder('100,000 gaps', [{ fault: 'market/gap', for: '1m', repeat: '4m' }]),
    yearUnder('100,000 shocks', [{ fault: 'market/shock', for: '1m', repeat: '4m' }]),
  ])
}

const FEEDS = catalogueFeeds()
const ALL = `/prices/queryHistory?minutes=525600&feedIds=${FEEDS.map(({ id }) => id).join(',')}`
const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval='

/** Milliseconds of the largest requests, each once and with empty caches. A reply of 503 is a refusal by the limit of work. */
export function benchWorstCases(): void {
  const worst = (name: string, target: string, faults: readonly unknown[]): Row => {
    const mock = createMock({
      clock: { at: '2025-07-24T10:48:25Z', frozen: true },
      policy: { candles: 2000 },
      scenario: ownScenario({ faults }),
    })
    mock.clock.advance('300d')
    const started = performance.now()
    const served = mock.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 })!
    const value = performance.now() - started
    return { name, value, unit: 'ms', goal: 250, note: String(served.entry.status) }
  }
  const times = (count: number, entry: (i: number) => unknown) => Array.from({ length: count }, (_, i) => entry(i))
  const gap = (i: number) => ({ fault: 'market/gap', from: `${i * 10 + 10}s`, for: '5s' })
  const drift = { fault: 'market/drift', for: '1m', repeat: '4m' }
  const steepDrift = { fault: 'market/drift', for: '1h', repeat: '2h', options: { change: 10, per: '1h' } }
  const shock = (from: string) => ({ fault: 'market/shock', from, for: '30s', repeat: '1m', options: { change: 0.5 } })
  // The first request of a process is slower by what the engine compiles.
  worst('', ALL, [])
  print('Worst cases, one request each', [
    worst('64 feeds, a year, calm', ALL, []),
    worst('64 feeds, a year, a shock', ALL, [{ fault: 'market/shock' }]),
    worst(
      '64 feeds, a year, 100 shocks',
      ALL,
      times(100, () => ({ fault: 'market/shock' })),
    ),
    worst('64 feeds, a year, a drift each 4m', ALL, [drift]),
    worst('64 feeds, a year, a steep drift each 2h', ALL, [steepDrift]),
    worst('64 feeds, a year, two shocks in turn each 1m', ALL, [shock('0s'), shock('30s')]),
    worst('2000 candles of 1h, calm', `${CHART}1h`, []),
    worst('2000 candles of 1w, calm', `${CHART}1w`, []),
    worst(
      '2000 candles of 1h, ten shocks',
      `${CHART}1h`,
      times(10, () => ({ fault: 'market/shock' })),
    ),
    worst('2000 candles of 1h, a gap', `${CHART}1h`, [gap(0)]),
    worst('2000 candles of 1h, 100 gaps', `${CHART}1h`, times(100, gap)),
    worst('2000 candles of 1h, a drift each 4m', `${CHART}1h`, [drift]),
    worst('candles of 52w, a gap each 4m', `${CHART}52w`, [{ fault: 'market/gap', for: '1m', repeat: '4m' }]),
  ])
}
