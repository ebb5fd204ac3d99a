import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { startMock } from '../../../test/support/listen.js'
import { parseReplies, textOf } from '../../../test/support/raw.js'
import type { RunningServer, ServerOptions } from './server.js'

/** Far longer than the test may take. */
const LONG = { drainMs: 100_000 }
const BODY = '{"id":"made"}'
const HEAD = `POST /_mock/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`

async function start(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startMock({ host: '127.0.0.1', ...options })
  return server
}

interface Client {
  readonly socket: Socket
  /** Everything received, once the connection has closed. */
  readonly received: Promise<string>
}

/** Sends data and, by a reply on a second connection, waits until the server has read it. */
async function send(server: RunningServer, data: string): Promise<Client> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const received = textOf(socket.on('error', () => {}))
  await new Promise(resolve => socket.write(data, resolve))
  await fetch(`${server.url}/_mock/health`)
  await fetch(`${server.url}/_mock/health`)
  return { socket, received }
}

// A timer of a month would end at once.
it.each([LONG, { drainMs: 2_592_000_000 }])('default: an answer in progress is written whole, %j', async options => {
  const server = await start()
  const { socket, received } = await send(server, HEAD)
  const stopped = server.stop(options)
  // No connection is accepted.
  await expect(fetch(`${server.url}/_mock/health`)).rejects.toThrow()
  socket.write(BODY)
  await stopped
  const [reply] = parseReplies(await received)
  expect(reply).toMatchObject({ status: 201, headers: { connection: 'close' } })
  expect(JSON.parse(reply!.body).id).toBe('made')
})

it('behavior: answers to a slow reader are written whole', async () => {
  const server = await start({ policy: { candles: 2000 } })
  const target = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1s'
  const COUNT = 20
  const { socket, received } = await send(server, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(COUNT))
  socket.pause()
  const stopped = server.stop(LONG)
  socket.resume()
  await stopped
  const replies = parseReplies(await received)
  expect(replies.map(({ status }) => status)).toEqual(Array(COUNT).fill(200))
  for (const { headers, body } of replies) expect(body).toHaveLength(Number(headers['content-length']))
})

it.each([
  ['wire/timeout', {}],
  ['reply/latency', { ms: 60_000 }],
  ['wire/dribble', { pieces: 10, everyMs: 60_000 }],
])('behavior: %s does not hold it', async (fault, options) => {
  const server = await start({ scenario: { faults: [{ fault, options }] } as never })
  const latest = 'GET /prices/BTCUSD/latest HTTP/1.1\r\nHost: localhost\r\nAuthorization: test-api-key\r\n\r\n'
  const { received } = await send(server, latest)
  await server.stop(LONG)
  expect(await received).not.toMatch(/\}$/)
})

it('behavior: idle connections and event streams do not hold it', async () => {
  const server = await start()
  const events = await send(server, 'GET /_mock/sessions/default/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const idle = await send(server, '')
  const partial = await send(server, 'GET /prices/BTC')
  await server.stop(LONG)
  expect(await events.received).toContain('text/event-stream')
  expect([await idle.received, await partial.received]).toEqual(['', ''])
})

it('args: drainMs is the limit', async () => {
  const server = await start()
  const { received } = await send(server, HEAD)
  await server.stop({ drainMs: 20 })
  expect(await received).toBe('')
})

it('behavior: a second stop without drainMs ends it at once', async () => {
  const server = await start()
  const { received } = await send(server, HEAD)
  const stopped = server.stop(LONG)
  await server.stop()
  await stopped
  expect(await received).toBe('')
})
