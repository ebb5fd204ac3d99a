// The mock as a fetch function: the whole URL reaches the service, and the journal has the planned duration.
import { expect, it, vi } from 'vitest'
import { createCalls } from '../../test/support/calls.js'
import { hurried } from '../../test/support/hosts/waited.js'
import { createFetch } from './fetch.js'

vi.mock('./timers.js', async original => hurried(await original()))

const KEY = { headers: { authorization: 'test-api-key' } }

it('behavior: the query is a part of the request', async () => {
  const fetch = createFetch(createCalls().mock)
  const reply = await fetch('http://mock.test/prices/batch?feedIds=BTCUSD', KEY)
  expect(reply.status).toBe(200)
})

it('behavior: a consumer that asks again at once lets timers have their turn', async () => {
  const fetch = createFetch(createCalls({ scenario: { faults: [{ fault: 'reply/status' }] } }).mock)
  let hasFired = false
  setTimeout(() => (hasFired = true))
  for (let n = 0; n < 2000 && !hasFired; n++) await (await fetch('http://mock.test/prices/BTCUSD/latest', KEY)).text()
  expect(hasFired).toBe(true)
})

it('behavior: a planned wait counts as duration', async () => {
  const { mock, session } = createCalls({ scenario: { faults: [{ fault: 'reply/latency', options: { ms: 5000 } }] } })
  await createFetch(mock)('http://mock.test/prices/BTCUSD/latest', KEY)
  expect(session().journal.entries()[0]!.durationMs).toBeGreaterThanOrEqual(5000)
})
