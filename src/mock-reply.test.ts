// Replies of the mock itself: their headers.
import { describe, expect, it } from 'vitest'
import { PriceFeedMockError } from './errors.js'
import { internalReply, mockReply, problemReply } from './mock-reply.js'
import { MEDIA_TYPE, type Reply, toPairs } from './outcome.js'

const headersOf = (reply: Reply) => Object.fromEntries(toPairs(reply.headers))

describe('mockReply', () => {
  it('default: its length, no cache, and the header of the mock', () => {
    expect(headersOf(mockReply(200, '{"a":1}', ['content-type', 'application/json']))).toEqual({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-price-feed-mock': 'own',
      'content-length': '7',
    })
  })

  it('behavior: 204 has no length', () => {
    expect(headersOf(mockReply(204, '', []))).not.toHaveProperty('content-length')
  })
})

describe('problemReply', () => {
  it('default: the status and code of the error', () => {
    const reply = problemReply(new PriceFeedMockError('SESSIONS_FULL', 'Full.'), ['retry-after', '1'])
    expect(reply).toMatchObject({ kind: 'reply', status: 503 })
    expect(headersOf(reply)).toMatchObject({ 'content-type': MEDIA_TYPE.problem, 'retry-after': '1' })
    expect(JSON.parse(reply.body)).toMatchObject({ status: 503, code: 'SESSIONS_FULL' })
  })
})

describe('internalReply', () => {
  it('default: 500 with the first line of the error', () => {
    const { status, body } = internalReply(new TypeError('x is gone\n at somewhere'))
    expect(status).toBe(500)
    expect(JSON.parse(body)).toMatchObject({ code: 'INTERNAL' })
    expect(body).toContain('x is gone')
    expect(body).not.toContain('somewhere')
  })

  it('behavior: 503 when a module cannot be loaded', () => {
    expect(internalReply(new PriceFeedMockError('MODULE_UNAVAILABLE', 'Gone.')).status).toBe(503)
  })
})
