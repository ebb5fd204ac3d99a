// Outcomes over a real socket: which bytes arrive, which waits are begun, and what is called off with the connection.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http'
import { beforeEach, expect, it, vi } from 'vitest'
import { listen } from '../../../test/support/listen.js'
import type { Outcome } from '../../outcome.js'
import { writeOutcome } from './write.js'

/** Milliseconds of the timers that were started, and of those that were called off. */
const { started, calledOff } = vi.hoisted(() => ({ started: [] as number[], calledOff: [] as number[] }))
const LONG = 600_000

vi.mock('../real-time.js', async original => {
  const timers = await original<typeof import('../real-time.js')>()
  const after = (ms: number, callback: () => void): (() => void) => {
    started.push(ms)
    const callOff = timers.after(ms === LONG ? ms : 0, callback)
    return () => {
      calledOff.push(ms)
      callOff()
    }
  }
  return { ...timers, after }
})

const SENT = { status: 200, headers: ['content-length', '6'], body: 'abcdef', delayMs: 0 } as const
let server: Server

beforeEach(() => {
  started.length = 0
  calledOff.length = 0
})

/** Asks a server that answers everything with an outcome. */
async function open(outcome: Outcome) {
  server = createServer((request, response) => writeOutcome(response, request.method, outcome))
  // As the servers of the mock: Node itself would end the connection otherwise.
  Object.assign(server, { httpAllowHalfOpen: true })
  return request({ port: await listen(server), host: '127.0.0.1', agent: false })
}

async function ask(outcome: Outcome): Promise<{ headers: IncomingHttpHeaders; body: string; isWhole: boolean }> {
  const asked = await open(outcome)
  asked.end()
  const [response] = await once(asked, 'response')
  let body = ''
  response.setEncoding('latin1').on('data', (chunk: string) => (body += chunk))
  await new Promise(resolve => response.once('close', resolve).once('error', () => {}))
  return { headers: response.headers, body, isWhole: response.complete }
}

it('default: a reply, at once or after its delay', async () => {
  expect(await ask({ ...SENT, kind: 'reply' })).toMatchObject({ body: 'abcdef', isWhole: true })
  expect(started).toEqual([])
  await ask({ ...SENT, kind: 'reply', delayMs: 30 })
  expect(started).toEqual([30])
})

it('behavior: the date is that of the reply, or of the process where the reply has none', async () => {
  const date = 'Thu, 24 Jul 2025 10:48:25 GMT'
  expect((await ask({ ...SENT, headers: [...SENT.headers, 'date', date], kind: 'reply' })).headers.date).toBe(date)
  expect((await ask({ ...SENT, kind: 'reply' })).headers.date).toMatch(/ GMT$/)
})

it('behavior: a dribble waits between its pieces, and ends with the last one', async () => {
  const reply = await ask({ ...SENT, kind: 'dribble', pieces: 3, everyMs: 20 })
  expect(reply).toMatchObject({ body: 'abcdef', isWhole: true })
  expect(started).toEqual([20, 20])
})

it('behavior: a truncated body ends early', async () => {
  const reply = await ask({ ...SENT, kind: 'truncate', sentLength: 4 })
  expect(reply).toMatchObject({ body: 'abcd', isWhole: false })
})

it('error: a reset', () => expect(ask({ kind: 'reset', delayMs: 0 })).rejects.toThrow())

it('behavior: a silence ends when its client ends its side of the connection', async () => {
  const asked = await open({ kind: 'timeout', delayMs: 0, closeAfterMs: undefined })
  const arrived = once(server, 'request')
  asked.on('error', () => {}).end()
  await arrived
  const closed = once(asked.socket!, 'close')
  asked.socket!.end()
  await closed
})

it.each([
  ['', 0],
  [', also behind a body that nobody has read', 1_000_000],
])('behavior: what waits is called off when the connection closes%s', async (_title, bytes) => {
  const asked = await open({ ...SENT, kind: 'reply', delayMs: LONG })
  const arrived = once(server, 'request')
  if (bytes > 0) asked.setHeader('content-length', bytes)
  asked.on('error', () => {}).end('x'.repeat(bytes))
  const [received] = (await arrived) as [IncomingMessage]
  const { socket } = received
  // As much of the body has arrived as Node takes without a reader.
  const isFull = (): boolean => received.readableLength >= received.readableHighWaterMark
  if (bytes > 0) await vi.waitFor(() => expect(received.readableFlowing || isFull()).toBe(true))
  const closed = new Promise(resolve => socket.once('close', resolve))
  asked.socket!.resetAndDestroy()
  await closed
  expect([started, calledOff]).toEqual([[LONG], [LONG]])
})
