// The faults that a reply names, and the reason of each of the others: in the order of the scenario, over all stages.
import { expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'

const LATEST = '/prices/BTCUSD/latest'
const STALE = { fault: 'market/stale', options: { age: '5m' } }
const ZERO = { fault: 'tick/zero' }
const STATUS = { fault: 'reply/status' }
const RESET = { fault: 'wire/reset' }

/** The status of a request, and what it did for each fault: a hit, or the reason for none. */
function applied(faults: readonly object[], target = LATEST): string {
  const { mock, session } = createCalls({ scenario: { faults } as never })
  mock.clock.advance(10)
  const { entry } = mock.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 })!
  const { counters } = session().record
  const counts = counters.faults.map(
    ({ hits, misses, lastMiss }) => lastMiss ?? (hits > misses ? 'hit' : 'not counted'),
  )
  return [entry.status, entry.faults.join(' '), ...counts].join(' | ')
}

it.each([
  [[STALE], '200 | market/stale | hit'],
  [[ZERO, STALE], '200 | tick/zero market/stale | hit | hit'],
  [[STALE, { ...STALE, options: { age: '10m' } }], '200 | market/stale | hidden by market/stale | hit'],
  [
    [
      { ...STALE, feeds: ['ETHUSD'] },
      { ...ZERO, endpoints: ['batch'] },
      { ...STATUS, requests: '2' },
    ],
    '200 |  | another feed | not counted | not one of its requests',
  ],
  [
    [
      { ...STALE, from: '1h' },
      { ...ZERO, from: '1h' },
      { ...STATUS, chance: 0 },
    ],
    '200 |  | not its time | not its time | not by chance',
  ],
  [[STALE, ZERO, STATUS], '503 | reply/status | hidden by reply/status | hidden by reply/status | hit'],
  [[STALE, ZERO, RESET], '0 | wire/reset | hidden by wire/reset | hidden by wire/reset | hit'],
  [
    [STATUS, { ...STATUS, options: { status: 500 } }, { fault: 'reply/empty-body' }],
    '503 | reply/status reply/empty-body | hit | hidden by reply/status | hit',
  ],
  [
    [RESET, { fault: 'wire/timeout' }, { fault: 'wire/truncate' }],
    '0 | wire/reset | hit | hidden by wire/reset | hidden by wire/reset',
  ],
  [[{ fault: 'wire/truncate' }, ZERO], '200 | wire/truncate tick/zero | hit | hit'],
  [
    [{ fault: 'wire/dribble' }, { fault: 'reply/latency', options: { ms: 5 } }, ZERO],
    '200 | wire/dribble reply/latency tick/zero | hit | hit | hit',
  ],
  [
    [{ fault: 'reply/rate-limit', options: { limit: 5 } }, { fault: 'signature/wrong-signer' }],
    '200 | signature/wrong-signer | nothing to change | hit',
  ],
  [
    [{ fault: 'signature/wrong-signer' }, { fault: 'signature/bit-flip' }, STATUS],
    '503 | reply/status | hidden by reply/status | hidden by reply/status | hit',
  ],
  [
    [
      { ...RESET, feeds: ['ETHUSD'] },
      { ...STATUS, feeds: ['BTCUSD'] },
    ],
    '503 | reply/status | another feed | hit',
  ],
  [
    [{ fault: 'market/gap' }, STALE, { fault: 'market/shock' }],
    '404 | market/gap | hit | hidden by market/gap | hidden by market/gap',
  ],
])('default: %j', (faults, result) => expect(applied(faults)).toBe(result))

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
