// The faults that a reply names, and the reason of each of the others: in the order of the scenario, over all stages.
import { expect, it } from 'vitest'
import { createCalls, LATEST, NOW } from '../../test/support/calls.js'

/** The status of a request under faults such as `tick/zero {"feeds":["ETHUSD"]}`, their names in it, and each one's reason for a miss. */
function applied(scenario: string): string {
  const faults = scenario.split('; ').map(text => {
    const [fault, selectors = '{}'] = text.split(' ')
    return { fault, ...JSON.parse(selectors) }
  })
  const { mock, session } = createCalls({ scenario: { faults } as never })
  mock.clock.advance(10)
  const { entry } = mock.serve({ method: 'GET', target: LATEST, authorization: 'test-api-key', receivedAt: 0 })!
  const counts = session().record.counters.faults.map(
    ({ hits, misses, lastMiss }) => lastMiss ?? `${hits} of ${hits + misses}`,
  )
  return [entry.status, entry.faults.join(' '), ...counts].join(', ')
}

it.each([
  ['market/stale', '200, market/stale, 1 of 1'],
  ['tick/zero; market/stale', '200, tick/zero market/stale, 1 of 1, 1 of 1'],
  ['market/stale; market/stale {"options":{"age":"10m"}}', '200, market/stale, hidden by market/stale, 1 of 1'],
  ['tick/zero; tick/zero', '200, tick/zero, 1 of 1, hidden by tick/zero'],
  ['signature/truncated; signature/all-zero', '200, signature/all-zero, hidden by signature/all-zero, 1 of 1'],
  [
    'market/stale {"feeds":["ETHUSD"]}; tick/zero {"endpoints":["batch"]}; reply/status {"requests":"2"}',
    '200, , another feed, 0 of 0, not one of its requests',
  ],
  [
    'market/stale {"from":"1h"}; tick/zero {"from":"1h"}; reply/status {"chance":0}',
    '200, , not its time, not its time, not by chance',
  ],
  [
    'market/stale; tick/zero; reply/status',
    '503, reply/status, hidden by reply/status, hidden by reply/status, 1 of 1',
  ],
  ['market/stale; tick/zero; wire/reset', '0, wire/reset, hidden by wire/reset, hidden by wire/reset, 1 of 1'],
  [
    'reply/status; reply/status {"options":{"status":500}}; reply/empty-body',
    '503, reply/status reply/empty-body, 1 of 1, hidden by reply/status, 1 of 1',
  ],
  ['wire/reset; wire/timeout; wire/truncate', '0, wire/reset, 1 of 1, hidden by wire/reset, hidden by wire/reset'],
  ['wire/truncate; tick/zero', '200, wire/truncate tick/zero, 1 of 1, 1 of 1'],
  // Of a time with as many digits, the length does not tell either.
  ['wire/truncate {"options":{"fraction":0.1}}; tick/ts-skew', '200, wire/truncate, 1 of 1, hidden by wire/truncate'],
  ['wire/dribble; reply/latency; tick/zero', '200, wire/dribble reply/latency tick/zero, 1 of 1, 1 of 1, 1 of 1'],
  [
    'reply/rate-limit {"options":{"limit":5}}; signature/wrong-signer',
    '200, signature/wrong-signer, nothing to change, 1 of 1',
  ],
  [
    'signature/wrong-signer; signature/bit-flip; reply/status',
    '503, reply/status, hidden by reply/status, hidden by reply/status, 1 of 1',
  ],
  ['wire/reset {"feeds":["ETHUSD"]}; reply/status {"feeds":["BTCUSD"]}', '503, reply/status, another feed, 1 of 1'],
  // The level that is held is one of the shock, which is over.
  ['market/shock {"for":"6s"}; market/flatline {"from":"5s"}', '200, market/shock market/flatline, 1 of 1, 1 of 1'],
  ['market/gap; market/stale; market/shock', '404, market/gap, 1 of 1, hidden by market/gap, hidden by market/gap'],
])('default: %s: %s', (scenario, result) => expect(applied(scenario)).toBe(result))

it.each([
  ['seconds', 7],
  ['date', 7],
  ['zero', 0],
  ['negative', undefined],
  ['text', undefined],
  ['none', undefined],
])('behavior: the journal has a Retry-After that makes sense: %s', (retryAfterForm, seconds) => {
  const fault = { fault: 'reply/status', options: { retryAfter: '7s', retryAfterForm } }
  const { mock } = createCalls({ scenario: { faults: [fault] } as never, clock: { at: NOW + 0.7, frozen: true } })
  const { entry } = mock.serve({ method: 'GET', target: LATEST, authorization: undefined, receivedAt: 0 })!
  expect([entry.retryAfter, entry.now, entry.nowMs]).toEqual([seconds, NOW, NOW * 1000 + 700])
})
