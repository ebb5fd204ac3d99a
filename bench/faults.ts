// The largest request for one feed under faults of the market, in process. `http.ts` has the figure of a request with faults.
import { createMock } from '../src/index.js'
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
