import { describe, expect, it } from 'vitest'
import { describeFault, expectActed, mockWith, pairOf, targetOf } from '../../../test/support/request-faults.js'

describeFault('reply/status', {
  refused: { status: [100, 199, 600, 503.5, '503', null] },
  effect({ wire, calm }) {
    const body = '{"error":"service_unavailable","message":"The service is unavailable."}'
    expect([wire.status, wire.body]).toEqual([503, body])
    expect(wire.headers).toMatchObject({
      ...calm.headers,
      'content-length': String(body.length),
      'retry-after': '5',
      'x-price-feed-mock': expect.any(String),
    })
  },
})

describe('status', () => {
  it.each([200, 206, 301, 400, 401, 403, 404, 408, 418, 429, 500, 502, 504, 599])('args: %i', async status => {
    const pair = await pairOf([{ fault: 'reply/status', options: { status } }]).ask(targetOf('latest'))
    expectActed(pair, ['reply/status'])
    const { error, message } = JSON.parse(pair.wire.body)
    expect([pair.wire.status, typeof error, typeof message]).toEqual([status, 'string', 'string'])
    expect(pair.wire.headers['retry-after']).toBe(status === 429 ? '5' : undefined)
  })

  it.each([204, 205, 304])('args: %i has no body', async status => {
    const { wire } = await pairOf([{ fault: 'reply/status', options: { status } }]).ask(targetOf('candles'))
    expect([wire.status, wire.body, wire.error]).toEqual([status, '', undefined])
  })
})

it('args: message, in ASCII on the wire', async () => {
  const message = 'Geht nicht: "ü" → \u{1f600}'
  const { body, headers } = await mockWith([{ fault: 'reply/status', options: { message } }]).ask(targetOf('latest'))
  expect(JSON.parse(body).message).toBe(message)
  expect(body).toMatch(/^[\x20-\x7e]*$/)
  expect(headers['content-length']).toBe(String(body.length))
})

it.each([
  ['with any status', { status: 500, retryAfter: '2m' }, '120'],
  [
    'the longest is still a date',
    { retryAfter: '999999999w', retryAfterForm: 'date' },
    'Fri, 31 Dec 9999 23:59:59 GMT',
  ],
])('args: retryAfter, %s', async (_, options, value) => {
  const { headers } = await mockWith([{ fault: 'reply/status', options }]).ask(targetOf('latest'))
  expect(headers['retry-after']).toBe(value)
})

it.each([
  ['seconds', '120', 120],
  ['date', 'Thu, 24 Jul 2025 10:50:25 GMT', 120],
  ['zero', '0', 0],
  ['negative', '-120', undefined],
  ['text', 'later', undefined],
  ['none', undefined, undefined],
])('args: retryAfterForm %s, and the seconds in the journal', async (retryAfterForm, value, seconds) => {
  for (const fault of [
    { fault: 'reply/status', options: { retryAfter: '2m', retryAfterForm } },
    { fault: 'reply/rate-limit', options: { limit: 0, retryAfter: '2m', retryAfterForm } },
  ]) {
    const { mock, ask } = mockWith([fault])
    expect((await ask(targetOf('latest'))).headers['retry-after']).toBe(value)
    expect(mock.sessions.default.journal.entries()[0]!.retryAfter).toBe(seconds)
  }
})

it('behavior: of several faults the first wins, and only it is reported', async () => {
  const { ask } = pairOf([
    { fault: 'reply/status', endpoints: ['latest'], options: { status: 401 } },
    { fault: 'reply/rate-limit', options: { limit: 0 } },
    { fault: 'reply/status', options: { status: 500 } },
    { fault: 'reply/html-error-page' },
  ])
  const latest = await ask(targetOf('latest'))
  expectActed(latest, ['reply/status'])
  expect([latest.wire.status, latest.wire.headers['retry-after']]).toEqual([401, undefined])
  const batch = await ask(targetOf('batch'))
  expectActed(batch, ['reply/rate-limit'])
  expect(batch.wire.status).toBe(429)
})

it('args: keepBody: an error with the body of the reply', async () => {
  const options = { status: 500, keepBody: true }
  const { wire, calm } = await pairOf([{ fault: 'reply/status', options }]).ask(targetOf('latest'))
  expect([wire.status, wire.body]).toEqual([500, calm.body])
})
