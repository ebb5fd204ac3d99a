// Outcomes as responses: their delays, their bytes and the ends of their bodies.
import { getEventListeners } from 'node:events'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { hurried, waited } from '../../test/support/hosts/waited.js'
import { createMock } from '../index.js'
import type { Outcome } from '../outcome.js'
import { answerRequest, isRedirect, toResponse } from './answer.js'

vi.mock('./real-time.js', async original => hurried(await original()))

const SENT = { status: 200, headers: ['content-type', 'text/plain'], body: 'abcdef', delayMs: 0 } as const
const respond = (outcome: Outcome, method = 'GET') =>
  toResponse(outcome, { method, signal: new AbortController().signal })

/** The pieces of a body, and the message of the error that ends it. */
async function readPieces({ body }: Response): Promise<{ pieces: string[]; error?: string }> {
  const pieces: string[] = []
  try {
    for await (const piece of body!) pieces.push(Buffer.from(piece).toString('latin1'))
    return { pieces }
  } catch (error) {
    return { pieces, error: (error as Error).message }
  }
}

beforeEach(() => (waited.length = 0))

describe('toResponse', () => {
  it('default: a reply, at once or after its delay', async () => {
    expect(await (await respond({ ...SENT, kind: 'reply' })).text()).toBe('abcdef')
    expect(waited).toEqual([])
    await respond({ ...SENT, kind: 'reply', delayMs: 30 })
    expect(waited).toEqual([30])
  })

  it('behavior: a HEAD has no body, an empty body is one', async () => {
    expect((await respond({ ...SENT, kind: 'reply' }, 'HEAD')).body).toBeNull()
    expect((await respond({ ...SENT, kind: 'reply', body: '' })).body).not.toBeNull()
  })

  it('behavior: a dribble waits between its pieces, and ends well after the last one', async () => {
    const response = await respond({ ...SENT, kind: 'dribble', pieces: 3, everyMs: 20 })
    expect(await readPieces(response)).toEqual({ pieces: ['ab', 'cd', 'ef'] })
    expect(waited).toEqual([20, 20])
  })

  it('behavior: a truncated body ends with an error', async () => {
    const response = await respond({ ...SENT, kind: 'truncate', sentLength: 4 })
    expect(await readPieces(response)).toEqual({ pieces: ['abcd'], error: 'terminated' })
    const cause = { message: 'the connection was closed: wire/truncate' }
    await expect((await respond({ ...SENT, kind: 'truncate', sentLength: 4 })).text()).rejects.toMatchObject({ cause })
  })

  it('error: a reset, and a timeout that is closed', async () => {
    await expect(respond({ kind: 'reset', delayMs: 5 })).rejects.toThrow('fetch failed')
    await expect(respond({ kind: 'timeout', delayMs: 6, closeAfterMs: 7 })).rejects.toThrow('fetch failed')
    expect(waited).toEqual([5, 6, 7])
  })
})

it('behavior: a signal that outlives its requests keeps no listener of them', async () => {
  const mock = createMock({ scenario: { faults: [{ fault: 'reply/latency', options: { ms: 1 } }] } } as never)
  const request = new Request('http://mock/', { headers: { authorization: 'test-api-key' } })
  const addresses = { baseUrl: '', historyUrl: '' }
  const signals: AbortSignal[] = []
  const wait = async () => void signals.push(request.signal)
  await answerRequest(mock, request, { target: '/prices/BTCUSD/latest', addresses, body: '', delays: () => wait })
  expect(signals.map(signal => getEventListeners(signal, 'abort').length)).toEqual([0])
})

it('behavior: a pause is released with its session, and ends as it would', async () => {
  const mock = createMock()
  mock.sessions.create({ id: 'a', scenario: { faults: [{ fault: 'reply/latency', options: { ms: 5 } }] } } as never, 0)
  const released = vi.fn()
  let end = () => {}
  const wait = (_: unknown, _signal: AbortSignal, release?: AbortSignal) => {
    release!.addEventListener('abort', released)
    return new Promise<void>(resolve => (end = resolve))
  }
  const addresses = { baseUrl: '', historyUrl: '' }
  const request = new Request('http://mock/', { headers: { authorization: 'test-api-key' } })
  const target = '/session/a/prices/BTCUSD/latest'
  const reply = answerRequest(mock, request, { target, addresses, body: '', delays: () => wait })
  await new Promise(setImmediate)
  mock.sessions.delete('a')
  expect(released).toHaveBeenCalledOnce()
  end()
  expect((await reply).status).toBe(200)
})

it('behavior: a request in silence ends by its signal also after its session', async () => {
  const mock = createMock()
  mock.sessions.create({ id: 'a', scenario: { faults: [{ fault: 'wire/timeout' }] } } as never, 0)
  const abort = new AbortController()
  const request = new Request('http://mock/', { headers: { authorization: 'test-api-key' }, signal: abort.signal })
  const addresses = { baseUrl: '', historyUrl: '' }
  const reply = answerRequest(mock, request, { target: '/session/a/prices/BTCUSD/latest', addresses, body: '' })
  await new Promise(setImmediate)
  mock.sessions.delete('a')
  abort.abort()
  await expect(reply).rejects.toMatchObject({ name: 'AbortError' })
})

it('behavior: the redirects of the Fetch standard, if they have an address', () => {
  const statuses = Array.from({ length: 400 }, (_, i) => 200 + i)
  const found = statuses.filter(status => isRedirect({ status, headers: new Headers({ location: '/' }) }))
  expect(found).toEqual([301, 302, 303, 307, 308])
  expect(isRedirect({ status: 302, headers: new Headers() })).toBe(false)
})
