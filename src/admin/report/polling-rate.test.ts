// polling-rate: requests in a minute and the distance of repetitions, in real and in virtual time.
import { expect, it } from 'vitest'
import { createConsumer, LATEST } from '../../../test/support/observed-consumer.js'
import { elapsedMs } from './check.js'

it('default: an endpoint that was not asked', () => {
  expect(createConsumer().check('polling-rate.latest')).toMatchObject({
    status: 'not-seen',
    text: 'latest was not asked.',
    count: 0,
  })
})

it('behavior: one request has no rate', () => {
  const { check, ask, report } = createConsumer()
  ask(LATEST)
  expect(check('polling-rate.latest').text).toBe('1 request. Nothing was asked twice.')
  expect(report().endpoints).toEqual([
    { endpoint: 'latest', requests: 1, perMinute: null, perVirtualMinute: null, medianMs: null, medianVirtualMs: null },
  ])
})

it('behavior: two feeds at the same time, every two seconds', () => {
  const { check, ask, wait, report } = createConsumer()
  for (let i = 0; i < 4; i++) {
    ask(LATEST)
    ask('/prices/ETHUSD/latest')
    ask(LATEST, { method: 'OPTIONS' })
    wait(2000)
  }
  expect(check('polling-rate.latest')).toMatchObject({
    status: 'info',
    text: '8 requests in 6 s: 70 a minute of real time. The same was asked again after 2 s (median).',
    count: 8,
  })
  expect(report()).toMatchObject({ requests: 12, dropped: 0 })
  expect(report().endpoints).toEqual([
    { endpoint: 'latest', requests: 8, perMinute: 70, perVirtualMinute: 70, medianMs: 2000, medianVirtualMs: 2000 },
  ])
})

it('behavior: a clock that is advanced has its own rate', () => {
  const { check, ask, wait, mock } = createConsumer({ clock: { at: 1_753_354_105, frozen: true } })
  for (let i = 0; i < 3; i++) {
    ask(LATEST)
    wait(100)
    mock.clock.advance('30s')
  }
  expect(check('polling-rate.latest').text).toBe(
    '3 requests in 200 ms: 600 a minute of real time. The same was asked again after 100 ms (median). In virtual time: 2 a minute, the same again after 30 s.',
  )
})

it('behavior: a clock that is set back again and again has no distance below zero', () => {
  const { ask, wait, mock, report } = createConsumer({ clock: { at: 1_753_354_105, frozen: true } })
  for (const seconds of [1000, -900, 5, -50, -3, 0]) {
    ask(LATEST)
    wait(100)
    mock.clock.advance(seconds)
  }
  expect(report().endpoints).toMatchObject([{ medianMs: 100, medianVirtualMs: 5000 }])
})

it('behavior: virtual time counts where it is longer than real time by more than its precision', () => {
  const [from, to] = [
    { receivedAt: 0, now: 0 },
    { receivedAt: 500, now: 2 },
  ] as unknown as Parameters<typeof elapsedMs>
  expect(elapsedMs(from, to)).toBe(2000)
  expect(elapsedMs(from, { ...to, now: 1 })).toBe(500)
})
