// Fake timers stop neither the mock nor calls that wait for it: in process here, and again on a shared server.
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { test } from '../../../src/testing/vitest.js'

const AT = '2025-07-24T10:48:25Z'
const BTC = { feedId: 'BTCUSD' } as const
/** Calls that do not use faked timers finish long before; others fail soon. */
const SOON = { timeout: 20_000 } as const

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.for([
  ['late', { fault: 'reply/latency', options: { ms: 20 } }],
  ['in pieces', { fault: 'wire/dribble', options: { pieces: 3, everyMs: 5 } }],
] as const)('behavior: an answer arrives that is %s', SOON, async ([, fault], { priceFeed }) => {
  await priceFeed.setScenario({ faults: [fault] })
  await priceFeed.client.latest(BTC)
  await priceFeed.expectFaultsFired()
})

test('behavior: waiting for requests works while only the test moves the time', SOON, async ({ priceFeed }) => {
  const polling = setInterval(() => priceFeed.client.latest(BTC), 60_000)
  const seen = priceFeed.waitForRequests(3, { timeoutMs: 15_000 })
  await vi.advanceTimersByTimeAsync(180_000)
  expect(await seen).toHaveLength(3)
  clearInterval(polling)
})

test('error: a missing request is reported in real time', SOON, async ({ priceFeed }) => {
  await expect(priceFeed.waitForRequests(1, { timeoutMs: 30 })).rejects.toMatchObject({ code: 'REQUESTS_NOT_SEEN' })
})

test('behavior: only admin routes move the clock of a session', async ({ priceFeed: { clock } }) => {
  await clock.set(AT)
  vi.setSystemTime('2001-01-01T00:00:00Z')
  vi.advanceTimersByTime(3_600_000)
  const moved = (await clock.now()) - Date.parse(AT)
  expect(moved).toBeGreaterThanOrEqual(0)
  expect(moved).toBeLessThan(3_600_000)
})

test('behavior: one line sets Date to the time of the session', async ({ priceFeed: { clock, client } }) => {
  await clock.set(AT)
  await clock.freeze()
  vi.setSystemTime(await clock.now())
  const age = Date.now() / 1000 - (await client.latest(BTC)).ts
  expect(age).toBeGreaterThanOrEqual(0)
  expect(age).toBeLessThan(60)
})
