// errors-heeded: the pace of a consumer after 429 and 5xx.
import { expect, it } from 'vitest'
import { createConsumer } from '../../../test/support/observed-consumer.js'

const BATCH = '/prices/batch?feedIds=BTCUSD'
const ID = 'errors-heeded'
/** Requests 4 to 7 fail. */
const failing = (status = 503) =>
  createConsumer({ scenario: { faults: [{ fault: 'reply/status', requests: '4-7', options: { status } }] } })

it('default: no errors', () => {
  const { check, poll } = createConsumer()
  poll(BATCH, [1000, 1000])
  expect(check(ID).status).toBe('not-seen')
})

it.each([
  ['doubles its pause', [1000, 1000, 1000, 2000, 4000, 8000, 8000]],
  ['starts with short pauses, and doubles them', [1000, 1000, 1000, 200, 400, 800, 1600]],
  ['makes a longer pause', [1000, 1000, 1000, 1500, 1500, 1500, 1500]],
  ['retries twice, and pauses', [1000, 1000, 1000, 100, 100, 5000, 5000]],
])('behavior: a consumer that %s', (_, pauses) => {
  const { check, poll } = failing()
  poll(BATCH, [...pauses, 1000, 1000])
  expect(check(ID)).toMatchObject({ status: 'ok', text: '4 error replies (503); the next requests took their time.' })
})

it.each([429, 500, 503])('error: a consumer that polls on at the same rate after %i', status => {
  const { check, poll } = failing(status)
  poll(BATCH, Array(9).fill(1000))
  expect(check(ID)).toMatchObject({ status: 'failed', requests: [5, 6, 7, 8] })
  expect(check(ID).text).toBe(
    `4 error replies (${status}); 4 next requests came without slowing down, after 1 s (median).`,
  )
})

it('error: a consumer that is faster after errors, and never knew another pace', () => {
  const { check, poll } = createConsumer({ scenario: { faults: [{ fault: 'reply/status' }] } })
  // Distances of some milliseconds are no slowing down.
  poll(BATCH, [2, 5, 9, 20, 60])
  expect(check(ID)).toMatchObject({ status: 'failed', requests: [2, 3, 4, 5] })
})

it('behavior: a parameter that is none of the endpoint does not hide a repetition', () => {
  const { check, ask, wait } = createConsumer({ scenario: { faults: [{ fault: 'reply/status' }] } })
  for (let i = 0; i < 5; i++) {
    ask(`${BATCH}&_=${i}`)
    wait(300)
  }
  expect(check(ID).status).toBe('failed')
})

it('behavior: single errors show no pace', () => {
  const { check, poll } = createConsumer({
    scenario: { faults: [{ fault: 'reply/status', requests: { every: 3 }, options: { status: 500 } }] },
  })
  poll(BATCH, Array(8).fill(1000))
  expect(check(ID)).toMatchObject({ status: 'info', text: expect.stringContaining('too few to judge') })
})

it('behavior: single errors with a pause after them show one', () => {
  const { check, poll } = createConsumer({ scenario: { faults: [{ fault: 'reply/status', requests: '3' }] } })
  poll(BATCH, [1000, 1000, 5000, 1000, 1000])
  expect(check(ID)).toMatchObject({ status: 'ok', text: '1 error reply (503); the next requests took their time.' })
})

it('behavior: a consumer that gives up', () => {
  const { check, poll } = failing()
  poll(BATCH, [1000, 1000, 1000, 1000])
  expect(check(ID)).toMatchObject({
    status: 'ok',
    text: '1 error reply (503); nothing was asked again.',
    requests: [4],
  })
})

it('behavior: 404 and 401 are no overload', () => {
  const { check, poll } = failing(404)
  poll(BATCH, Array(9).fill(100))
  expect(check(ID).status).toBe('not-seen')
})
