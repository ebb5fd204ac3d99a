// What faults cost: the same request to a calm session and to one with faults, over HTTP and by CPU time, and in process.
import { createMock } from '../src/index.js'
import { load, startChild } from './http.js'
import { microseconds, print, type Row } from './measure.js'

const LATEST = '/prices/BTCUSD/latest'
const SCENARIO = { faults: [{ fault: 'market/shock', options: { change: -0.3 } }, { fault: 'signature/wrong-signer' }] }
const YEAR = '/prices/queryHistory?feedIds=BTCUSD&minutes=525600'

/** The share of calm throughput that is left: the best of three rounds, since machines change their pace. */
async function shareOverHttp(vary: boolean): Promise<Row> {
  const mock = await startChild({ kind: 'mock' })
  for (const [id, scenario] of Object.entries({ calm: 'calm', faulty: SCENARIO }))
    await fetch(`${mock.url}/_mock/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, scenario }),
    })
  const one = { what: '', target: LATEST, goal: 0, vary }
  const amount = 15_000
  await load(mock, one, amount, 'session.calm')
  await load(mock, one, amount, 'session.faulty')
  let best = { share: 0, calm: 0, faulty: 0 }
  for (let round = 0; round < 3; round++) {
    const { cpuMicros: calm } = await load(mock, one, amount, 'session.calm')
    const { cpuMicros: faulty } = await load(mock, one, amount, 'session.faulty')
    if (calm / faulty > best.share) best = { share: calm / faulty, calm, faulty }
  }
  await mock.stop()
  return {
    what: `latest with a market and a signature fault${vary ? ', never remembered' : ''}`,
    value: best.share,
    unit: '× calm',
    goal: 0.5,
    atLeast: true,
    note: `${best.faulty.toFixed(1)} µs CPU a request, calm ${best.calm.toFixed(1)}`,
  }
}

/** The largest question there is for one feed, under a fault of the market. */
function yearUnder(what: string, faults: readonly unknown[]): Row {
  const mock = createMock({ clock: { at: '2025-07-24T10:48:25Z', frozen: true }, scenario: { faults } })
  const ask = (i: number) =>
    mock.serve({ method: 'GET', target: `${YEAR}&n=${i}`, authorization: 'test-api-key', receivedAt: 0 })
  ask(0)
  mock.clock.advance('300d')
  return { what: `high and low of a year, ${what}`, value: microseconds(20, ask, 5) / 1000, unit: 'ms' }
}

/** Prints the figures of faults. */
export async function benchFaults(): Promise<void> {
  print('Faults', [
    await shareOverHttp(false),
    await shareOverHttp(true),
    yearUnder('calm', []),
    yearUnder('a shock since 300 days', [{ fault: 'market/shock' }]),
    yearUnder('a drift since 300 days', [{ fault: 'market/drift', options: { change: 0.1, per: '30d' } }]),
    yearUnder('100,000 gaps', [{ fault: 'market/gap', for: '1m', repeat: '4m' }]),
    yearUnder('100,000 shocks', [{ fault: 'market/shock', for: '1m', repeat: '4m' }]),
  ])
}
