// retry-after: consumers that wait, and that do not.
import { expect, it } from 'vitest'
import { createConsumer, LATEST } from '../../../test/support/observed-consumer.js'

const ID = 'retry-after'
const limited = (options: object = {}) =>
  createConsumer({
    scenario: {
      faults: [{ fault: 'reply/status', requests: { first: 2 }, options: { status: 429, retryAfter: '5s' } }],
    },
    ...options,
  })

it('default: no Retry-After', () => {
  const { check, poll } = createConsumer()
  poll(LATEST, [1000, 1000])
  expect(check(ID).status).toBe('not-seen')
})

it('behavior: the journal has the seconds', () => {
  const { ask, mock } = limited()
  for (let i = 0; i < 3; i++) ask(LATEST)
  expect(mock.sessions.default.journal.entries().map(({ retryAfter }) => retryAfter)).toEqual([5, 5, undefined])
})

it('behavior: a consumer that waits', () => {
  const { check, poll } = limited()
  poll(LATEST, [5000, 5000, 100, 100])
  expect(check(ID)).toMatchObject({
    status: 'ok',
    text: '2 replies had a Retry-After; 2 next requests waited for it.',
    requests: [1, 2],
  })
})

it('behavior: a consumer that does not come back', () => {
  const { check, ask } = limited()
  ask(LATEST)
  expect(check(ID)).toMatchObject({ status: 'ok', text: '1 reply had a Retry-After; nothing was asked again.' })
})

it.each([
  [100, 'failed'],
  [4900, 'failed'],
  [4950, 'ok'],
])('args: %i ms instead of 5 s', (ms, status) => {
  const { check, poll } = limited()
  poll(LATEST, [ms, 5000])
  expect(check(ID).status).toBe(status)
})

it('error: requests before the time was over', () => {
  const { check, poll } = limited()
  poll(LATEST, [1000, 200, 200])
  expect(check(ID)).toMatchObject({ status: 'failed', requests: [2, 3] })
  expect(check(ID).text).toBe(
    '2 replies had a Retry-After; 2 of 2 next requests came before the time was over, the soonest after 200 ms instead of 5 s.',
  )
})

it('behavior: other feeds, and requests under way, may come', () => {
  const { check, ask, wait } = limited()
  ask(LATEST, { tookMs: 400 })
  wait(100)
  ask('/prices/ETHUSD/latest')
  wait(200)
  // Sent before the first reply was there.
  ask(LATEST)
  wait(5000)
  ask(LATEST)
  ask('/prices/ETHUSD/latest')
  expect(check(ID)).toMatchObject({ status: 'ok', text: expect.stringContaining('2 replies had') })
})

it('behavior: a clock that is advanced counts as waiting', () => {
  const { check, ask, mock } = limited({ clock: { at: 1_753_354_105, frozen: true } })
  ask(LATEST)
  mock.clock.advance('5s')
  ask(LATEST)
  mock.clock.advance('4s')
  ask(LATEST)
  expect(check(ID)).toMatchObject({ status: 'failed', requests: [3] })
})
