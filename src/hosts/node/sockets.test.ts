// The limits of a connection: how many requests may wait on it, and how large they may be. And a stop that finds answers in progress.
import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { expect, it, vi } from 'vitest'
import { listen } from '../../../test/support/listen.js'
import { connectTo, parseReplies, textOf } from '../../../test/support/raw.js'
import { closeServers } from './listen.js'
import { createServerOf, type SocketLimits } from './sockets.js'
import { markEndless } from './write.js'

const openConnections = (server: Server): Promise<number> =>
  new Promise(resolve => server.getConnections((_, count) => resolve(count)))

const requestOf = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** A server that has read some requests of one connection, and has answered none. */
async function hold(sent: string, limits: Partial<SocketLimits> = {}) {
  const responses: ServerResponse[] = []
  const server = createServerOf(
    (_request, response) => void responses.push(response),
    () => {},
    { turnMs: Number.POSITIVE_INFINITY, ...limits },
  )
  const socket = connectTo(await listen(server))
  const received = textOf(socket.on('end', () => socket.end()))
  socket.write(sent)
  // One write is one chunk on loopback, and all requests of a chunk are read at once.
  await once(server, 'request')
  return { server, socket, responses, received }
}

it('default: pooled connections stay open for 75 seconds', () => {
  expect(createServerOf(() => {}).keepAliveTimeout).toBe(75_000)
})

it('error: PIPELINE_FULL after the answers to as many requests as may wait', async () => {
  const { responses, received } = await hold(requestOf('/').repeat(5), { pipelined: 3 })
  expect(responses).toHaveLength(3)
  for (const response of responses) response.end()
  expect(parseReplies(await received).map(({ status }) => status)).toEqual([200, 200, 200, 429])
})

it('error: PIPELINE_FULL when the waiting requests are too large', async () => {
  const long = requestOf(`/${'a'.repeat(600)}`)
  const { responses, received } = await hold(long.repeat(4), { pipelinedBytes: 1000 })
  expect(responses).toHaveLength(2)
  for (const response of responses) response.end()
  expect(parseReplies(await received).map(({ status }) => status)).toEqual([200, 200, 429])
})

it('behavior: requests behind a long answer wait until it is made, so that theirs are not held meanwhile', async () => {
  const asked: string[] = []
  const made: (() => void)[] = []
  const server = createServerOf((request, response) => {
    asked.push(request.url!)
    if (!request.url!.startsWith('/long')) return void response.end(request.url)
    return new Promise<void>(resolve => {
      made.push(() => {
        response.end(request.url)
        resolve()
      })
    })
  })
  const socket = connectTo(await listen(server))
  let text = ''
  socket.on('data', chunk => (text += chunk))
  socket.write(['/1', '/long-1', '/2', '/3', '/long-2', '/4'].map(requestOf).join(''))
  await vi.waitFor(() => expect(asked).toEqual(['/1', '/long-1']))
  made[0]!()
  await vi.waitFor(() => expect(asked).toEqual(['/1', '/long-1', '/2', '/3', '/long-2']))
  socket.write(requestOf('/5'))
  made[1]!()
  await vi.waitFor(() => expect(text).toContain('/5'))
  expect(parseReplies(text).map(({ body }) => body)).toEqual(['/1', '/long-1', '/2', '/3', '/long-2', '/4', '/5'])
  socket.destroy()
})

/**
 * A server that answers one pipelined request a turn, by a body of `length`. Returns the turn of each answer.
 * @param isLong whether answers are made in a later turn
 */
async function answerByTurns(length: number, limits: Partial<SocketLimits> = {}, isLong = false) {
  const turns: number[] = []
  let turn = 0
  const count = (): void => {
    turn++
    if (server.listening) setImmediate(count)
  }
  const server = createServerOf(
    (_request, response) => {
      turns.push(turn)
      if (!isLong) return response.end('x'.repeat(length))
      return new Promise(resolve => setImmediate(resolve)).then(() => void response.end('x'.repeat(length)))
    },
    () => {},
    { turnMs: 0, ...limits },
  )
  const socket = connectTo(await listen(server))
  count()
  return { server, turns, socket }
}

it('behavior: pipelined requests share the event loop: one is answered a turn, in order', async () => {
  const { turns, socket } = await answerByTurns(1)
  socket.end(requestOf('/').repeat(20))
  expect(parseReplies(await textOf(socket))).toHaveLength(20)
  // The second one follows an answer that is sent already.
  expect(new Set(turns).size).toBe(20)
})

it('behavior: requests that wait for their turn are dropped when the client leaves', async () => {
  const { server, turns, socket } = await answerByTurns(1)
  socket.write(requestOf('/').repeat(90))
  await vi.waitUntil(() => turns.length > 0, { interval: 1, timeout: 10_000 })
  socket.resetAndDestroy()
  await vi.waitUntil(async () => (await openConnections(server)) === 0, { interval: 1, timeout: 10_000 })
  const answered = turns.length
  for (let i = 0; i < 100; i++) await new Promise(resolve => setImmediate(resolve))
  expect(turns).toHaveLength(answered)
})

it.each([
  ['answers of later turns', false],
  ['long answers', true],
])('error: PIPELINE_FULL when the %s are too large', async (_, isLong) => {
  const { turns, socket } = await answerByTurns(300_000, { pipelinedBytes: 2_000_000 }, isLong)
  socket.pause().write(requestOf('/').repeat(90))
  // Nothing is read until the answers have been counted.
  for (let seen = -1; seen !== turns.length || seen === 0; ) {
    seen = turns.length
    for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve))
  }
  const answered = turns.length
  expect(answered).toBeLessThan(90)
  const received = textOf(socket.on('end', () => socket.end()))
  socket.resume()
  const statuses = parseReplies(await received).map(({ status }) => status)
  expect(statuses).toEqual([...Array(answered).fill(200), 429])
})

it('behavior: a stop waits for an answer in progress, which is marked as the last of its connection', async () => {
  const { server, responses, received } = await hold(requestOf('/'))
  const closed = closeServers([server], 100_000)
  responses[0]!.end('whole')
  await closed
  const [reply] = parseReplies(await received)
  expect(reply).toMatchObject({ status: 200, headers: { connection: 'close' }, body: 'whole' })
})

it('behavior: a stop does not wait for an answer without an end', async () => {
  const { server, responses, received } = await hold(requestOf('/'))
  markEndless(responses[0]!)
  await closeServers([server], 100_000)
  expect(await received).toBe('')
})

it('behavior: a stop waits for all answers of a connection, also for requests that arrive meanwhile', async () => {
  const { server, socket, responses, received } = await hold(requestOf('/'))
  // Sent before the stop marks it as the last one, so that the connection goes on.
  const sendHead = (response: ServerResponse): void => response.writeHead(200, { 'content-length': 1 }).flushHeaders()
  const isAwaited = (response: ServerResponse): boolean => response.listenerCount('finish') > atFirst
  sendHead(responses[0]!)
  const atFirst = responses[0]!.listenerCount('finish')
  const closed = closeServers([server], 100_000)
  for (let i = 0; i < 6; i++) {
    await vi.waitUntil(() => isAwaited(responses[i]!), { interval: 1, timeout: 10_000 })
    socket.write(requestOf('/'))
    // It may wait for the next turn.
    await vi.waitUntil(() => responses[i + 1] !== undefined, { interval: 1, timeout: 10_000 })
    sendHead(responses[i + 1]!)
    responses[i]!.end('x')
  }
  responses[6]!.end('x')
  await closed
  expect(parseReplies(await received).map(({ body }) => body)).toEqual(Array(7).fill('x'))
})
