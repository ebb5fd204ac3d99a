// The report card: its list of checks, requests that the journal has dropped, and verdicts.
import { expect, it } from 'vitest'
import { createConsumer } from '../../../test/support/observed-consumer.js'
import { ENDPOINTS } from '../../endpoints/index.js'
import { judged } from '../../service/changes.js'

it('default: a session without requests', () => {
  const { report, mock } = createConsumer()
  expect(report()).toMatchObject({
    session: 'default',
    seed: '42',
    scenario: 'calm',
    requests: 0,
    dropped: 0,
    failed: 0,
  })
  expect(report().checks.map(({ id, status }) => [id, status])).toEqual(
    [
      'key-form',
      'retries-after-401',
      'retry-after',
      'errors-heeded',
      'unknown-feeds',
      'faults-fired',
      ...ENDPOINTS.map(({ name }) => `polling-rate.${name}`),
    ].map(id => [id, 'not-seen']),
  )
  expect(mock.sessions.default.record.counters.n).toBe(0)
})

it('behavior: a good consumer fails nothing', () => {
  const { report, poll } = createConsumer()
  poll('/prices/batch?feedIds=BTCUSD,ETHUSD', Array(20).fill(1000))
  expect(report().failed).toBe(0)
})

it('behavior: it counts failed checks and verdicts, and lists the first requests only', () => {
  const { report, poll, mock } = createConsumer()
  poll('/prices/BTC-USD/latest', Array(60).fill(1000))
  for (const [name, ok] of [['a', true] as const, ['b', false] as const])
    mock.sessions.default.run(judged({ case: name, ok }, 1_753_354_105_000))
  const { failed, checks, verdicts } = report()
  expect(failed).toBe(2)
  const { requests, count } = checks.find(({ id }) => id === 'unknown-feeds')!
  expect([requests.length, requests[0], requests.at(-1), count]).toEqual([50, 1, 50, 60])
  expect(verdicts.map(({ case: name, ok, n }) => [name, ok, n])).toEqual([
    ['a', true, 60],
    ['b', false, 60],
  ])
})

it('behavior: requests that the journal has dropped are counted, and the rates are of the rest', () => {
  const { report, poll } = createConsumer()
  poll('/prices/BTCUSD/latest', Array(1200).fill(500))
  expect(report()).toMatchObject({ requests: 1200, dropped: 200 })
  expect(report().endpoints).toMatchObject([{ requests: 1000, perMinute: 120 }])
})
