// retries-after-401: consumers that stop, slow down, change their key, or ask on with a refused one.
import { expect, it } from 'vitest'
import { createConsumer, LATEST } from '../../../test/support/observed-consumer.js'

const ID = 'retries-after-401'
const REFUSED = { key: 'old-key' }

it('default: no 401', () => {
  const { check, poll } = createConsumer()
  poll(LATEST, [1000, 1000])
  expect(check(ID)).toMatchObject({ status: 'not-seen', text: 'No request was refused with 401.' })
})

it('behavior: a consumer that stops', () => {
  const { check, ask } = createConsumer()
  ask(LATEST, REFUSED)
  expect(check(ID)).toMatchObject({ status: 'ok', requests: [1] })
  expect(check(ID).text).toBe('1 request got 401. None was sent again with the same key.')
})

it('behavior: a consumer that takes another key', () => {
  const { check, poll } = createConsumer()
  for (const key of ['key-1', 'key-2', 'key-3', 'key-4', 'key-5']) poll(LATEST, [100], { key })
  expect(check(ID)).toMatchObject({ status: 'ok', text: expect.stringContaining('None was sent again') })
})

it('behavior: a consumer that slows down', () => {
  const { check, poll } = createConsumer()
  poll(LATEST, [500, 1000, 2000, 4000, 8000, 8000], REFUSED)
  expect(check(ID)).toMatchObject({ status: 'ok', requests: [2, 3, 4, 5, 6] })
  expect(check(ID).text).toContain('5 were sent again with the same key, the soonest after 500 ms')
})

it('behavior: two retries are few', () => {
  const { check, poll } = createConsumer({
    scenario: { faults: [{ fault: 'reply/status', requests: { first: 2 }, options: { status: 401 } }] },
  })
  poll(LATEST, [100, 100, 1000, 1000])
  expect(check(ID)).toMatchObject({ status: 'ok', text: expect.stringContaining('2 were sent again') })
})

it('error: a consumer that asks on at the same rate', () => {
  const { check, poll } = createConsumer()
  poll(LATEST, [1000, 1000, 1000, 1000], REFUSED)
  expect(check(ID)).toMatchObject({ status: 'failed', requests: [2, 3, 4] })
  expect(check(ID).text).toBe(
    '4 requests got 401, 3 were sent again with the same key, the soonest after 1 s. They did not slow down: stop after a 401, or wait longer each time.',
  )
})

it('error: without a key, again and again', () => {
  const { check, poll } = createConsumer()
  poll(LATEST, [100, 100, 100, 100], { key: undefined })
  expect(check(ID).status).toBe('failed')
})

it('behavior: requests for other feeds, and beside each other, are no retries', () => {
  const { check, ask, wait } = createConsumer()
  for (const id of ['BTCUSD', 'ETHUSD', 'SOLUSD', 'XRPUSD']) ask(`/prices/${id}/latest`, REFUSED)
  for (let i = 0; i < 5; i++) ask('/prices/batch?feedIds=BTCUSD', { ...REFUSED, tookMs: 80 })
  wait(1000)
  expect(check(ID)).toMatchObject({ status: 'ok', text: '9 requests got 401. None was sent again with the same key.' })
})

it('behavior: one request in ten seconds is slow enough', () => {
  const { check, poll } = createConsumer()
  poll(LATEST, Array(6).fill(10_000), REFUSED)
  expect(check(ID).status).toBe('ok')
})
