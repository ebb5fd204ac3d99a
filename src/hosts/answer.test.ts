// From outcomes to responses: which waits are begun, which bytes arrive, and how a body ends.
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { hurried, waited } from '../../test/support/hosts/waited.js'
import type { Mock } from '../mock.js'
import type { Outcome } from '../outcome.js'
import { answerRequest } from './answer.js'

vi.mock('./timers.js', async original => hurried(await original()))

const SENT = { status: 200, headers: ['content-type', 'text/plain'], body: 'abcdef', delayMs: 0 } as const
/** The response of a mock that has one outcome for everything. */
function respond(outcome: Outcome, method = 'GET'): Promise<Response> {
  const mock = { serve: () => ({ outcome }), record: () => {} } as unknown as Mock
  const addresses = { baseUrl: '', historyUrl: '' }
  return answerRequest(mock, new Request('http://mock.test', { method }), { target: '/', addresses })
}

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

beforeEach(() => {
  waited.length = 0
})

describe('answerRequest', () => {
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
  })

  it('error: a reset, and a timeout that is closed', async () => {
    await expect(respond({ kind: 'reset', delayMs: 5 })).rejects.toThrow('fetch failed')
    await expect(respond({ kind: 'timeout', delayMs: 6, closeAfterMs: 7 })).rejects.toThrow('fetch failed')
    expect(waited).toEqual([5, 6, 7])
  })
})
